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
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Crammer et al. 2006: the update is derived from its optimization problem, not from its formula. */
final class PassiveAggressiveTest {
    private static final int DIMENSION = 12;

    private final Outcome outcome = new Outcome();

    @ParameterizedTest
    @CsvSource({
        // algorithm, C, tau for the loss 1 and |x|^2 = 25
        "pa, 0.001, 0.04",
        "pa-i, 0.03, 0.03",
        "pa-i, 0.05, 0.04",
        "pa-ii, 0.02, 0.02",
    })
    void shouldStepAsFarAsTheRuleSays(String algorithm, String c, double tau) {
        Learner learner = learner(algorithm, Map.of("c", c, "bias", "false"));

        learner.learn(Sample.dense(-1, 3, 4).vector(), Label.MINUS_ONE, 1, outcome);

        WeightSummary w = WeightSummary.ofWeights(learner);
        assertThat(w.features().get(0)).isCloseTo(-3 * tau, within(1e-15));
        assertThat(w.features().get(1)).isCloseTo(-4 * tau, within(1e-15));
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.hingeLoss()).isEqualTo(1);
    }

    @Test
    void shouldCallAScoreBetweenZeroAndOneAMarginMistakeAndLeaveTheRestAlone() {
        Learner learner = learner("pa", Map.of("bias", "false"));
        learn(learner, 1, 2);
        List<Object> before = Bits.of(learner);
        // w = 0.5
        learner.learn(Sample.dense(1, 4).vector(), Label.PLUS_ONE, 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isUpdated()).isFalse();
        assertThat(Bits.of(learner).subList(4, before.size() - 1)).isNotEmpty();
        assertThat(WeightSummary.ofWeights(learner).features()).isEqualTo(Map.of(0, 0.5));

        learn(learner, 1, 1);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(outcome.margin()).isEqualTo(0.5);
        assertThat(outcome.hingeLoss()).isEqualTo(0.5);
        assertThat(WeightSummary.ofWeights(learner).features()).isEqualTo(Map.of(0, 1.0));
    }

    @SeededTest
    void shouldGiveTheExampleMarginOneByTheSmallestChange(long seed) {
        Random random = new Random(seed);
        Learner learner = learner("pa", Map.of());
        for (Sample sample : RandomStreams.noisy(random, 300, DIMENSION, 5)) {
            double[] before = weights(learner);
            learn(learner, sample.y, dense(sample));
            double[] after = weights(learner);
            if (outcome.isUpdated()) {
                String where = "seed " + seed;
                assertThat(margin(sample, after)).as(where).isCloseTo(1, within(1e-12));
                // any other w that gives margin 1 is farther from the old one: it differs by something orthogonal to x
                double[] other = RandomStreams.direction(random, DIMENSION + 1);
                double along = (sample.dot(other) + other[DIMENSION]) / (sample.squaredNorm() + 1);
                double[] x = dense(sample);
                for (int k = 0; k <= DIMENSION; k++) {
                    other[k] = after[k] + other[k] - along * (k < DIMENSION ? x[k] : 1);
                }
                assertThat(margin(sample, other)).as(where).isCloseTo(1, within(1e-12));
                assertThat(distance(before, other)).as(where).isGreaterThan(distance(before, after));
            } else {
                assertThat(after).isEqualTo(before);
            }
        }
    }

    @SeededTest
    void shouldSolveTheProblemWithAPriceOnTheLoss(long seed) {
        for (String algorithm : List.of("pa-i", "pa-ii")) {
            Random random = new Random(seed);
            Learner learner = learner(algorithm, Map.of("c", "0.1"));
            for (Sample plain : RandomStreams.noisy(random, 200, DIMENSION, 5)) {
                Sample sample = plain.withWeight(0.2 + 3 * random.nextDouble());
                double[] before = weights(learner);
                learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
                double[] after = weights(learner);
                double price = 0.1 * sample.weight;
                double reached = objective(algorithm, price, sample, before, after);
                assertThat(Math.sqrt(distance(before, after)))
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(
                                algorithm.equals("pa-i")
                                        ? price * Math.sqrt(sample.squaredNorm() + 1) * (1 + 1e-12)
                                        : Double.MAX_VALUE);
                for (double length : new double[] {1e-3, 1e-2, 0.1, 1}) {
                    double[] other = RandomStreams.direction(random, DIMENSION + 1);
                    for (int k = 0; k <= DIMENSION; k++) {
                        other[k] = after[k] + length * other[k];
                    }
                    assertThat(objective(algorithm, price, sample, before, other))
                            .as("seed %d, %s", seed, algorithm)
                            .isGreaterThan(reached);
                }
            }
        }
    }

    private static double objective(String algorithm, double price, Sample sample, double[] before, double[] w) {
        double loss = Math.max(0, 1 - margin(sample, w));
        return distance(before, w) / 2 + price * (algorithm.equals("pa-i") ? loss : loss * loss);
    }

    @SeededTest
    void shouldBoundTheSquaredLossesOfPaOnSeparableStreams(long seed) {
        RandomStreams.Separable stream = RandomStreams.separable(new Random(seed), 400, 6, 0.1, true);
        Learner learner = learner("pa", Map.of("bias", "false"));
        double squares = 0;
        for (Sample sample : stream.samples()) {
            learn(learner, sample.y, sample.values);
            squares += outcome.hingeLoss() * outcome.hingeLoss();
        }
        // theorem 2, with the separator scaled to margin 1: its squared length is 1/margin^2; R = 1
        assertThat(squares).as("seed %d", seed).isPositive().isLessThanOrEqualTo(1 / Math.pow(stream.margin(), 2));
    }

    @Test
    void shouldKeepAverages() {
        Learner learner = learner("pa", Map.of("bias", "false", "predict", "averaged"));
        learn(learner, 1, 2);
        learn(learner, 1, 4);
        learn(learner, 1, 1);
        // w was 0.5, 0.5 and 1
        learner.predict(Sample.dense(1, 3).vector(), outcome);

        assertThat(outcome.predictedScore()).isCloseTo(2, within(1e-15));
        assertThat(outcome.score()).isEqualTo(3);
    }

    @Test
    void shouldChangeNothingWhereThereIsNothingToMove() {
        for (String algorithm : List.of("pa", "pa-i", "pa-ii")) {
            Learner learner = learner(algorithm, Map.of("bias", "false"));
            learn(learner, 1);

            assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
            assertThat(learner.weightNorm()).isZero();
        }
    }

    @Test
    void shouldRejectAnExampleTooShortForAStep() {
        Learner learner = learner("pa", Map.of("bias", "false"));

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learn(learner, 1, 1e-160));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(rejection).hasMessageStartingWith("the step loss/|x|^2 of an update must be finite");
        assertThat(learner.weightNorm()).isZero();
        Learner bounded = learner("pa-i", Map.of("bias", "false"));
        learn(bounded, 1, 1e-160);
        assertThat(outcome.isUpdated()).isTrue();
    }

    @Test
    void shouldTakeNoHingeAndNoStepButItsOwn() {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("h", "1", "eta", "2", "c", "3"))
                        .requireUsedBy(Algorithm.PA_I, Settings.DEFAULTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "h must be 0.0 with algorithm=pa-i, got '1.0' (used by perceptron, multiclass, kernel, structured, sequence);"
                                + " eta must be 1.0 with algorithm=pa-i, got '2.0' (used by perceptron, multiclass, softmax, sgd, kernel, structured,"
                                + " sequence)");
    }

    private static double margin(Sample sample, double[] w) {
        return sample.y * (sample.dot(w) + w[DIMENSION]);
    }

    private static double distance(double[] one, double[] other) {
        double sum = 0;
        for (int k = 0; k < one.length; k++) {
            sum += (one[k] - other[k]) * (one[k] - other[k]);
        }
        return sum;
    }

    private static double[] dense(Sample sample) {
        double[] x = new double[DIMENSION];
        for (int k = 0; k < sample.indices.length; k++) {
            x[sample.indices[k]] = sample.values[k];
        }
        return x;
    }

    private static double[] weights(Learner learner) {
        double[] w = new double[DIMENSION + 1];
        WeightSummary summary = WeightSummary.ofWeights(learner);
        summary.features().forEach((index, weight) -> w[index] = weight);
        w[DIMENSION] = summary.bias();
        return w;
    }

    private void learn(Learner learner, int y, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), 1, outcome);
    }

    private static Learner learner(String algorithm, Map<String, String> settings) {
        Settings all = Settings.DEFAULTS.with(settings).with(Map.of("algorithm", algorithm));
        return Algorithm.of(all).create(all);
    }
}
