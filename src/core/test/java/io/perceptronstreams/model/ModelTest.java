package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.UsedHeap;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ModelTest {
    private final Model model = new Model();

    @Test
    void shouldScoreAnExampleWithTheWeightsFromBeforeItsOwnUpdate() {
        Outcome outcome = process(Sample.dense(-1, 2));

        assertThat(outcome.score()).isZero();
        assertThat(outcome.isUpdated()).isTrue();
        assertThat(process(Sample.dense(-1, 2)).score()).isEqualTo(-5);
    }

    @Test
    void shouldPredictAndCountButNotLearnWithoutALabel() {
        process(Sample.dense(1, 2));
        List<Object> before = Bits.of(model.pipeline().learner());

        Outcome outcome = predict(Sample.dense(1, 3));

        assertThat(outcome.score()).isEqualTo(7);
        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isError()).isFalse();
        assertThat(model.counts().totals().examples()).isEqualTo(2);
        assertThat(model.counts().totals().labelled()).isEqualTo(1);
        assertThat(Bits.of(model.pipeline().learner())).isEqualTo(before);
    }

    @Test
    void shouldNameTheVectorsThatItHas() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.pipeline().vector(7))
                .withMessage("a model with algorithm=auto must have vectors below 0, got 7");
    }

    // A model without features was counted with 1.4 KB and took 1.9 KB: many of them filled the heap below the limit.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "h=0",
                "algorithm=pa",
                "explain=5",
                "drift=adwin",
                "kernel=poly(c=1,k=2)",
                "auc.window=1000",
                "calibrate=platt"
            })
    void shouldEstimateItsHeapNotFarFromWhatItTakes(String setting) {
        String[] parts = setting.split("=", 2);
        Model[] models = new Model[10_000];
        long estimated = 0;
        for (int k = 0; k < models.length; k++) {
            models[k] = new Model();
            models[k].configure(Map.of(parts[0], parts[1]));
            models[k].process(Sample.dense(1, 0.5, 2).example(), 0);
            estimated += models[k].heapBytes();
        }
        long with = UsedHeap.bytes();
        Arrays.fill(models, null);
        long taken = with - UsedHeap.bytes();

        // a store keeps some 300 bytes more for each
        assertThat((double) estimated / taken)
                .as("estimated %s, taken %s by %s models", estimated, taken, models.length)
                .isBetween(0.9, 1.25);
    }

    // Names of classes and their map were not counted: 2 to 3 MB for 10,000 of them.
    @Test
    void shouldCountTheNamesOfClassesInItsHeap() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "classes.max", "10000"));
        long before = model.heapBytes();
        StringBuilder classes = new StringBuilder("c");
        for (int k = 1; k < 1000; k++) {
            classes.append(",class").append(k);
        }
        model.configure(Map.of("classes", classes.toString()));

        assertThat(model.heapBytes() - before).isBetween(200_000L, 300_000L);
    }

    @Test
    void shouldCountErrorsMistakesMarginMistakesUpdatesAndHingeLoss() {
        model.configure(Map.of("h", "2", "bias", "false"));
        // score 0: a mistake, but +1 is right, hinge loss 2; then score 1: within the margin, loss 1, w = 2
        process(Sample.dense(1, 1));
        process(Sample.dense(1, 1));
        // score 2, right with enough margin; then score 2 for -1: a mistake and an error, loss 4
        process(Sample.dense(1, 1));
        process(Sample.dense(-1, 1));

        Counts totals = model.counts().totals();
        // last of all: both baselines are wrong about the first label and the last
        assertThat(totals.examples()).isEqualTo(4);
        assertThat(totals.labelled()).isEqualTo(4);
        assertThat(totals.errors()).isEqualTo(1);
        assertThat(totals.mistakes()).isEqualTo(2);
        assertThat(totals.marginMistakes()).isEqualTo(1);
        assertThat(totals.updates()).isEqualTo(3);
        ClassMetrics metrics = model.counts().metrics();
        assertThat(metrics.majorityErrors()).isEqualTo(2);
        assertThat(metrics.sameErrors()).isEqualTo(2);
        assertThat(totals.hingeLoss()).isEqualTo(7);
        assertThat(Bits.of(model.counts().window().counts())).isEqualTo(Bits.of(totals));
        assertThat(model.current().version()).isEqualTo(3);
    }

    @Test
    void shouldScaleToUnitNormBeforeAnythingElse() {
        model.configure(Map.of("scale", "unit-norm", "bias", "false"));

        process(Sample.dense(-1, 30, 40));

        assertThat(WeightSummary.ofWeights(model.pipeline().learner()).features())
                .isEqualTo(Map.of(0, -0.6, 1, -0.8));
        assertThat(model.pipeline().learner().radius()).isEqualTo(1);
    }

    @Test
    void shouldScaleToUnitNormTogetherWithTheBias() {
        model.configure(Map.of("scale", "unit-norm-bias"));

        // |(2, 4, 2, 1)| = 5
        process(Sample.dense(-1, 2, 4, 2));

        WeightSummary weights = WeightSummary.ofWeights(model.pipeline().learner());
        assertThat(weights.features()).isEqualTo(Map.of(0, -0.4, 1, -0.8, 2, -0.4));
        assertThat(weights.bias()).isEqualTo(-0.2);
        assertThat(model.pipeline().learner().radius()).isEqualTo(1);
    }

    @Test
    void shouldScaleWithoutTheBiasThatAModelDoesNotHave() {
        model.configure(Map.of("scale", "unit-norm-bias", "bias", "false"));

        process(Sample.dense(-1, 30, 40));

        assertThat(WeightSummary.ofWeights(model.pipeline().learner()).features())
                .isEqualTo(Map.of(0, -0.6, 1, -0.8));
    }

    @Test
    void shouldStandardizeWithStatisticsThatIncludeUnlabelledExamples() {
        model.configure(Map.of("scale", "standard", "bias", "false"));
        predict(Sample.dense(1, 2));

        // 2 and 6: mean 4, deviation 2
        process(Sample.dense(-1, 6));

        assertThat(WeightSummary.ofWeights(model.pipeline().learner()).features())
                .isEqualTo(Map.of(0, -1.0));
    }

    @Test
    void shouldPredictNothingBeforeALabelDecidesTheLearner() {
        Example example = Sample.dense(1, 1).example();
        example.setLabel(null);

        assertThat(model.process(example, 0).predicted()).isNull();
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);

        process(Sample.dense(-1, 1));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
    }

    @Test
    void shouldStayUndecidedWhenTheFirstLabelIsRefused() {
        Example example = Sample.dense(1, 1).example();
        example.setLabel(Label.of(7));

        assertThatThrownBy(() -> model.process(example, 0)).isInstanceOf(RejectedException.class);
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "unit-norm", "unit-norm-bias", "standard"})
    void shouldLeaveNoTraceOfARejectedExample(String scale) {
        model.configure(Map.of("scale", scale, "window.ms", "10"));
        process(Sample.dense(1, 1, 2));
        process(Sample.dense(-1, 2, 1));
        List<Object> before = everything(model);
        Observed observed = Observed.of(model);

        // far later, so that it would close the window
        assertThatThrownBy(() -> model.process(Sample.dense(1, 1e200, 3).example(), 1000))
                .isInstanceOf(RejectedException.class);
        Example wrongLabel = Sample.dense(1, 5, 3).example();
        wrongLabel.setLabel(Label.of(7));
        assertThatThrownBy(() -> model.process(wrongLabel, 1000)).isInstanceOf(RejectedException.class);

        assertThat(everything(model)).isEqualTo(before);
        assertThat(model.state()).isEqualTo(ModelState.LIVE);
        assertThat(observed.closed()).isNull();
    }

    @Test
    void shouldRejectAnExampleThatNeedsMoreBlocksThanAllowed() {
        model.configure(Map.of("blocks.max", "1"));
        process(Sample.dense(1, 1));
        List<Object> before = everything(model);

        assertThat(rejection(Sample.sparse(-1, new int[] {0, 500}, new double[] {1, 1}))
                        .reason())
                .isEqualTo(RejectReason.MODEL_FULL);
        assertThat(everything(model)).isEqualTo(before);
    }

    // The number of examples is stored in a block of its own.
    @Test
    void shouldHaveRoomForTheStatisticsOfAllBlocks() {
        model.configure(Map.of("scale", "standard", "blocks.max", "1"));

        process(Sample.dense(1, 1, 2).example(), Label.of(1));
        process(Sample.dense(1, 2, 1).example(), Label.of(1));

        assertThat(model.counts().totals().examples()).isEqualTo(2);
        RejectedException rejection = catchThrowableOfType(
                RejectedException.class,
                () -> process(
                        Sample.sparse(1, new int[] {200}, new double[] {1}).example(), Label.of(1)));
        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
    }

    // Unlabelled examples change no weight, and once could allocate statistics without end.
    @ParameterizedTest
    @CsvSource({
        // label, whether it is an int; labels; classes
        "1, true, '', '', PERCEPTRON",
        "red, false, '', '', MULTICLASS",
        "1, false, '', '', MULTICLASS",
        "spam, false, 'ham,spam', '', PERCEPTRON",
        "2, true, '', '1,2,3', MULTICLASS",
    })
    void shouldLetTheFirstLabelDecideTheLearner(
            String label, boolean isInt, String labels, String classes, Algorithm expected) {
        model.configure(Map.of("labels", labels, "classes", classes));

        process(Sample.dense(1, 1).example(), isInt ? Label.of(Integer.parseInt(label)) : new Label.ClassName(label));

        assertThat(model.pipeline().algorithm()).isEqualTo(expected);
        assertThat(model.pipeline().settings().get(Settings.ALGORITHM)).isEqualTo(Algorithm.AUTO);
    }

    @Test
    void shouldNotMakeAModelOfSeveralClassesOfALabelThatIsNotOneOfTwo() {
        model.configure(Map.of("labels", "ham,spam"));

        assertThatThrownBy(() -> process(Sample.dense(1, 1).example(), new Label.ClassName("eggs")))
                .isInstanceOf(RejectedException.class)
                .hasMessage("label must be one of [ham, spam], got the string 'eggs' (for other labels set"
                        + " algorithm=multiclass labels=)");
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
    }

    @Test
    void shouldTakeIntsForNamesWhereItIsSetToSeveralClasses() {
        model.configure(Map.of("algorithm", "multiclass"));
        process(Sample.dense(1, 1).example(), Label.of(3));

        assertThat(predict(Sample.dense(1, 1)).predicted()).isEqualTo(new Label.ClassName("3"));
    }

    @Test
    void shouldForgetTheScoresOfALearnerThatIsGone() {
        model.configure(Map.of("algorithm", "multiclass", "predict.scores", "true"));
        process(Sample.dense(1, 1));
        assertThat(process(Sample.dense(1, 1)).scoreCount()).isEqualTo(1);

        model.reset(Map.of());
        model.configure(Map.of("algorithm", "perceptron", "predict.scores", "false"));

        assertThat(process(Sample.dense(1, 1)).scoreCount()).isZero();
    }

    @Test
    void shouldBoundTheStatisticsByBlocksMaxToo() {
        model.configure(Map.of("scale", "standard", "blocks.max", "1"));
        predict(Sample.sparse(1, new int[] {0, 1}, new double[] {1, 0}));
        List<Object> before = everything(model);

        Example far = Sample.sparse(1, new int[] {500}, new double[] {0}).example();
        far.setLabel(null);
        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> model.process(far, 0));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(everything(model)).isEqualTo(before);
        predict(Sample.sparse(1, new int[] {127}, new double[] {1}));
    }

    private Outcome process(Sample sample) {
        return model.process(sample.example(), 0);
    }

    private void process(Example example, Label label) {
        example.setLabel(label);
        model.process(example, 0);
    }

    private Outcome predict(Sample sample) {
        Example example = sample.example();
        example.setLabel(null);
        return model.process(example, 0);
    }

    private RejectedException rejection(Sample sample) {
        return catchThrowableOfType(RejectedException.class, () -> process(sample));
    }

    static List<Object> statistics(Model model) {
        return Bits.of((BlockVector) model.pipeline().vector(Pipeline.STATISTICS));
    }

    static List<Object> everything(Model model) {
        return List.of(
                Bits.of(model.pipeline().learner()),
                statistics(model),
                Bits.of(model.counts().totals()),
                Bits.of(model.counts().window().counts()),
                model.counts().window().start(),
                model.current().epoch(),
                model.pipeline().settings());
    }
}
