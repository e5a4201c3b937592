package io.perceptronstreams.multiclass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MulticlassPerceptronTest {
    private final Outcome outcome = new Outcome();

    /**
     * Three classes by hand: {@code class x1 x2 | prediction kind | scores}, twice the same six examples, without bias.
     */
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

    /** A prediction with the scores of 1,000 classes of long names has 210 KB. */
    @Test
    void shouldShowTheLargestScoresOnlyWhereAskedTo() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false", "classes", "a,b,c,d,e"));
        // e corrects a, the first of the ties: a = (-1, 0), e = (1, 0); d corrects a again: a = (-1, -3), d = (0, 3)
        learn(learner, "e", 1);
        learn(learner, "d", 0, 3);
        learner.configure(
                Settings.DEFAULTS.with(Map.of("bias", "false", "classes", "a,b,c,d,e", "predict.scores", "3")));
        // at (1, 2): a = -7, b = c = 0, d = 6, e = 1
        learner.predict(vector(1, 2), outcome);
        assertThat(scores()).isEqualTo("d=6.0 e=1.0 b=0.0");
        learner.predict(vector(-1, 0), outcome);
        // at (-1, 0): a = 1, b = c = d = 0, e = -1; ties in the order of the classes
        assertThat(scores()).isEqualTo("a=1.0 b=0.0 c=0.0");
        learner.configure(
                Settings.DEFAULTS.with(Map.of("bias", "false", "classes", "a,b,c,d,e", "predict.scores", "5")));
        learner.predict(vector(-1, 0), outcome);
        assertThat(scores()).isEqualTo("a=1.0 b=0.0 c=0.0 d=0.0 e=-1.0");
    }

    private String scores() {
        List<String> scores = new ArrayList<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            scores.add(outcome.scoredLabel(k) + "=" + outcome.score(k));
        }
        return String.join(" ", scores);
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

    private static FeatureVector vector(double... values) {
        return Sample.dense(1, values).vector();
    }

    private void learn(MulticlassPerceptron learner, String y, double... values) {
        learner.learn(vector(values), new Label.ClassName(y), 1, outcome);
    }

    private static MulticlassPerceptron multiclass(Map<String, String> settings) {
        return new MulticlassPerceptron(Settings.DEFAULTS.with(settings));
    }
}
