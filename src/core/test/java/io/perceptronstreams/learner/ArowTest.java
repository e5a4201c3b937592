package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** AROW with a diagonal covariance (Crammer, Kulesza and Dredze 2009). */
final class ArowTest {
    private static final int DIMENSION = 10;

    private final Outcome outcome = new Outcome();

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("arow", ArowTest::arow)).isEqualTo(12);
    }

    /** The whole covariance of an example is computed, and its diagonal kept. */
    @SeededTest
    void shouldKeepTheDiagonalOfTheCovariance(long seed) {
        Random random = new Random(seed);
        Arow learner = arow(Map.of("r", "0.5", "diagonal", "covariance"));
        double[] mean = new double[DIMENSION];
        double[] variance = new double[DIMENSION];
        Arrays.fill(variance, 1);
        for (Sample plain : RandomStreams.noisy(random, 300, DIMENSION - 1, 4)) {
            Sample sample = plain.withWeight(0.2 + 3 * random.nextDouble());
            double[] x = new double[DIMENSION];
            for (int k = 0; k < sample.indices.length; k++) {
                x[sample.indices[k]] = sample.values[k];
            }
            // the bias
            x[DIMENSION - 1] = 1;
            double loss = 1;
            double spread = 0.5 / sample.weight;
            for (int k = 0; k < DIMENSION; k++) {
                loss -= sample.y * mean[k] * x[k];
                spread += variance[k] * x[k] * x[k];
            }
            for (int k = 0; k < DIMENSION && loss > 0; k++) {
                double covariance = variance[k] * x[k];
                mean[k] += loss / spread * sample.y * covariance;
                variance[k] -= covariance * covariance / spread;
            }
            learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
        }

        double[] found = weights(learner);
        double[] foundVariance = variances(learner);
        for (int k = 0; k < DIMENSION - 1; k++) {
            assertThat(found[k]).as("seed %d", seed).isCloseTo(mean[k], within(1e-12));
            assertThat(foundVariance[k]).as("seed %d", seed).isCloseTo(variance[k], within(1e-12));
        }
        assertThat(learner.state().numbers().get(0)).isCloseTo(mean[DIMENSION - 1], within(1e-12));
        assertThat(learner.state().numbers().get(1))
                .isCloseTo(1 / variance[DIMENSION - 1] - 1, within(1e-9 / variance[DIMENSION - 1]));
    }

    /** The state is the same, so the setting may change at any time. */
    @Test
    void shouldGoOnWithTheOtherDiagonal() {
        Arow learner = arow(Map.of("bias", "false"));
        learn(learner, 1, 1, 2);
        learner.configure(Settings.DEFAULTS.with(Map.of("bias", "false", "diagonal", "covariance")));
        learn(learner, -1, 1, 1);

        // 1/s = (2, 5), v = 0.7: with the covariance 1/s[i] + 1/(r + v - s[i])
        assertThat(variances(learner)[0]).isCloseTo(1 / (2 + 1 / 1.2), within(1e-15));
        assertThat(variances(learner)[1]).isCloseTo(1 / (5 + 1 / 1.5), within(1e-15));
    }

    @Test
    void shouldCallAScoreBetweenZeroAndOneAMarginMistakeAndLeaveTheRestAlone() {
        Arow learner = arow(Map.of("bias", "false", "r", "1e-9"));
        learn(learner, 1, 2);
        // w is close to 1/2
        learn(learner, 1, 3);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isUpdated()).isFalse();
        learn(learner, 1, 1);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(outcome.hingeLoss()).isCloseTo(0.5, within(1e-6));
    }

    @SeededTest
    void shouldNeverBecomeLessConfident(long seed) {
        Random random = new Random(seed);
        Arow learner = arow(Map.of("r", "0.1", "diagonal", seed % 2 == 0 ? "inverse" : "covariance"));
        double[] before = variances(learner);
        for (Sample sample : RandomStreams.noisy(random, 500, DIMENSION - 1, 3)) {
            learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            double[] after = variances(learner);
            for (int k = 0; k < DIMENSION; k++) {
                assertThat(after[k]).as("seed %d", seed).isPositive().isLessThanOrEqualTo(before[k]);
            }
            before = after;
        }
        assertThat(before[0]).isLessThan(0.1);
        // no example has it
        assertThat(before[DIMENSION - 1]).isEqualTo(1);
    }

    @SeededTest
    void shouldSolveItsProblem(long seed) {
        Random random = new Random(seed);
        Arow learner = arow(Map.of("r", "0.5", "bias", "false"));
        for (Sample plain : RandomStreams.noisy(random, 200, DIMENSION, 4)) {
            Sample sample = plain.withWeight(0.2 + 3 * random.nextDouble());
            double r = 0.5 / sample.weight;
            double[] mean = weights(learner);
            double[] variance = variances(learner);
            learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
            if (!outcome.isUpdated()) {
                continue;
            }
            double reached = objective(sample, r, mean, variance, weights(learner), variances(learner));
            for (double length : new double[] {1e-3, 1e-2, 0.1}) {
                double[] otherMean = weights(learner);
                double[] otherVariance = variances(learner);
                double[] direction = RandomStreams.direction(random, 2 * DIMENSION);
                for (int k = 0; k < DIMENSION; k++) {
                    otherMean[k] += length * direction[k];
                    otherVariance[k] *= Math.exp(length * direction[DIMENSION + k]);
                }
                assertThat(objective(sample, r, mean, variance, otherMean, otherVariance))
                        .as("seed %d", seed)
                        .isGreaterThan(reached);
            }
        }
    }

    /** The paper's: KL divergence from the old Gaussian, plus (loss^2 + variance of the score)/(2r). */
    private static double objective(
            Sample sample, double r, double[] mean, double[] variance, double[] newMean, double[] newVariance) {
        double divergence = 0;
        double spread = 0;
        for (int k = 0; k < DIMENSION; k++) {
            double ratio = newVariance[k] / variance[k];
            double moved = newMean[k] - mean[k];
            divergence += (ratio - Math.log(ratio) + moved * moved / variance[k]) / 2;
        }
        for (int k = 0; k < sample.indices.length; k++) {
            spread += sample.values[k] * sample.values[k] * newVariance[sample.indices[k]];
        }
        double loss = Math.max(0, 1 - sample.y * sample.dot(newMean));
        return divergence + (loss * loss + spread) / (2 * r);
    }

    @SeededTest
    void shouldBecomePassiveAggressiveTwoWhereRIsLarge(long seed) {
        Arow learner = arow(Map.of("r", "1e9"));
        Perceptron limit = new Perceptron(
                Settings.DEFAULTS.with(Map.of("algorithm", "pa-ii", "c", "5e-10")), PassiveAggressive.PA_II);
        for (Sample sample : RandomStreams.noisy(new Random(seed), 300, DIMENSION, 4)) {
            learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            limit.learn(sample.vector(), Label.of(sample.y), 1, new Outcome());
        }
        double[] expected = weights(limit);
        double[] found = weights(learner);
        for (int k = 0; k < DIMENSION; k++) {
            assertThat(found[k]).as("seed %d", seed).isCloseTo(expected[k], within(1e-6 * limit.weightNorm()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1e308, 10, inverse",
        "1e308, 2, inverse",
        "1e-308, 10, inverse",
        "1e308, 1e160, covariance",
        "1e-308, 10, covariance"
    })
    void shouldRefuseOrLearnAndNeverKeepWhatIsNotFinite(double weight, double x, String diagonal) {
        Arow learner = arow(Map.of("diagonal", diagonal));
        List<Object> before = Bits.of(learner);

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class,
                () -> learner.learn(Sample.dense(1, x).vector(), Label.PLUS_ONE, weight, outcome));

        if (weight > 1) {
            assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
            assertThat(Bits.of(learner)).isEqualTo(before);
        } else {
            assertThat(rejection).isNull();
        }
    }

    @Test
    void shouldRejectAnUpdateThatNeedsMoreBlocksThanAllowed() {
        Arow learner = arow(Map.of("blocks.max", "1"));

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learn(learner, 1, spread()));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
    }

    private static double[] spread() {
        double[] x = new double[200];
        x[0] = 1;
        x[199] = 1;
        return x;
    }

    @Test
    void shouldRefuseAStateThatIsNotItsOwn() {
        assertThatThrownBy(() -> arow(Map.of()).restore(new LearnerState(List.of(1.0), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> arow(Map.of()).restore(new LearnerState(List.of(1.0, -1.0, 0.0, 0.0), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static double[] weights(Learner learner) {
        double[] w = new double[DIMENSION];
        WeightSummary.ofWeights(learner).features().forEach((index, weight) -> w[index] = weight);
        return w;
    }

    private static double[] variances(Arow learner) {
        double[] variances = new double[DIMENSION];
        BlockVector state = (BlockVector) learner.blocks().get(0);
        for (int k = 0; k < DIMENSION; k++) {
            variances[k] = 1 / (1 + state.read(k, 1));
        }
        return variances;
    }

    private void learn(Arow learner, int y, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), 1, outcome);
    }

    private static Arow arow(Map<String, String> settings) {
        return new Arow(Settings.DEFAULTS.with(settings));
    }
}
