package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MulticlassPerceptronTest {
    private final Outcome outcome = new Outcome();

    /** Three classes by hand: {@code class x1 x2 | prediction kind | scores}, twice the same six examples, without bias. */
    private static final String AS_SEEN = """
            0 1 0 | null MISTAKE |
            1 0 1 | 0 MISTAKE | 0
            2 -1 -1 | 0 MISTAKE | 0 -1
            0 2 1 | 0 CORRECT | 4 1 -3
            1 -1 2 | 1 CORRECT | -2 2 -1
            2 1 -2 | 0 MISTAKE | 2 -2 1
            0 1 0 | 0 CORRECT | 1 0 0
            1 0 1 | 0 MISTAKE | 2 1 -3
            2 -1 -1 | 2 CORRECT | -2 -2 3
            0 2 1 | 0 CORRECT | 3 2 -3
            1 -1 2 | 1 CORRECT | 1 4 -6
            2 1 -2 | 2 CORRECT | -1 -4 6
            """;

    /** The same with h = 2: from the seventh on, where class 0 leads by 1 only. */
    private static final String MARGIN = """
            0 1 0 | null MISTAKE |
            1 0 1 | 0 MISTAKE | 0
            2 -1 -1 | 0 MISTAKE | 0 -1
            0 2 1 | 0 CORRECT | 4 1 -3
            1 -1 2 | 1 CORRECT | -2 2 -1
            2 1 -2 | 0 MISTAKE | 2 -2 1
            0 1 0 | 0 MARGIN_MISTAKE | 1 0 0
            1 0 1 | 0 MISTAKE | 2 1 -3
            2 -1 -1 | 2 CORRECT | -3 -1 3
            0 2 1 | 0 CORRECT | 5 0 -3
            1 -1 2 | 1 CORRECT | 0 5 -6
            2 1 -2 | 2 CORRECT | 0 -5 6
            """;

    /** The same with all classes known from the start: a tie of class 0 is right at once. */
    private static final String FIXED = """
            0 1 0 | 0 CORRECT | 0 0 0
            1 0 1 | 0 MISTAKE | 0 0 0
            2 -1 -1 | 0 MISTAKE | 1 -1 0
            0 2 1 | 0 CORRECT | 2 1 -3
            1 -1 2 | 1 CORRECT | -1 2 -1
            2 1 -2 | 0 MISTAKE | 1 -2 1
            0 1 0 | 0 CORRECT | 0 0 0
            1 0 1 | 0 MISTAKE | 2 1 -3
            2 -1 -1 | 2 CORRECT | -1 -2 3
            0 2 1 | 1 MISTAKE | 1 2 -3
            1 -1 2 | 1 CORRECT | 2 4 -6
            2 1 -2 | 2 CORRECT | -2 -4 6
            """;

    @Test
    void shouldGoThroughThreeClassesAsByHand() {
        shouldGoAs(AS_SEEN, Map.of());
        shouldGoAs(MARGIN, Map.of("h", "2"));
        shouldGoAs(FIXED, Map.of("classes", "0,1,2"));
    }

    private void shouldGoAs(String trace, Map<String, String> settings) {
        MulticlassPerceptron learner = multiclass(settings);
        learner.configure(Settings.DEFAULTS.with(settings).with(Map.of("bias", "false", "predict.scores", "true")));
        List<String> found = new ArrayList<>();
        for (String line : trace.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            if (fields.length > 3) {
                learn(learner, fields[0], Double.parseDouble(fields[1]), Double.parseDouble(fields[2]));
                StringBuilder scores = new StringBuilder();
                for (int k = 0; k < outcome.scoreCount(); k++) {
                    assertThat(outcome.scoredLabel(k).toString()).isEqualTo("" + k);
                    scores.append(' ').append((int) outcome.score(k));
                }
                found.add(String.join(" ", fields[0], fields[1], fields[2], "|") + ' ' + outcome.predicted() + ' '
                        + outcome.kind() + " |" + scores);
                assertThat(outcome.isUpdated()).isEqualTo(outcome.kind() != Outcome.Kind.CORRECT);
            }
        }
        assertThat(String.join("\n", found) + "\n").isEqualTo(trace);
    }

    @Test
    void shouldShowWeightsAndMeansClassByClass() {
        MulticlassPerceptron learner = multiclass(Map.of());
        shouldShow(learner, "");
        learn(learner, "red", 1, 2);
        shouldShow(learner, "red 1.0/1.0 0:1.0/1.0 1:2.0/2.0");
        learn(learner, "blue", 1, 0);
        // red was (1, 2), bias 1, once and (0, 2), bias 0, once
        shouldShow(learner, "red 0.0/0.5 0:0.0/0.5 1:2.0/2.0; blue 1.0/0.5 0:1.0/0.5");
    }

    private static void shouldShow(MulticlassPerceptron learner, String expected) {
        List<StringBuilder> shown = new ArrayList<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                shown.add(new StringBuilder(name + ' ' + bias + '/' + averagedBias));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                shown.get(shown.size() - 1).append(" " + index + ':' + weight + '/' + averaged);
            }
        });
        assertThat(shown.stream().map(StringBuilder::toString).collect(Collectors.joining("; ")))
                .isEqualTo(expected);
    }

    @Test
    void shouldPredictNothingWhileNoClassIsKnown() {
        MulticlassPerceptron learner = multiclass(Map.of("predict.scores", "true"));

        learner.predict(vector(3), outcome);

        assertThat(outcome.predicted()).isNull();
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.scoreCount()).isZero();
        learner.evaluate(vector(3), new Label.ClassName("red"), outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isError()).isTrue();
        assertThat(outcome.hingeLoss()).isZero();
        assertThat(learner.state().names()).isEmpty();
    }

    @Test
    void shouldGiveTiesToTheClassThatWasSeenFirst() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false"));
        learn(learner, "zebra", 1, 0);
        learn(learner, "ant", 0, 1);
        learner.predict(vector(0, 0, 1), outcome);

        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("zebra"));
    }

    @Test
    void shouldSubtractFromTheFirstSeenOfTheBestOthers() {
        MulticlassPerceptron learner = multiclass(Map.of("h", "1", "classes", "a,b,c", "bias", "false"));

        // all scores are 0: c is a mistake with a, the first
        learn(learner, "c", 1);
        shouldShow(learner, "a 0.0/0.0 0:-1.0/-1.0; b 0.0/0.0; c 0.0/0.0 0:1.0/1.0");
        // a wins the tie at an untouched feature, but leads by 0 only: a margin mistake with b, the first of the others
        learn(learner, "a", 0, 1);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(learner.state().numbers().get(1)).isEqualTo(4);
        learner.predict(vector(0, 1), outcome);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("a"));
        learn(learner, "a", 0, 1);
        assertThat(outcome.margin()).isEqualTo(1);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
    }

    @ParameterizedTest
    @CsvSource({
        // lead over the best other class, h, inclusive
        "2, 0, false, CORRECT, 0",
        "2, 2, false, CORRECT, 0",
        "2, 2, true, MARGIN_MISTAKE, 0",
        "2, 3, false, MARGIN_MISTAKE, 1",
        "0, 0, false, CORRECT, 0",
        "0, 0, true, MARGIN_MISTAKE, 0",
        "0, 1, false, MARGIN_MISTAKE, 1",
        "-2, 1, false, MISTAKE, 3",
        "-2, 0, false, MISTAKE, 2",
    })
    void shouldTellMistakesFromMarginMistakesByTheLead(
            double lead, String h, String inclusive, Outcome.Kind kind, double hingeLoss) {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false", "classes", "a,b"));
        learn(learner, "b", -0.5);
        // w of a is 0.5, that of b -0.5
        learner.configure(
                Settings.DEFAULTS.with(Map.of("bias", "false", "classes", "a,b", "h", h, "h.inclusive", inclusive)));

        learn(learner, "a", lead);

        assertThat(outcome.margin()).isEqualTo(lead);
        assertThat(outcome.score()).isEqualTo(Math.abs(lead) / 2);
        assertThat(outcome.kind()).isEqualTo(kind);
        assertThat(outcome.hingeLoss()).isEqualTo(hingeLoss);
    }

    @Test
    void shouldHaveNoMarginWhileOneClassIsKnown() {
        MulticlassPerceptron learner = multiclass(Map.of("h", "100"));
        learn(learner, "red", 1);

        learn(learner, "red", 1);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.margin()).isZero();
        assertThat(outcome.hingeLoss()).isZero();
    }

    @Test
    void shouldCallANewClassAMistakeWhateverTheScores() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false", "h", "1"));
        learn(learner, "red", 1);

        learner.evaluate(vector(-2), new Label.ClassName("blue"), outcome);

        // 0 - -2
        assertThat(outcome.margin()).isEqualTo(2);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(learner.state().names()).containsExactly("red");
        learn(learner, "blue", -2);
        shouldShow(learner, "red 0.0/0.0 0:3.0/2.0; blue 0.0/0.0 0:-2.0/-1.0");
    }

    @Test
    void shouldScaleTheUpdateByStepAndWeight() {
        MulticlassPerceptron learner = multiclass(Map.of("eta", "0.5", "classes", "a,b"));

        learner.learn(vector(3, -4), new Label.ClassName("b"), 8, outcome);

        shouldShow(learner, "a -4.0/-4.0 0:-12.0/-12.0 1:16.0/16.0; b 4.0/4.0 0:12.0/12.0 1:-16.0/-16.0");
        // 2 (144 + 256 + 16)
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(832));
        assertThat(learner.radius()).isEqualTo(Math.sqrt(26));
    }

    @Test
    void shouldTakeIntsForTheNamesTheySpell() {
        MulticlassPerceptron learner = multiclass(Map.of());
        learner.learn(vector(1), Label.of(7), 1, outcome);
        learner.learn(vector(1), new Label.ClassName("07"), 1, outcome);

        learner.evaluate(vector(1), new Label.ClassName("7"), outcome);

        assertThat(learner.state().names()).containsExactly("7", "07");
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("07"));
        learner.learn(vector(1), Label.of(7), 1, outcome);
        learner.predict(vector(1), outcome);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("7"));
        MulticlassPerceptron fixed = multiclass(Map.of("classes", "-1,1"));
        fixed.learn(vector(1), Label.MINUS_ONE, 1, outcome);
        assertThat(outcome.isError()).isFalse();
    }

    @Test
    void shouldPredictWithTheMeansWhereAskedTo() {
        MulticlassPerceptron learner =
                multiclass(Map.of("bias", "false", "predict", "averaged", "predict.scores", "true"));
        learn(learner, "a", 1);
        learn(learner, "a", 1);
        learn(learner, "b", 1.5);

        // a: 1, 1, -0.5; b: 0, 0, 1.5
        learner.predict(vector(2), outcome);

        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("a"));
        assertThat(outcome.predictedScore()).isEqualTo(1);
        assertThat(outcome.score()).isEqualTo(3);
        assertThat(outcome.score(0)).isEqualTo(1);
        assertThat(outcome.score(1)).isEqualTo(1);
        learn(learner, "b", 1);
        // the mistakes are those of w
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isError()).isTrue();
    }

    @Test
    void shouldPredictTheFirstClassBeforeTheFirstSurvival() {
        MulticlassPerceptron learner =
                multiclass(Map.of("predict", "averaged", "survival.start", "0", "classes", "a,b"));
        learn(learner, "b", 1);

        learner.predict(vector(1), outcome);

        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("a"));
        assertThat(outcome.predictedScore()).isZero();
        assertThat(outcome.score()).isEqualTo(2);
    }

    @Test
    void shouldRefuseALabelFloodInsteadOfGrowing() {
        MulticlassPerceptron learner = multiclass(Map.of("classes.max", "3"));
        for (String name : List.of("a", "b", "c")) {
            learn(learner, name, 1);
        }
        List<Object> before = Bits.of(learner);

        RejectedException rejection = rejection(learner, new Label.ClassName("d"), 1);

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection)
                .hasMessage("a model must not have more than classes.max = 3 classes, got one more: the string 'd'"
                        + " (raise classes.max, or name the classes by classes=A,B,…)");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, "a", 1);
    }

    @Test
    void shouldBoundTheBytesOfAllNames() {
        MulticlassPerceptron learner = multiclass(Map.of("classes.max", "10000"));
        int classes = 0;
        RejectedException rejection = null;
        while (rejection == null && classes < 10_000) {
            // 4 digits and 252 times two bytes
            Label y = new Label.ClassName((1000 + classes) + "é".repeat(252));
            rejection = catchThrowableOfType(RejectedException.class, () -> learner.learn(vector(), y, 1, outcome));
            classes += rejection == null ? 1 : 0;
        }

        // 262,144 / 508
        assertThat(classes).isEqualTo(516);
        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("must not have more than 262144 bytes");
        assertThat(learner.state().names()).hasSize(516);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "\u0000", "\u0085"})
    void shouldRefuseNamesThatAreNone(String name) {
        MulticlassPerceptron learner = multiclass(Map.of());

        RejectedException rejection = rejection(learner, new Label.ClassName(name), 1);

        assertThat(rejection.reason()).isEqualTo(RejectReason.INVALID_LABEL);
        assertThat(rejection)
                .hasMessageStartingWith(
                        "a class must have a name of 1 to 256 characters, none of them a control character, got the string '")
                .hasMessageNotContaining("\n");
        assertThat(learner.state().names()).isEmpty();
    }

    @Test
    void shouldRefuseALabelThatIsNoneOfTheGivenClasses() {
        assertThat(rejection(multiclass(Map.of("classes", "red,blue")), new Label.ClassName("green"), 1))
                .hasMessage("label must be one of the model's 2 classes [red, blue], got the string 'green'");
        assertThat(rejection(multiclass(Map.of("classes", "0,1,2,3,4,5,6,7,8,9,a")), Label.of(10), 1))
                .hasMessage("label must be one of the model's 11 classes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], …, got 10");
        assertThat(rejection(multiclass(Map.of()), new Label.Tags(List.of("a")), 1))
                .hasMessage("label must be a string or an int for a model of several classes, got tags [a]");
    }

    @Test
    void shouldRefuseFeaturesThatAreNoVector() {
        assertThatThrownBy(() -> multiclass(Map.of()).predict(new Sequence(), outcome))
                .isInstanceOf(RejectedException.class)
                .hasMessage("features must be dense, sparse or named for a model of several classes, got a Sequence");
    }

    @Test
    void shouldTakeMoreClassesButNoOthers() {
        MulticlassPerceptron learner = multiclass(Map.of());
        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "x,y")));
        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "a,b")));
        assertThat(learner.state().names()).containsExactly("a", "b");
        learn(learner, "b", 1);

        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "a,b,c")));
        assertThatThrownBy(() -> learner.configure(Settings.DEFAULTS.with(Map.of("classes", "b,a,c"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("classes must begin with those that the model has, in their order, the first being"
                        + " [a, b, c] (reset the model first)");
        assertThat(learner.state().names()).containsExactly("a", "b", "c");
        // from now on they come as they are seen
        learner.configure(Settings.DEFAULTS);
        learn(learner, "d", 1);
        assertThat(learner.state().names()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void shouldRefuseSettingsThatItWouldNotHeed() {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("labels", "ham,spam"))
                        .requireUsedBy(Algorithm.MULTICLASS, Settings.DEFAULTS))
                .hasMessage(
                        "labels must be empty with algorithm=multiclass, got 'ham,spam' (used by perceptron, pa, pa-i,"
                                + " pa-ii, arow, alma, kernel)");
        assertThatThrownBy(() -> multiclass(Map.of("classes", "a,b,c", "classes.max", "2")))
                .hasMessage("classes must not be more than classes.max = 2, got 3");
    }

    @Test
    void shouldRejectScoresThatOverflow() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false", "classes", "a,b"));
        learn(learner, "b", 0.9e154);

        assertThat(rejection(learner, new Label.ClassName("b"), 1, 1e155).reason())
                .isEqualTo(RejectReason.SCORE_OVERFLOW);
        // both scores are finite, their difference is not
        assertThat(rejection(learner, new Label.ClassName("b"), 1, 1.2e154).reason())
                .isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    @ParameterizedTest
    @CsvSource({
        // weight · x; a weight's square; the sum of two squares; the square of the bias, x being empty
        "1e308, 10",
        "2e154, 1",
        "1e154, 1",
        "2e154, ''",
    })
    void shouldAskForQuarantineAndChangeNothingWhereTheWeightsWouldOverflow(double weight, String x) {
        MulticlassPerceptron learner = multiclass(Map.of("classes", "a,b"));
        learn(learner, "b", 1, 2);
        learner.blocks().get(0).drainChanged((index, row) -> {});
        List<Object> before = Bits.of(learner);
        FeatureVector vector = x.isEmpty() ? vector() : vector(Double.parseDouble(x));

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class, () -> learner.learn(vector, new Label.ClassName("a"), weight, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_QUARANTINED);
        assertThat(Bits.of(learner)).isEqualTo(before);
        learner.blocks().get(0).drainChanged((index, row) -> assertThat(index).isNull());
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "true, ''"})
    void shouldAskForQuarantineWhereTheSumOfAnAverageWouldOverflow(String bias, String x) {
        MulticlassPerceptron learner = multiclass(Map.of("bias", bias));
        // C = 1e200
        learner.restore(new LearnerState(List.of(1e200, 0.0, 0.0, 0.0, 0.0), List.of()));
        FeatureVector vector = x.isEmpty() ? vector() : vector(Double.parseDouble(x));

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class, () -> learner.learn(vector, new Label.ClassName("a"), 1e120, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_QUARANTINED);
        assertThat(learner.state().names()).isEmpty();
    }

    @Test
    void shouldRejectAnUpdateThatNeedsMoreNumbersThanAllowed() {
        // 256 numbers: 32 rows of 8
        MulticlassPerceptron learner = multiclass(Map.of("blocks.max", "1", "bias", "false", "classes", "a,b"));
        double[] values = new double[32];
        Arrays.fill(values, 1);
        learn(learner, "b", values);
        // a mistake, for a wins ties, but zeros need no row
        learn(learner, "b", new double[33]);
        assertThat(outcome.isUpdated()).isTrue();
        List<Object> before = Bits.of(learner);
        double[] more = new double[33];
        more[32] = 1;

        RejectedException rejection = rejection(learner, new Label.ClassName("b"), 1, more);

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("blocks.max · 256 = 256 numbers");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, "a", values);
        assertThat(outcome.isUpdated()).isTrue();
    }

    @Test
    void shouldKeepEarlierWeightsWhereANewClassMakesRowsLonger() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false"));
        for (int c = 0; c < 40; c++) {
            learn(learner, "class " + c, c, 1000);
            learner.evaluate(vector(c, 1000), new Label.ClassName("class " + c), outcome);
            assertThat(outcome.kind()).as("class %d", c).isEqualTo(Outcome.Kind.CORRECT);
        }
        assertThat(learner.state().names()).hasSize(40);
        double square = learner.weightNorm() * learner.weightNorm();
        assertThat(square).isCloseTo(squareOfAllWeights(learner), within(1e-9 * square));
    }

    private static double squareOfAllWeights(MulticlassPerceptron learner) {
        double[] square = new double[1];
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                square[0] += bias * bias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                square[0] += weight * weight;
            }
        });
        return square[0];
    }

    @Test
    void shouldAllocateNothingOnceItKnowsClassesAndFeatures() {
        MulticlassPerceptron learner = multiclass(Map.of("predict", "averaged", "h", "1000"));
        Random random = new Random(5);
        Label[] labels = {new Label.ClassName("a"), new Label.ClassName("b"), Label.of(7), new Label.ClassName("d")};
        FeatureVector x = vector(new double[50]);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int round = 0; round < 3; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int n = 0; n < 10_000; n++) {
                for (int k = 0; k < x.size(); k++) {
                    x.values()[k] = random.nextDouble();
                }
                learner.learn(x, labels[random.nextInt(4)], 1, outcome);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated / 10_000).as("bytes per example").isZero();
    }

    @Test
    void shouldRefuseAStateThatIsNotItsOwn() {
        assertThatThrownBy(() -> multiclass(Map.of()).restore(new LearnerState(List.of(1.0, 2.0), List.of("a"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> multiclass(Map.of()).restore(new LearnerState(List.of(1.0, -2.0, 0.0), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static FeatureVector vector(double... values) {
        return Sample.dense(1, values).vector();
    }

    private RejectedException rejection(MulticlassPerceptron learner, Label y, double weight, double... values) {
        return catchThrowableOfType(RejectedException.class, () -> learner.learn(vector(values), y, weight, outcome));
    }

    private RejectedException rejection(MulticlassPerceptron learner, Label y, double weight) {
        return rejection(learner, y, weight, new double[] {1});
    }

    private void learn(MulticlassPerceptron learner, String y, double... values) {
        learner.learn(vector(values), new Label.ClassName(y), 1, outcome);
    }

    private static MulticlassPerceptron multiclass(Map<String, String> settings) {
        return new MulticlassPerceptron(Settings.DEFAULTS.with(settings));
    }
}
