package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ints are the labels of a two-class model: -1 and +1, or 0 and 1. */
final class ModelLabelsTest {
    private final Model model = new Model();

    // 0 was a dead letter: a model that was sent 0/1 learned from the 1s only, without a mistake
    @ParameterizedTest
    @ValueSource(
            strings = {
                "auto",
                "perceptron",
                "kernel",
                "pa",
                "pa-i",
                "pa-ii",
                "arow",
                "alma",
                "romma",
                "pdm",
                "sgd",
                "scw"
            })
    void shouldLearnFrom0And1AsFromMinus1And1(String algorithm) {
        Model other = new Model();
        model.configure(Map.of("algorithm", algorithm));
        other.configure(Map.of("algorithm", algorithm));

        for (Sample sample : RandomStreams.noisy(new Random(5), 300, 50, 8)) {
            Outcome expected = process(other, sample, sample.y);
            Outcome outcome = process(model, sample, sample.y < 0 ? 0 : 1);

            assertThat(outcome.isError()).isEqualTo(expected.isError());
            assertThat(outcome.kind()).isEqualTo(expected.kind());
            assertThat(outcome.score()).isEqualTo(expected.score());
        }

        assertThat(Bits.of(model.pipeline().learner()))
                .isEqualTo(Bits.of(other.pipeline().learner()));
        assertThat(Bits.of(model.counts().totals()))
                .isEqualTo(Bits.of(other.counts().totals()));
        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto:0");
        assertThat(other.pipeline().shown()).containsEntry("negative.label", "auto:-1");
    }

    @Test
    void shouldPredict0From0On() {
        process(1);
        process(1);
        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto");

        // score > 0: a mistake, after which the score is 0 and then negative
        assertThat(process(0).predicted()).isEqualTo(Label.PLUS_ONE);
        process(0);
        assertThat(process(0).predicted()).isEqualTo(Label.ZERO);
        assertThat(process(0).isError()).isFalse();
        assertThat(predict().predicted()).isEqualTo(Label.ZERO);
    }

    @Test
    void shouldPredict0InTheExampleWhoseLabelDecides() {
        model.configure(Map.of("bias", "false"));
        process(model, Sample.dense(1, 1), 1);

        Outcome outcome = process(model, Sample.dense(1, -1), 0);

        assertThat(outcome.predicted()).isEqualTo(Label.ZERO);
        assertThat(outcome.isError()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, -1, 0 or 1, negative.label=-1", "-1, 0, -1 or +1, negative.label=0"})
    void shouldRefuseToMixBothKinds(int first, int other, String rule, String remedy) {
        process(1);
        process(first);

        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> process(other))
                .withMessageContainingAll(rule + " in this model, got " + other, "must not mix", remedy)
                .matches(e -> e.reason() == RejectReason.INVALID_LABEL);
        process(1);
        process(first);
        assertThat(model.counts().totals().labelled()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "perceptron"})
    void shouldNotBeDecidedByALabelThatIsRefused(String algorithm) {
        model.configure(Map.of("algorithm", algorithm));
        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> process(model, Sample.dense(1, 1e200), 0))
                .matches(e -> e.reason() == RejectReason.SCORE_OVERFLOW);

        process(-1);

        assertThat(predict().predicted()).isEqualTo(Label.MINUS_ONE);
    }

    @Test
    void shouldBeDecidedByALabelThatIsOnlyCompared() {
        model.configure(Map.of("algorithm", "perceptron"));
        model.freeze(true);
        process(0);
        model.freeze(false);

        assertThatExceptionOfType(RejectedException.class).isThrownBy(() -> process(-1));
    }

    @Test
    void shouldBeUndecidedAfterAResetButKeepWhatWasSet() {
        process(0);
        model.reset(Map.of());
        process(-1);
        assertThat(predict().predicted()).isEqualTo(Label.MINUS_ONE);

        model.reset(Map.of());
        model.configure(Map.of("negative.label", "0"));
        model.reset(Map.of());
        assertThatExceptionOfType(RejectedException.class).isThrownBy(() -> process(-1));
        process(0);
        assertThat(predict().predicted()).isEqualTo(Label.ZERO);
    }

