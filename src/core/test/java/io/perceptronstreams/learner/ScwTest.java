package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SCW-I with a diagonal covariance (Wang, Zhao and Hoi 2012). */
final class ScwTest {
    private final Outcome outcome = new Outcome();

    private static Scw scw(Map<String, String> changes) {
        Map<String, String> all = new HashMap<>(changes);
        all.put("algorithm", "scw");
        return new Scw(Settings.DEFAULTS.with(all));
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("scw", ScwTest::scw)).isEqualTo(7);
    }

    /** With one feature the diagonal is the covariance, so the update must solve the paper's problem exactly. */
    @SeededTest
    void shouldSolveItsProblemWithOneFeature(long seed) {
        Random random = new Random(seed);
        Scw learner = scw(Map.of("bias", "false", "c", "0.3", "confidence", "0.8"));
        double phi = 0.8416212335729143;
        int updates = 0;
        for (int n = 0; n < 200; n++) {
            double x = random.nextGaussian();
            int y = x >= 0 ^ random.nextInt(4) == 0 ? 1 : -1;
            double weight = 0.2 + 3 * random.nextDouble();
            double mean = weight(learner);
            double deviation = Math.sqrt(variance(learner));
            learner.learn(Sample.dense(y, x).vector(), Label.of(y), weight, outcome);
            if (!outcome.isUpdated()) {
                continue;
            }
            updates++;
            double newMean = weight(learner);
            double newDeviation = Math.sqrt(variance(learner));
            Problem problem = new Problem(y * x, phi, 0.3 * weight, mean, deviation);
            double reached = problem.at(newMean, newDeviation);
            for (double length : new double[] {1e-3, 1e-2, 0.1}) {
                double angle = 2 * Math.PI * random.nextDouble();
                double otherMean = newMean + length * deviation * Math.cos(angle);
                double otherDeviation = newDeviation * Math.exp(length * Math.sin(angle));
                assertThat(problem.at(otherMean, otherDeviation))
                        .as("seed %d, example %d", seed, n)
                        .isGreaterThan(reached);
            }
        }
        assertThat(updates).isGreaterThan(20);
    }

    /** KL divergence from the old Gaussian, plus C times the loss max(0, phi·deviation of the score - margin). */
    private record Problem(double yx, double phi, double price, double mean, double deviation) {
        double at(double newMean, double newDeviation) {
            double ratio = newDeviation / deviation;
            double moved = (newMean - mean) / deviation;
            double divergence = (ratio * ratio - 1 + moved * moved) / 2 - Math.log(ratio);
            return divergence + price * Math.max(0, phi * newDeviation * Math.abs(yx) - newMean * yx);
        }
    }

    private static double weight(Scw learner) {
        return ((BlockVector) learner.blocks().get(0)).read(0, 0);
    }

    private static double variance(Scw learner) {
        return 1 / (1 + ((BlockVector) learner.blocks().get(0)).read(0, 1));
    }

    @ParameterizedTest
    @CsvSource({
        "0.6, 0.2533471031357998",
        "0.75, 0.6744897501960817",
        "0.9, 1.2815515655446008",
        "0.95, 1.6448536269514715",
        "0.99, 2.3263478740408408",
        "0.5001, 2.506628300880075E-4",
        "0.999999999, 5.997807019601638",
        "0.1, -1.2815515655446008",
        "1e-300, -37.0471"
    })
    void shouldKnowTheNormalQuantile(double p, double expected) {
        assertThat(NormalQuantile.of(p)).isCloseTo(expected, within(p < 1e-9 ? 1e-4 : 1e-14 * Math.abs(expected)));
    }

    /** s was 0/0, and the model was quarantined. */
    @Test
    void shouldMoveNothingForAFeatureWhoseSquareUnderflows() {
        Scw learner = scw(Map.of("bias", "false"));

        learn(learner, 1, 1e-170);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(learner.weightNorm()).isZero();
        assertThat(variance(learner)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1e160", "1e-160", "1e-200", "1e154"})
    void shouldRejectOrLearnFromExtremeFeaturesAndNeverKeepWhatIsNotFinite(double x) {
        Scw learner = scw(Map.of("c", "1e300", "bias", "false"));
        List<Object> before = Bits.of(learner);
        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learn(learner, 1, x));
        if (rejection != null) {
            assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
            assertThat(Bits.of(learner)).isEqualTo(before);
        } else {
            assertThat(learner.weightNorm()).isFinite();
            assertThat(variance(learner)).isBetween(0.0, 1.0);
        }
    }

    @Test
    void shouldBeTheOnlyOneToTakeAConfidence() {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("confidence", "0.7"))
                        .requireUsedBy(Algorithm.AROW, Settings.DEFAULTS))
                .hasMessage("confidence must be 0.75 with algorithm=arow, got '0.7' (used by scw)");
    }

    private void learn(Learner learner, int y, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), 1, outcome);
    }
}
