package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.theory.DynamicMarginBound;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The perceptron with dynamic margin, against a plain implementation and against largest margins found by trying. */
final class DynamicMarginTest {
    private static final int DIMENSION = 12;

    private final Outcome outcome = new Outcome();

    @SeededTest
    void shouldLearnAsAPlainImplementation(long seed) {
        for (double alpha : new double[] {0.02, 0.3, 0.9}) {
            Random random = new Random(seed);
            Learner learner = learner("pdm", Map.of("alpha", "" + alpha));
            double[] w = new double[DIMENSION + 1];
            double steps = 0;
            int marginMistakes = 0;
            for (Sample plain : RandomStreams.noisy(random, 1_000, DIMENSION, 5)) {
                Sample sample = plain.withWeight(1 + random.nextInt(3));
                double u = sample.dot(w) + w[DIMENSION];
                double squares = 0;
                for (double weight : w) {
                    squares += weight * weight;
                }
                double hinge = steps == 0 ? 0 : (1 - alpha) * squares / steps;

                learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);

                String where = "seed " + seed + ", alpha " + alpha;
                assertThat(outcome.score()).as(where).isCloseTo(u, within(1e-9));
                assertThat(outcome.isUpdated()).as(where).isEqualTo(sample.y * u <= 0 || sample.y * u <= hinge);
                assertThat(outcome.hingeLoss()).as(where).isCloseTo(Math.max(0, hinge - sample.y * u), within(1e-9));
                if (outcome.isUpdated()) {
                    marginMistakes += outcome.kind() == Outcome.Kind.MARGIN_MISTAKE ? 1 : 0;
                    steps += sample.weight;
                    for (int k = 0; k < sample.indices.length; k++) {
                        w[sample.indices[k]] += sample.weight * sample.y * sample.values[k];
                    }
                    w[DIMENSION] += sample.weight * sample.y;
                }
            }
            assertThat(marginMistakes).as("seed %d, alpha %s", seed, alpha).isPositive();
        }
    }

    @SeededTest
    void shouldBeThePerceptronWhereTheWholeMarginMayBeMissing(long seed) {
        Learner pdm = learner("pdm", Map.of("alpha", "1"));
        Learner perceptron = learner("perceptron", Map.of());
        for (Sample sample : RandomStreams.noisy(new Random(seed), 500, DIMENSION, 5)) {
            pdm.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            List<Object> learned = Bits.of(outcome);
            perceptron.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            assertThat(learned).as("seed %d", seed).isEqualTo(Bits.of(outcome));
        }
        assertThat(Bits.of(pdm)).isEqualTo(Bits.of(perceptron));
    }

    /** Points of a plane, whose largest margin is found among 100,000 directions. */
    @SeededTest
    void shouldReachTheLargestMarginButForAlpha(long seed) {
        List<Sample> points = points(new Random(seed));
        double largest = 0;
        for (int k = 0; k < 100_000; k++) {
            largest = Math.max(largest, margin(points, Math.cos(k * Math.PI / 50_000), Math.sin(k * Math.PI / 50_000)));
        }
        for (double alpha : new double[] {0.3, 0.5, 0.8}) {
            Learner learner = learner("pdm", Map.of("alpha", "" + alpha, "bias", "false"));
            int updates = 0;
            for (int before = -1; before < updates; ) {
                before = updates;
                for (Sample point : points) {
                    learner.learn(point.vector(), Label.of(point.y), 1, outcome);
                    updates += outcome.isUpdated() ? 1 : 0;
                }
            }
            Map<Integer, Double> w = WeightSummary.ofWeights(learner).features();
            double norm = learner.weightNorm();
            double reached = margin(points, w.getOrDefault(0, 0.0) / norm, w.getOrDefault(1, 0.0) / norm);

            String where = "seed " + seed + ", alpha " + alpha;
            assertThat(reached)
                    .as(where)
                    .isGreaterThan((1 - alpha) * norm / updates)
                    .isLessThanOrEqualTo(largest * (1 + 1e-6));
            assertThat(norm / updates).as(where).isGreaterThanOrEqualTo(largest * (1 - 1e-9));
            assertThat((double) updates)
                    .as(where)
                    .isLessThanOrEqualTo(DynamicMarginBound.updates(learner.radius(), largest, alpha) * (1 + 1e-9));
        }
    }

    private static List<Sample> points(Random random) {
        double angle = 2 * Math.PI * random.nextDouble();
        List<Sample> points = new ArrayList<>();
        while (points.size() < 40) {
            double x = 2 * random.nextDouble() - 1;
            double y = 2 * random.nextDouble() - 1;
            double score = x * Math.cos(angle) + y * Math.sin(angle);
            if (Math.abs(score) > 0.15) {
                points.add(Sample.dense(score > 0 ? 1 : -1, x, y));
            }
        }
        return points;
    }

    private static double margin(List<Sample> points, double... u) {
        return points.stream()
                .mapToDouble(point -> point.y * point.dot(u))
                .min()
                .orElseThrow();
    }

    /** An import may contain any sum of steps. */
    @Test
    void shouldLearnAsAPerceptronWithoutAValidSumOfSteps() {
        Learner learner = learner("pdm", Map.of("bias", "false"));
        learner.restore(new LearnerState(List.of(0.0, 0.0, 1.0, 4.0, 1.0, 1e300, 1e-320), List.of()));
        learner.learn(Sample.dense(1, 2).vector(), Label.PLUS_ONE, 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.hingeLoss()).isZero();
    }

    @Test
    void shouldTakeAlphaAndNeitherHingeNorStep() {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("h", "1", "eta", "2", "alpha", "0.1"))
                        .requireUsedBy(Algorithm.PDM, Settings.DEFAULTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("h must be 0.0 with algorithm=pdm, got '1.0'")
                .hasMessageContaining("eta must be 1.0 with algorithm=pdm, got '2.0'")
                .hasMessageNotContaining("alpha");
    }

    private static Learner learner(String algorithm, Map<String, String> settings) {
        Settings all = Settings.DEFAULTS.with(settings).with(Map.of("algorithm", algorithm));
        return Algorithm.of(all).create(all);
    }
}
