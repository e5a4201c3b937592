package io.perceptronstreams.theory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.settings.Settings.Predict;
import io.perceptronstreams.theory.TrainingRun.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class BoundsReportTest {
    private static final List<String> UPDATE_BOUNDS =
            List.of("mistake bound", "margin perceptron", "hinge bound", "expected test error");

    /** 20 updates on 100 separated unit vectors. */
    private Kind kind = Kind.TWO_CLASS;

    private long updates = 20;
    private boolean isConverged = true;
    private double radius = 1;
    private double steps = 20;
    private double margin = 0.2;
    private ScaledComparator comparator = new ScaledComparator("w", 1, 25, 4.5);
    private long support = 12;
    private TrainingRun.Cycle cycle;
    private double trainingError = 0;
    private double h = 0;
    private double eta = 1;
    private double alpha = Double.NaN;
    private boolean hasEqualWeights = true;
    private boolean hasBias = true;
    private Predict predict = Predict.LAST;
    private double threshold;
    private boolean hasFixedVectors = true;
    private boolean hasFixedWeights = true;

    @Test
    void shouldSayWhatHoldsForThePerceptron() {
        assertThat(texts())
                .containsExactly(
                        "margin certificate   0.200000 = margin(w) <= gamma <= |w|/M = 0.250000",
                        "no separator         does not apply: w separates the examples",
                        "mistake bound        M = 20 <= (R/gamma)^2 <= 25.0000, with gamma = margin(w)",
                        "margin perceptron    does not apply: h = 0, and it is about h > 0 (see mistake bound)",
                        "dynamic margin       does not apply: it is about algorithm=pdm",
                        // 4.5 + 12.5 + sqrt(4.5·25 + 25²/4)
                        "hinge bound          M = 20 <= L + X/2 + sqrt(L X + X^2/4) = 33.3936, with u = 1.00000 times w, L(u) ="
                                + " 4.50000 and X = R^2 |u|^2 = 25.0000",
                        // 25 / 101
                        "expected test error  P(error) <= 0.247525, provided that the examples are drawn independently and that"
                                + " |x| <= R and gamma = margin(w) hold for all to come",
                        "leave-one-out error  leave-one-out error <= |S|/N = 0.120000, where S are the 12 examples with an update or"
                                + " a wrong final prediction; P(error) <= E|S|/(N+1), provided that the examples are drawn"
                                + " independently",
                        // 0 + sqrt(5 ln(101) / 100) + sqrt(2 ln(20) / 100)
                        "uniform bound        test error <= training error 0.00000 + sqrt((P+1) ln(N+1) / N) + delta ="
                                + " 0.725145, with probability 0.95 (delta = 0.244775), provided that the examples are"
                                + " drawn independently and that no features can occur but the P = 4 seen",
                        // 3/200 · 0.99^100
                        "minimax lower bound  no rule can promise an expected test error below 0.00549049 for every distribution"
                                + " with N = 100 and d = 4",
                        "VC dimension         P + 1 = 5");
    }

    @Test
    void shouldSayWhatHoldsForTheMarginPerceptron() {
        h = 1;
        assertThat(text("margin perceptron"))
                .isEqualTo(
                        "M = 20 <= 3/gamma^2 <= 75.0000, with gamma = margin(w); margin(w) >= gamma/3, hence gamma <="
                                + " 0.600000");
        assertThat(text("mistake bound")).contains("does not apply: h = 1.00000");
        // 75 / 101
        assertThat(value("expected test error")).isCloseTo(75 / 101.0, within(1e-12));
        // X = (1 + 2) · 25: 4.5 + 37.5 + sqrt(4.5·75 + 75²/4)
        assertThat(value("hinge bound")).isCloseTo(42 + Math.sqrt(1743.75), within(1e-9));
    }

    @Test
    void shouldUseTheGeneralFormForOtherRadiiAndSteps() {
        h = 1;
        eta = 0.5;
        radius = 2;
        assertThat(text("margin perceptron"))
                .contains("(R^2 + 2h/eta)/gamma^2 <= 200.000")
                .contains("eta·R^2 + 2h");
    }

    @Test
    void shouldNotSpeakOfTheMarginOfARunThatGoesOn() {
        h = 1;
        isConverged = false;
        assertThat(text("margin perceptron"))
                .contains("no pass over all examples went without an update")
                .doesNotContain("gamma/3");
        assertThat(text("expected test error"))
                .isEqualTo(
                        "does not apply: no pass over all examples went without an update, and it is about a run that came"
                                + " to an end");
    }

    @Test
    void shouldKnowNoMarginWhereNothingIsSeparated() {
        margin = -0.1;
        trainingError = 0.05;
        assertThat(text("margin certificate"))
                .isEqualTo("gamma <= 0.250000 = |w|/M, if there is one: w itself does not separate the examples (its"
                        + " margin is -0.100000)");
        assertThat(text("mistake bound"))
                .isEqualTo("does not apply: w does not separate the examples (margin -0.100000), so no gamma is known");
        assertThat(value("expected test error")).isNaN();
        assertThat(value("hinge bound")).isCloseTo(17 + Math.sqrt(268.75), within(1e-9));
        assertThat(value("uniform bound")).isCloseTo(0.775145, within(1e-6));
    }

    @Test
    void shouldNotClaimThatAnUnknownMarginSeparatesNothing() {
        margin = Double.NaN;
        assertThat(text("margin certificate"))
                .isEqualTo("gamma <= 0.250000 = |w|/M, if there is one: the margin of w is not known");
    }

    @Test
    void shouldWantEqualSteps() {
        hasEqualWeights = false;
        steps = 31.5;
        assertThat(text("margin certificate")).contains("|w|/(sum of steps)");
        for (String name : UPDATE_BOUNDS) {
            assertThat(text(name)).as(name).contains("different weights");
        }
    }

    @Test
    void shouldSayNothingOfUpdatesThatAreNotThePerceptrons() {
        kind = Kind.OTHER;
        steps = Double.NaN;
        for (String name : UPDATE_BOUNDS) {
            assertThat(text(name)).as(name).isEqualTo("does not apply: the learner's updates are not the perceptron's");
        }
        assertThat(value("margin certificate")).isNaN();
        // what holds for every rule that separates by a hyperplane
        assertThat(value("uniform bound")).isCloseTo(0.725145, within(1e-6));
        assertThat(value("VC dimension")).isEqualTo(5);
    }

    @Test
    void shouldBoundTheMarginThatFollowsTheWeights() {
        kind = Kind.OTHER;
        alpha = 0.75;
        // q = 1/0.2² = 25, 25/(2·0.75 - 1); 0.25·5/20
        assertThat(text("dynamic margin"))
                .isEqualTo(
                        "M = 20 <= 50.0000, with gamma = margin(w); margin(w) >= (1 - alpha)|w|/M = 0.0625000, and so at"
                                + " least (1 - alpha) gamma");
        isConverged = false;
        assertThat(text("dynamic margin")).contains("M = 20 <= 50.0000").contains("no bound on the final margin");
        margin = -0.1;
        assertThat(text("dynamic margin")).startsWith("does not apply: w does not separate the examples");
        hasEqualWeights = false;
        assertThat(text("dynamic margin")).contains("different weights");
    }

    @Test
    void shouldSayNothingOfUpdatesThatAddUpToSomethingElse() {
        kind = Kind.STRUCTURED;
        steps = Double.NaN;
        for (String name : UPDATE_BOUNDS) {
            assertThat(text(name)).as(name).startsWith("does not apply: w is no sum of steps times examples");
        }
        assertThat(value("margin certificate")).isNaN();
    }

    @Test
    void shouldCountTheBiasAsADimensionOnlyWhereThereIsOne() {
        hasBias = false;
        assertThat(text("VC dimension")).isEqualTo("P = 4, without bias");
        assertThat(value("VC dimension")).isEqualTo(4);
    }

    @Test
    void shouldCountNoFeaturesOfKernelsAndStructures() {
        for (Kind other : List.of(Kind.KERNEL, Kind.STRUCTURED)) {
            kind = other;
            assertThat(value("mistake bound")).isCloseTo(25, within(1e-9));
            assertThat(value("uniform bound")).isNaN();
            assertThat(Double.isNaN(value("minimax lower bound")))
                    .as("it is about any rule for two classes")
                    .isEqualTo(other == Kind.STRUCTURED);
            assertThat(value("VC dimension")).isNaN();
        }
    }

    @Test
    void shouldSayThatAnErrorAboveOneSaysNothing() {
        margin = 0.01;
        assertThat(text("expected test error")).contains("99.0099 (more than 1: no bound with so few examples)");
    }

    @Test
    void shouldSayNothingOfARunWithoutUpdates() {
        updates = 0;
        steps = 0;
        margin = Double.NaN;
        comparator = null;
        assertThat(text("margin certificate"))
                .isEqualTo("does not apply: there was no update, so w = 0 gives no bound on the margin");
        assertThat(text("hinge bound")).contains("is not known");
    }

    @Test
    void shouldShowTheUpdatesThatExcludeASeparator() {
        margin = -0.1;
        TreeMap<Integer, Integer> updates = new TreeMap<>();
        for (int example = 1; example <= 12; example++) {
            updates.put(example, 2);
        }
        cycle = new TrainingRun.Cycle(3, 7, updates);
        assertThat(text("no separator"))
                .startsWith(
                        "no hyperplane separates the examples, and the passes repeat without end: pass 7 ended with the"
                                + " weights of pass 3, so sum n_i y_i x_i = 0, with n_i the updates in between,"
                                + " times the weights of the examples if they have any, computed exactly: 2 of example 1, 2 of example 2, ")
                .endsWith("2 of example 10, … (12 examples)");
        cycle = null;
        assertThat(text("no separator")).startsWith("does not apply: no pass was found");
    }

    @Test
    void shouldNotLeaveOneOutWhereEveryExampleChangesTheModel() {
        support = -1;
        assertThat(text("leave-one-out error")).startsWith("does not apply: examples without an update");
    }

    @Test
    void shouldNotBoundTheErrorOfWWhereAnotherPredictorIsEmitted() {
        for (Predict other : List.of(Predict.AVERAGED, Predict.VOTED)) {
            predict = other;
            for (String name : List.of("expected test error", "leave-one-out error")) {
                assertThat(value(name)).as("%s, %s", name, other).isNaN();
                assertThat(text(name)).startsWith("does not apply: it is about the predictions of w, and this model");
            }
            assertThat(value("mistake bound")).as("it is about updates of w").isCloseTo(25, within(1e-9));
        }
    }

    @Test
    void shouldBoundTheErrorOfAnAverageWhichIsAHyperplaneButNotOfVotes() {
        predict = Predict.AVERAGED;
        trainingError = 0.5;
        assertThat(value("uniform bound")).isCloseTo(1.225145, within(1e-6));
        assertThat(text("uniform bound")).startsWith("test error <= training error 0.500000 of the average + ");
        assertThat(value("VC dimension")).isEqualTo(5);
        predict = Predict.VOTED;
        for (String name : List.of("uniform bound", "VC dimension")) {
            assertThat(text(name)).startsWith("does not apply: it is about a hyperplane, and the votes of several");
        }
    }

    @Test
    void shouldNotBoundTheErrorOfAShiftedThresholdByAMargin() {
        threshold = 0.5;
        assertThat(text("expected test error"))
                .isEqualTo("does not apply: it is about the sign of w·x, and this model emits +1 from threshold ="
                        + " 0.500000 on");
        // the emitted label decides who belongs to S, and the hyperplane is a shifted one
        assertThat(value("leave-one-out error")).isEqualTo(0.12);
        assertThat(value("uniform bound")).isCloseTo(0.725145, within(1e-6));
    }

    @Test
    void shouldNotBoundTheExpectedErrorWhereEveryExampleChangesTheModel() {
        support = -1;
        assertThat(text("expected test error")).startsWith("does not apply: examples without an update");
    }

    @Test
    void shouldNotTakeScaledVectorsForFixedOnes() {
        hasFixedVectors = false;
        margin = Double.NaN;
        support = -1;
        assertThat(text("margin certificate"))
                .endsWith("the margin of w is not known, and gamma is that of the vectors as they were learned from");
        for (String name : List.of("uniform bound", "VC dimension")) {
            assertThat(text(name)).startsWith("does not apply: ").contains("scale=standard");
        }
    }

    @Test
    void shouldNotTakeNormalisedUpdatesForAHyperplane() {
        hasFixedWeights = false;
        for (String name : List.of("uniform bound", "VC dimension")) {
            assertThat(text(name)).startsWith("does not apply: ").contains("normalised=true");
        }
    }

    @Test
    void shouldNotTakeSeveralClassesForTwo() {
        kind = Kind.OTHER_STRUCTURED;
        for (String name : UPDATE_BOUNDS) {
            assertThat(text(name)).as(name).isEqualTo("does not apply: the learner's updates are not the perceptron's");
        }
        for (String name : List.of("uniform bound", "minimax lower bound", "VC dimension")) {
            assertThat(value(name)).as(name).isNaN();
        }
    }

    @Test
    void shouldNotExcludeAHyperplaneBesideTheOrigin() {
        margin = -0.1;
        hasBias = false;
        cycle = new TrainingRun.Cycle(0, 2, new TreeMap<>(Map.of(1, 1, 2, 1)));
        assertThat(text("no separator")).startsWith("no hyperplane through 0 (bias=false) separates the examples, and");
    }

    private List<BoundsReport.Line> lines() {
        return BoundsReport.of(new TrainingRun(
                kind,
                100,
                3,
                updates,
                isConverged,
                radius,
                5,
                steps,
                margin,
                comparator,
                support,
                cycle,
                trainingError,
                4,
                hasBias,
                h,
                eta,
                alpha,
                hasEqualWeights,
                predict,
                threshold,
                hasFixedVectors,
                hasFixedWeights));
    }

    private List<String> texts() {
        List<String> texts = new ArrayList<>();
        lines().forEach(line -> texts.add(line.toString()));
        return texts;
    }

    private BoundsReport.Line line(String name) {
        return lines().stream()
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    private String text(String name) {
        return line(name).text();
    }

    private double value(String name) {
        return line(name).value();
    }
}