    /** Otherwise a stream of 0/1 would see predictions of -1 after the drift, until the next 0. */
    @ParameterizedTest
    @CsvSource({"0, auto:0", "-1, auto:-1"})
    void shouldKeepItsLabelsWhenADriftResetsIt(int other, String kept) {
        resetByDrift(other);

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
        assertThat(model.pipeline().shown()).containsEntry("negative.label", kept);
    }

    /** A stray 0 made it a model of 0 and 1, and every later -1 was a dead letter. */
    @Test
    void shouldRefuseA0AfterADriftToo() {
        resetByDrift(-1);
        Model restored = new Model();
        restored.restore(
                EpochModel.restored(
                        model.current().epoch(),
                        Settings.DEFAULTS.with(model.pipeline().given().toMap()),
                        model.pipeline().negative(),
                        model.pipeline().algorithm(),
                        model.pipeline().learner().state()),
                model.state());

        for (Model each : List.of(model, restored)) {
            assertThatExceptionOfType(RejectedException.class)
                    .isThrownBy(() -> process(each, Sample.dense(1, 1), 0))
                    .matches(e -> e.reason() == RejectReason.INVALID_LABEL);
            process(each, Sample.dense(1, 1), -1);
            assertThat(each.pipeline().shown()).containsEntry("negative.label", "auto:-1");
        }

        model.reset(Map.of());
        process(0);
        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto:0");
    }

    @Test
    void shouldDecideNothingForNamesWhenADriftResetsIt() {
        model.configure(Map.of("labels", "false,true"));

        resetByDrift(0);

        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto");
    }

