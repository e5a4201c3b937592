package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.fail;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PerceptronTest {
    private final Outcome outcome = new Outcome();

    // w = 2 without a bias, so that the margin of x = 1/2 is 1 and that of x = 1 is 2
    @ParameterizedTest
    @CsvSource({
        "0, false, 0.5, CORRECT, 0",
        "0, true, 0, MISTAKE, 0",
        "0, false, 0, MISTAKE, 0",
        "0, true, 1e-300, CORRECT, 0",
        "0, false, -0.5, MISTAKE, 1",
        "1, false, 0.25, MARGIN_MISTAKE, 0.5",
        "1, false, 0.5, CORRECT, 0",
        "1, true, 0.5, MARGIN_MISTAKE, 0",
        "1, true, 0.5000001, CORRECT, 0",
        "1, false, 0, MISTAKE, 1",
        "1, false, -1, MISTAKE, 3",
    })
    void shouldTellMistakesFromMarginMistakes(
            double h, boolean isInclusive, double x, Outcome.Kind kind, double hingeLoss) {
        for (int y : new int[] {-1, 1}) {
            Perceptron learner = perceptron(Map.of("bias", "false", "h", "" + h, "h.inclusive", "" + isInclusive));
            learn(learner, y, 2);

            learn(learner, y, x);

            assertThat(outcome.kind()).isEqualTo(kind);
            assertThat(outcome.margin()).isEqualTo(2 * x);
            assertThat(outcome.hingeLoss()).isEqualTo(hingeLoss);
            assertThat(outcome.isUpdated()).isEqualTo(kind != Outcome.Kind.CORRECT);
        }
    }

    @Test
    void shouldPredictPlusOneAtScoreZeroAndCallItAMistakeAllTheSame() {
        Perceptron learner = perceptron(Map.of());

        learn(learner, 1, 3);

        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isError()).isFalse();
    }

    @Test
    void shouldAddStepTimesWeightTimesLabelTimesFeatures() {
        Perceptron learner = perceptron(Map.of("eta", "0.5"));

        learner.learn(Sample.dense(-1, 3, -4).vector(), Label.MINUS_ONE, 8, outcome);

        WeightSummary weights = WeightSummary.ofWeights(learner);
        assertThat(weights.features()).isEqualTo(Map.of(0, -12.0, 1, 16.0));
        assertThat(weights.bias()).isEqualTo(-4);
        // 144 + 256 + 16
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(416));
        assertThat(learner.radius()).isEqualTo(Math.sqrt(26));
    }

    @Test
    void shouldMeasureTheRadiusOfExamplesThatItLearnsFromOnly() {
        Perceptron learner = perceptron(Map.of("bias", "false"));
        learn(learner, 1, 3);
        learner.predict(Sample.dense(1, 100).vector(), outcome);
        learner.evaluate(Sample.dense(1, 100).vector(), Label.PLUS_ONE, outcome);

        assertThat(learner.radius()).isEqualTo(3);
        learn(learner, 1, 5);
        assertThat(learner.radius()).isEqualTo(5);
    }

    @Test
    void shouldLearnTheBiasAloneFromAnExampleWithoutFeatures() {
        Perceptron learner = perceptron(Map.of());

        learn(learner, -1);

        assertThat(WeightSummary.ofWeights(learner).bias()).isEqualTo(-1);
        learn(learner, -1);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
    }

    @Test
    void shouldAllocateNothingForZeros() {
        Perceptron learner = perceptron(Map.of());

        learner.learn(
                Sample.sparse(1, new int[] {0, 1000, 2000}, new double[] {0, 1, -0.0})
                        .vector(),
                Label.PLUS_ONE,
                1,
                outcome);

        assertThat(WeightSummary.ofWeights(learner).features()).isEqualTo(Map.of(1000, 1.0));
        assertThat(learner.blocks().get(0).heapBytes()).isLessThan(5000);
    }

    @Test
    void shouldLearnAtTheLargestIndex() {
        Perceptron learner = perceptron(Map.of());
        Sample sample = Sample.sparse(-1, new int[] {Integer.MAX_VALUE}, new double[] {2});

        learner.learn(sample.vector(), Label.MINUS_ONE, 1, outcome);
        learner.predict(sample.vector(), outcome);

        assertThat(outcome.score()).isEqualTo(-5);
        assertThat(WeightSummary.ofWeights(learner).features()).isEqualTo(Map.of(Integer.MAX_VALUE, -2.0));
    }

    @Test
    void shouldTakeIntsForTheNamesTheySpell() {
        Perceptron learner = perceptron(Map.of("labels", "0,1"));
        learner.learn(Sample.dense(1, 1).vector(), Label.of(0), 1, outcome);

        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("1"));
        assertThat(outcome.isError()).isTrue();
        assertThat(WeightSummary.ofWeights(learner).bias()).isEqualTo(-1);
        learner.evaluate(Sample.dense(1, 1).vector(), new Label.ClassName("0"), outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("0"));
    }

    @Test
    void shouldSayHowLabelsAreNamedWhereOneIsUnknown() {
        assertThat(rejection(perceptron(Map.of()), Label.of(0), 1, 1))
                .hasMessage(
                        "label must be the int -1 or +1 in this model, got 0 (a model must not mix 0/1 and -1/+1; set"
                                + " negative.label=0 if 0 is right)");
        assertThat(rejection(perceptron(Map.of("negative.label", "0")), Label.of(-1), 1, 1))
                .hasMessage(
                        "label must be the int 0 or 1 in this model, got -1 (a model must not mix 0/1 and -1/+1; set"
                                + " negative.label=-1 if -1 is right)");
        assertThat(rejection(perceptron(Map.of()), new Label.ClassName("a".repeat(200)), 1, 1))
                .hasMessage("label must be the int -1, 0 or 1, got the string '" + "a".repeat(80) + "…'");
        assertThat(rejection(perceptron(Map.of("labels", "ham,spam")), Label.of(1), 1, 1))
                .hasMessage("label must be one of [ham, spam], got 1");
    }

    @Test
    void shouldShowTheScoresOfBothLabelsWhereAskedTo() {
        Perceptron learner = perceptron(Map.of("predict.scores", "true", "labels", "ham,spam", "bias", "false"));
        learner.learn(Sample.dense(1, 2).vector(), new Label.ClassName("spam"), 1, outcome);
        learner.predict(Sample.dense(1, 3).vector(), outcome);

        assertThat(outcome.scoreCount()).isEqualTo(2);
        assertThat(outcome.scoredLabel(0)).isEqualTo(new Label.ClassName("ham"));
        assertThat(outcome.score(0)).isEqualTo(-6);
        assertThat(outcome.score(1)).isEqualTo(6);
        learner.predict(Sample.dense(1, 0).vector(), outcome);
        assertThat(Double.toString(outcome.score(0))).isEqualTo("0.0");
        learner.configure(Settings.DEFAULTS.with(Map.of("predict.scores", "1", "labels", "ham,spam", "bias", "false")));
        learner.predict(Sample.dense(1, 3).vector(), outcome);
        assertThat(outcome.scoreCount()).isEqualTo(1);
        assertThat(outcome.scoredLabel(0)).isEqualTo(new Label.ClassName("spam"));
        learner.configure(Settings.DEFAULTS);
        learner.predict(Sample.dense(1, 3).vector(), outcome);
        assertThat(outcome.scoreCount()).isZero();
    }

    @Test
    void shouldRejectAnExampleWhoseNormOverflows() {
        Perceptron learner = perceptron(Map.of());

        assertThat(rejection(learner, Label.PLUS_ONE, 1, 1e200).reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(rejection(learner, Label.PLUS_ONE, 1, Double.MAX_VALUE).reason())
                .isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    @Test
    void shouldRejectAnExampleWhoseAveragedScoreOverflows() {
        Map<String, String> settings = Map.of("bias", "false", "predict", "averaged");
        Perceptron learner = perceptron(settings);
        learn(learner, 1, 1.3e154);
        learn(learner, 1, 1);

        // u = 1.3e308 and all squares are finite, the sum of both vectors' scores, 2u, is not
        assertThat(rejection(learner, Label.PLUS_ONE, 1, 1e154).reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    @ParameterizedTest
    @CsvSource({
        // -weight·x; then a weight's square; the sum of two squares; the square of the bias, x being empty
        "1e308, 10",
        "2e154, 1",
        "1e154, 1 1",
        "2e154, ''",
    })
    void shouldRefuseAnUpdateAndChangeNothingWhereTheWeightsWouldOverflow(double weight, String x) {
        Perceptron learner = perceptron(Map.of());
        learn(learner, 1, 1, 2, 3);

        shouldRefuseAnUpdateAndChangeNothing(learner, weight, x);
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "true, ''"})
    void shouldRefuseAnUpdateAndChangeNothingWhereTheSumOfTheAverageWouldOverflow(String bias, String x) {
        Perceptron learner = perceptron(Map.of("bias", bias));
        // C = 1e200
        learner.restore(new LearnerState(List.of(0.0, 0.0, 1e200, 0.0, 0.0, 0.0, 0.0), List.of()));

        shouldRefuseAnUpdateAndChangeNothing(learner, 1e120, x);
    }

    private void shouldRefuseAnUpdateAndChangeNothing(Perceptron learner, double weight, String x) {
        learner.blocks().get(0).drainChanged((number, block) -> {});
        List<Object> before = Bits.of(learner);
        double[] values = x.isEmpty()
                ? new double[0]
                : Stream.of(x.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();

        assertThat(rejection(learner, Label.MINUS_ONE, weight, values).reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);

        assertThat(Bits.of(learner)).isEqualTo(before);
        learner.blocks().get(0).drainChanged((number, block) -> fail("block " + number + " was changed"));
    }

    @Test
    void shouldRejectAnUpdateThatNeedsMoreBlocksThanAllowed() {
        Perceptron learner = perceptron(Map.of("blocks.max", "2"));
        learnAt(learner, 0, 200);
        List<Object> before = Bits.of(learner);

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learnAt(learner, 1, 1000));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("blocks.max = 2");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learnAt(learner, 1, 201);
        assertThat(outcome.isUpdated()).isTrue();
    }

    @Test
    void shouldLearnOnInTheBlocksItHasAfterBlocksMaxWasLowered() {
        Perceptron learner = perceptron(Map.of());
        learnAt(learner, 0, 200);
        learner.configure(Settings.DEFAULTS.with(Map.of("blocks.max", "1")));

        learnAt(learner, 1, 201);

        assertThat(outcome.isUpdated()).isTrue();
    }

    /** A mistake that touches two indices, of which the second must be the larger one. */
    private void learnAt(Perceptron learner, int one, int other) {
        Sample sample = Sample.sparse(-1, new int[] {one, other}, new double[] {1, 1});
        learner.predict(sample.vector(), outcome);
        Label wrong = outcome.predicted().equals(Label.PLUS_ONE) ? Label.MINUS_ONE : Label.PLUS_ONE;
        learner.learn(sample.vector(), wrong, 1, outcome);
    }

    private RejectedException rejection(Perceptron learner, Label y, double weight, double... values) {
        return catchThrowableOfType(
                RejectedException.class,
                () -> learner.learn(Sample.dense(1, values).vector(), y, weight, outcome));
    }

    private void learn(Perceptron learner, int y, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), 1, outcome);
    }

    private static Perceptron perceptron(Map<String, String> settings) {
        return new Perceptron(Settings.DEFAULTS.with(settings));
    }
}
