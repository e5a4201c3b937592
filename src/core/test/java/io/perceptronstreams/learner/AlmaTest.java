package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** ALMA against its golden trace and against a naive implementation that divides all weights. */
final class AlmaTest {
    private static final double TOLERANCE = 1e-12;

    private final Outcome outcome = new Outcome();

    private static Alma alma(Map<String, String> changes) {
        return new Alma(Settings.DEFAULTS.with(changes));
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("alma", AlmaTest::alma)).isEqualTo(10);
    }

    /** The algorithm of the paper with a plain map of weights. */
    private static final class Naive {
        private final double alpha;
        private final double c;
        private final Map<Integer, Double> w = new HashMap<>();
        private int k = 1;

        Naive(double alpha, double c) {
            this.alpha = alpha;
            this.c = c;
        }

        double learn(Sample sample) {
            Map<Integer, Double> x = new HashMap<>();
            for (int i = 0; i < sample.vector().size(); i++) {
                x.put(sample.vector().index(i), sample.vector().values()[i]);
            }
            x.put(-1, 1.0);
            double length = norm(x);
            double u = 0;
            for (Map.Entry<Integer, Double> each : x.entrySet()) {
                u += w.getOrDefault(each.getKey(), 0.0) * each.getValue() / length;
            }
            if (sample.y * u <= (1 - alpha) * Math.sqrt(8) / alpha / Math.sqrt(k)) {
                double step = c * Math.sqrt(2) / Math.sqrt(k);
                x.forEach((index, value) -> w.merge(index, step * sample.y * value / length, Double::sum));
                double norm = norm(w);
                if (norm > 1) {
                    w.replaceAll((index, value) -> value / norm);
                }
                k++;
            }
            return u;
        }

        private static double norm(Map<Integer, Double> vector) {
            return Math.sqrt(
                    vector.values().stream().mapToDouble(value -> value * value).sum());
        }
    }

    @SeededTest
    void shouldLearnAsANaiveImplementation(long seed) {
        for (double alpha : new double[] {0.02, 0.5, 1}) {
            Alma learner = alma(Map.of("algorithm", "alma", "alpha", String.valueOf(alpha), "c", "1.5"));
            Naive naive = new Naive(alpha, 1.5);
            int number = 0;
            for (Sample sample : RandomStreams.noisy(new Random(seed), 3_000, 40, 5)) {
                double u = naive.learn(sample);
                learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);

                assertThat(outcome.score())
                        .as("seed %d, alpha %s, example %d", seed, alpha, number++)
                        .isCloseTo(u, within(1e-9));
            }
            assertThat(learner.weightNorm()).isCloseTo(Naive.norm(naive.w), within(1e-9));
        }
    }

    /**
     * alpha = 0.001 aims at the whole margin, so that nearly every example divides the weights, and the factor becomes
     * small.
     */
    @Test
    void shouldKeepTheFactorOfItsWeightsAwayFromAnUnderflow() {
        Alma learner = alma(Map.of("algorithm", "alma", "alpha", "0.001", "bias", "false"));
        Sample sample = Sample.dense(1, 1);
        for (int k = 0; k < 2_000; k++) {
            learner.learn(sample.vector(), Label.PLUS_ONE, 1, outcome);
        }
        assertThat(learner.state().numbers().get(0)).isBetween(0x1p-64, 1.0);
        assertThat(outcome.score()).isCloseTo(1, within(TOLERANCE));
        assertThat(learner.weightNorm()).isCloseTo(1, within(TOLERANCE));
    }

    @Test
    void shouldRefuseAStateThatIsNotItsOwn() {
        LearnerState state = alma(Map.of()).state();
        assertThat(state.numbers()).hasSize(5);
        assertThatThrownBy(() ->
                        alma(Map.of()).restore(new LearnerState(state.numbers().subList(0, 4), state.names())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ALMA");
    }
}