    /** Learns 1 and another label until there is a drift. */
    private void resetByDrift(int other) {
        model.configure(Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "reset"));
        for (int k = 0; k < 1000 && model.current().epoch() == 0; k++) {
            boolean isOne = k < 200 ? k % 2 == 1 : k % 2 == 0;
            process(model, Sample.dense(1, k % 2 == 0 ? 1 : -1), isOne ? 1 : other);
        }
        assertThat(model.current().epoch()).isEqualTo(1);
    }

    @Test
    void shouldTakeSettingsThatAreSetLater() {
        process(1);
        process(0);
        model.configure(Map.of("labels", "false,true"));
        assertThat(predict().predicted()).isInstanceOf(Label.ClassName.class);

        model.configure(Map.of("labels", "", "negative.label", "-1"));
        process(-1);
    }

    /** labels=ham,spam was accepted, and every later example was a dead letter. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0, 1 | ham,spam | 0 and 1",
                "0, 1 | 1,0      | 0 and 1",
                "-1,1 | 0,1      | -1 and 1",
                "1    | 1,2      | 1",
                "0    | 1,2      | 0"
            })
    void shouldRefuseNamesThatDoNotSpellTheLearnedInts(String learned, String labels, String named) {
        process(1);
        model.reset(Map.of());
        for (String label : learned.split(", *", -1)) {
            process(Integer.parseInt(label));
        }

        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.configure(Map.of("labels", labels)))
                .withMessage("labels must spell the labels that the model has learned, " + named
                        + ", those up to 0 first, got " + labels
                        + " (to discard what it has learned, reset with labels=" + labels + ")");

        model.reset(Map.of("labels", labels));
        assertThat(model.pipeline().settings().get(Settings.LABELS)).isEqualTo(List.of(labels.split(",", -1)));
    }

    /** A model that had learned 1s and refused 2s was told labels=A,B. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1    | 2  | '' | -1, 0 or 1, got 2 (if the labels are 1 and 2, reset with labels=1,2; if there are more,"
                        + " reset with algorithm=multiclass)",
                "0    | 2  | '' | 0 or 1, got 2 (if the labels are 0 and 2, reset with labels=0,2; if there are more,"
                        + " reset with algorithm=multiclass)",
                "-1   | -5 | '' | -1 or +1, got -5 (if the labels are -5 and -1, reset with labels=-5,-1; if there are"
                        + " more, reset with algorithm=multiclass)",
                "0, 1 | 2  | '' | 0 or 1, got 2 (for more than two labels reset with algorithm=multiclass)",
                "-1,1 | 0  | '' | -1 or +1 in this model, got 0 (a model must not mix 0/1 and -1/+1; set negative.label=0"
                        + " if 0 is right) (a third label needs algorithm=multiclass from a reset on)",
                "''   | 2  | '' | -1, 0 or 1, got 2 (if the labels are 1 and 2 set labels=1,2; if there are others set"
                        + " algorithm=multiclass)",
                "''   | 3  | '' | -1, 0 or 1, got 3 (for other labels set algorithm=multiclass; for two classes labels=A,B with"
                        + " their names, the negative one first)",
                "0, 1 | 2  | algorithm=pa negative.label=0 | 0 or 1, got 2 (for more than two labels reset with"
                        + " algorithm=multiclass-pa negative.label=auto)",
                "1    | 3  | labels=1,2 predict=voted | one of [1, 2], got 3 (for more than two labels reset with"
                        + " algorithm=multiclass predict=averaged labels=)",
            })
    void shouldNameTheSettingsThatAcceptTheLabel(String learned, int label, String settings, String message) {
        model.configure(settings(settings));
        for (String each : learned.isEmpty() ? List.<String>of() : List.of(learned.split(", *", -1))) {
            process(Integer.parseInt(each));
        }

        RejectedException refusal = catchThrowableOfType(RejectedException.class, () -> process(label));

        assertThat(refusal.reason()).isEqualTo(RejectReason.INVALID_LABEL);
        assertThat(refusal).hasMessage("label must be " + (message.startsWith("one") ? "" : "the int ") + message);
        // each of the changes, applied as it stands
        Matcher change = Pattern.compile("(reset with|(?:are 1 and 2|others|for other labels) set) ([^;)]+)")
                .matcher(message);
        for (int count = 0; change.find(); count++) {
            if (change.group(1).startsWith("reset")) {
                model.reset(settings(change.group(2)));
            } else {
                model.configure(settings(change.group(2)));
            }
            process(label);
            for (String each : learned.isEmpty() ? List.<String>of() : List.of(learned.split(", *", -1))) {
                process(Integer.parseInt(each));
            }
            model.reset(Map.of("algorithm", "auto", "labels", ""));
            assertThat(count).isLessThan(2);
        }
    }

    /** Labels yes and no of a learner of two classes: the only remedy named was another learner. */
    @Test
    void shouldNameTheWayToNameTwoClasses() {
        model.configure(Map.of("algorithm", "sgd"));
        Example example = Sample.dense(1, 1).example();
        example.setLabel(new Label.ClassName("yes"));

        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> model.process(example, 0))
                .withMessage("label must be the int -1, 0 or 1, got the string 'yes' (for other labels set"
                        + " algorithm=softmax; for two classes labels=A,B with their names, the negative one"
                        + " first)");

        model.configure(Map.of("labels", "no,yes"));
        assertThat(model.process(example, 0).isUpdated()).isTrue();
    }

    private static Map<String, String> settings(String changes) {
        Map<String, String> settings = new TreeMap<>();
        for (String each :
                changes.isBlank() ? List.<String>of() : List.of(changes.trim().split(" ", -1))) {
            settings.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return settings;
    }

    @Test
    void shouldKeepEverythingWhereTheSettingsOfAResetAreRefused() {
        process(1);
        process(0);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.reset(Map.of("algorithm", "multiclass", "labels", "a,b")))
                .withMessageContaining("labels= empties it");

        assertThat(model.counts().totals().labelled()).isEqualTo(2);
        assertThat(model.current().epoch()).isZero();
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
    }

    /** 1 was compared with the name of its class as a string. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void shouldCompareAnIntThatWasEmittedBeforeThereWereNames(String truth, boolean isError) {
        process(1);
        Example example = Sample.dense(1, 1).example();
        example.setLabel(null);
        assertThat(model.process(example, 0).predicted()).isEqualTo(Label.PLUS_ONE);
        Waiting then = model.current()
                .waiting(
                        example,
                        null,
                        new InputRecord(null, 0, 0, 0, false),
                        model.current().version(),
                        List.of());
        model.configure(Map.of("labels", "false,true"));

        Example late = Sample.dense(1, 1).example();
        late.setLabel(new Label.ClassName(truth));

        assertThat(model.use(late, 0, then, null).isError()).isEqualTo(isError);
        assertThat(model.counts().confusion().errors()).isEqualTo(isError ? 1 : 0);
        int row = isError ? 0 : 1;
        assertThat(model.counts().confusion().count(row, 1)).isPositive();
    }

    @Test
    void shouldTake0And1ForFalseAndTrueInAnyCase() {
        model.configure(Map.of("labels", "False,True"));
        process(0);
        process(0);

        assertThat(predict().predicted()).isEqualTo(new Label.ClassName("False"));
    }

    @Test
    void shouldLeaveOtherModelsAlone() {
        model.configure(Map.of("algorithm", "multiclass"));
        process(0);
        process(1);
        process(-1);

        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto");
    }

    @Test
    void shouldCountALateLabelInItsWindowWithoutANewExample() {
        Example example = Sample.dense(1, 1).example();
        example.setLabel(null);
        model.process(example, 0);
        Waiting then = model.current()
                .waiting(
                        example,
                        null,
                        new InputRecord(null, 0, 0, 0, false),
                        model.current().version(),
                        List.of());
        Example late = Sample.dense(1, 1).example();
        late.setLabel(Label.MINUS_ONE);
        model.use(late, 0, then, null);
        model.counts().add(Counts.Counter.DUPLICATES, 0, ModelListener.NONE);

        for (Counts counts :
                List.of(model.counts().totals(), model.counts().window().counts())) {
            assertThat(counts.examples()).isEqualTo(1);
            assertThat(counts.labelled()).isEqualTo(1);
            assertThat(counts.mistakes()).isEqualTo(1);
            assertThat(counts.updates()).isEqualTo(1);
            assertThat(counts.of(Counts.Counter.DUPLICATES)).isEqualTo(1);
        }
    }

    private Outcome process(int label) {
        return process(model, Sample.dense(1, 1), label);
    }

    private static Outcome process(Model model, Sample sample, int label) {
        Example example = sample.example();
        example.setLabel(Label.of(label));
        return model.process(example, 0);
    }

    private Outcome predict() {
        Example example = Sample.dense(1, 1).example();
        example.setLabel(null);
        return model.process(example, 0);
    }

    /** The remedy was "labels= empties it", which does not help. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "multiclass-pa"})
    void shouldNameTheResetThatNamesTheClassesOfAModelWithTextLabels(String algorithm) {
        model.configure(Map.of("algorithm", algorithm));
        model.process(labelled("yes"), 0);
        model.process(labelled("no"), 0);
        IllegalArgumentException e =
                catchThrowableOfType(IllegalArgumentException.class, () -> model.configure(Map.of("labels", "no,yes")));
        Matcher remedy = Pattern.compile(
                        "labels must be empty with algorithm=multiclass(-pa)? once a model has seen labels,"
                                + " got no,yes \\(to discard what it has learned, reset with (algorithm=auto) (labels=no,yes)\\)")
                .matcher(e.getMessage());
        assertThat(remedy.matches()).as(e.getMessage()).isTrue();

        model.reset(Map.of(
                "algorithm",
                remedy.group(2).split("=", 2)[1],
                "labels",
                remedy.group(3).split("=", 2)[1]));
        assertThat(model.process(labelled("yes"), 0).isError()).isFalse();
        assertThat(model.process(labelled("no"), 0).predicted()).isEqualTo(Label.parse("yes"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
    }

    private static Example labelled(String label) {
        Example example = Sample.dense(1, 1).example();
        example.setLabel(Label.parse(label));
        return example;
    }
}
