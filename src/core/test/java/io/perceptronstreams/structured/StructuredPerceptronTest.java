package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.multiclass.MulticlassPerceptron;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StructuredPerceptronTest {
    private final Outcome outcome = new Outcome();

    /** f(a) = (1, 2, 0), f(b) = (0, 2, 3). All scores are 0: a is first and wrong, theta becomes f(b) - f(a). */
    @Test
    void shouldAddTheDifferenceOfTheRightAndThePredictedCandidate() {
        StructuredPerceptron learner = learner();

        learner.learn(ab(), new Label.ClassName("b"), 1, outcome);

        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("a"));
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isError()).isTrue();
        assertThat(outcome.margin()).isZero();
        assertThat(weights(learner)).isEqualTo(Map.of(0, -1.0, 2, 3.0));
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(10));
        assertThat(learner.radius()).isEqualTo(Math.sqrt(10));
        learner.predict(ab(), outcome);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("b"));
        assertThat(outcome.score()).isEqualTo(9);
    }

    @Test
    void shouldStepByEtaTimesTheWeightOfTheExample() {
        StructuredPerceptron learner = learner("eta", "0.5");
        learner.learn(ab(), new Label.ClassName("b"), 3, outcome);
        assertThat(weights(learner)).isEqualTo(Map.of(0, -1.5, 2, 4.5));
    }

    @Test
    void shouldNotCallATieAMistakeWhereTheRightCandidateIsFirst() {
        StructuredPerceptron learner = learner();
        learner.learn(ab(), new Label.ClassName("a"), 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(weights(learner)).isEmpty();
    }

    /** After the first example the scores are a = -1 and b = 9, their difference 10. */
    @Test
    void shouldUpdateAgainstTheBestOtherCandidateWithinTheHinge() {
        StructuredPerceptron learner = learner("h", "10.5");
        learner.learn(ab(), new Label.ClassName("b"), 1, outcome);
        learner.learn(ab(), new Label.ClassName("b"), 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(outcome.isError()).isFalse();
        assertThat(outcome.margin()).isEqualTo(10);
        assertThat(outcome.hingeLoss()).isEqualTo(0.5);
        assertThat(weights(learner)).isEqualTo(Map.of(0, -2.0, 2, 6.0));

        learner.learn(ab(), new Label.ClassName("b"), 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
    }

    @Test
    void shouldTakeTheHingeItselfForAMarginMistakeOnlyWhereItIsInclusive() {
        for (boolean isInclusive : new boolean[] {false, true}) {
            StructuredPerceptron learner = learner("h", "10", "h.inclusive", Boolean.toString(isInclusive));
            learner.learn(ab(), new Label.ClassName("b"), 1, outcome);
            learner.learn(ab(), new Label.ClassName("b"), 1, outcome);
            assertThat(outcome.kind()).isEqualTo(isInclusive ? Outcome.Kind.MARGIN_MISTAKE : Outcome.Kind.CORRECT);
        }
    }

    @Test
    void shouldPredictTheOnlyCandidateAndNeverErr() {
        StructuredPerceptron learner = learner("h", "1");
        Candidates one = new Candidates();
        one.append("a").append(0, 1);
        learner.learn(one, new Label.ClassName("a"), 1, outcome);
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("a"));
    }

    @Test
    void shouldTakeIntsForTheNamesTheySpell() {
        Candidates x = new Candidates();
        x.append("6").append(0, 1);
        x.append("7").append(1, 1);
        StructuredPerceptron learner = learner();
        learner.learn(x, Label.of(7), 1, outcome);
        assertThat(weights(learner)).isEqualTo(Map.of(0, -1.0, 1, 1.0));
    }

    /** Each has a feature of its own, and the last one is right. */
    @Test
    void shouldLearnFromHundredsOfCandidates() {
        Candidates x = new Candidates();
        for (int k = 0; k < 300; k++) {
            x.append("output " + k).append(k, 1);
        }
        StructuredPerceptron learner = learner();
        learner.learn(x, new Label.ClassName("output 299"), 1, outcome);
        assertThat(weights(learner)).isEqualTo(Map.of(0, -1.0, 299, 1.0));
        learner.predict(x, outcome);
        assertThat(outcome.predicted()).isEqualTo(new Label.ClassName("output 299"));
    }

    @Test
    void shouldTakeOutputsOfUpTo256Characters() {
        StructuredPerceptron learner = learner();
        Candidates x = new Candidates();
        x.append("a".repeat(256));
        learner.predict(x, outcome);
        x.append("b".repeat(257));
        assertThatThrownBy(() -> learner.predict(x, outcome))
                .hasMessage("an output must have at most 256 characters, got 257 (candidate 1)");
    }

    @Test
    void shouldSayWhatIsWrong() {
        StructuredPerceptron learner = learner();
        assertThatThrownBy(() -> learner.predict(new Sequence(), outcome))
                .hasMessageStartingWith("features must be Candidates for a structured model, got a Sequence (");
        assertThatThrownBy(() -> learner.predict(Sample.dense(1, 1).vector(), outcome))
                .hasMessageStartingWith("features must be Candidates for a structured model, got a vector (");
        assertThatThrownBy(() -> learner.learn(ab(), new Label.ClassName("c"), 1, outcome))
                .hasMessage("label must be the output of one of the 2 candidates, got the string 'c' (list the right"
                        + " output among the candidates, too)");
        assertThatThrownBy(() -> learner.predict(new Candidates(), outcome))
                .hasMessage("an example must have at least one candidate, got none");
        Candidates twice = ab();
        twice.append("a");
        assertThatThrownBy(() -> learner.predict(twice, outcome))
                .hasMessage("outputs of candidates must differ, got 'a' twice");
    }

    /** A class's features are those of the example, in a place of their own for each class. */
    @SeededTest
    void shouldBeTheMulticlassPerceptronWhereCandidatesAreClasses(long seed) {
        for (String h : new String[] {"0", "2"}) {
            for (String predict : new String[] {"last", "averaged"}) {
                Map<String, String> settings = Map.of("h", h, "predict", predict, "eta", "0.3");
                MulticlassPerceptron multiclass = new MulticlassPerceptron(
                        Settings.DEFAULTS.with(settings).with(Map.of("classes", "0,1,2", "bias", "false")));
                StructuredPerceptron learner = new StructuredPerceptron(Settings.DEFAULTS.with(settings));
                Random random = new Random(seed);
                int mistakes = 0;
                for (Sample sample : RandomStreams.noisy(random, 300, 12, 4)) {
                    Label y = Label.of(sample.y > 0 ? 2 : random.nextInt(2));
                    multiclass.learn(sample.vector(), y, sample.weight, outcome);
                    Map<String, Object> expected = shown();
                    mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;

                    learner.learn(classes(sample), y, sample.weight, outcome);

                    assertThat(shown()).isEqualTo(expected);
                }
                assertThat(mistakes).isPositive();
                assertThat(learner.weightNorm()).isCloseTo(multiclass.weightNorm(), within(1e-9));
                assertThat(learner.radius())
                        .as("|f(x,y) - f(x,y')| is |x| for each of the two")
                        .isLessThanOrEqualTo(Math.sqrt(2) * multiclass.radius() + 1e-9);
            }
        }
    }

    private static Candidates classes(Sample sample) {
        Candidates candidates = new Candidates();
        for (int c = 0; c < 3; c++) {
            FeatureVector f = candidates.append(Integer.toString(c));
            for (int k = 0; k < sample.indices.length; k++) {
                f.append(1000 * c + sample.indices[k], sample.values[k]);
            }
        }
        return candidates;
    }

    private Map<String, Object> shown() {
        return Map.of(
                "predicted", outcome.predicted().toString(),
                "predictedScore", outcome.predictedScore(),
                "score", outcome.score(),
                "margin", outcome.margin(),
                "hingeLoss", outcome.hingeLoss(),
                "kind", outcome.kind(),
                "error", outcome.isError());
    }

    @Test
    void shouldRefuseAnUpdateThatWouldMakeTheModelTooLarge() {
        StructuredPerceptron learner = learner("blocks.max", "1");
        Candidates x = ab();
        x.features(1).append(128, 1);
        assertThatThrownBy(() -> learner.learn(x, new Label.ClassName("b"), 1, outcome))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(RejectReason.MODEL_FULL));
        assertThat(weights(learner)).isEmpty();
    }

    @Test
    void shouldRefuseAnUpdateWhereWeightsWouldOverflow() {
        StructuredPerceptron learner = learner("eta", "1e300");
        assertThatThrownBy(() -> learner.learn(ab(), new Label.ClassName("b"), 1e10, outcome))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW));
        assertThat(weights(learner)).isEmpty();
    }

    /**
     * With the weights 1 and 9 the scores are 10^17 + 9, rounded to 10^17 + 16, and 10^17: 16 apart, where |w| times
     * the norm of the difference, (0, 1, -1), is 12.8. A corrupt state would look so; this one is sound.
     */
    @Test
    void shouldNotTakeTheRoundingOfLargeScoresForAnUnsoundState() {
        StructuredPerceptron learner = learner("h", "20");
        learner.restore(new LearnerState(List.of(1.0, 82.0, 82.0, 82.0, 1.0), List.of()));
        double[] block = new double[256];
        block[0] = 1;
        block[1] = 9;
        learner.blocks().get(0).restore(0, block);
        Candidates x = new Candidates();
        for (String output : List.of("a", "b")) {
            FeatureVector f = x.append(output);
            f.append(0, 1e17);
            f.append(output.equals("a") ? 1 : 2, 1);
        }

        learner.learn(x, new Label.ClassName("a"), 1, outcome);

        assertThat(outcome.margin()).isEqualTo(16);
        assertThat(weights(learner)).isEqualTo(Map.of(0, 1.0, 1, 10.0, 2, -1.0));
    }

    @Test
    void shouldSumTheStepsOfItsUpdates() {
        StructuredPerceptron learner = learner("eta", "0.5");
        learner.learn(ab(), new Label.ClassName("b"), 3, outcome);
        learner.learn(ab(), new Label.ClassName("b"), 3, outcome);
        assertThat(learner.steps()).isEqualTo(1.5);
    }

    private static Candidates ab() {
        Candidates x = new Candidates();
        FeatureVector a = x.append("a");
        a.append(0, 1);
        a.append(1, 2);
        FeatureVector b = x.append("b");
        b.append(1, 2);
        b.append(2, 3);
        return x;
    }

    private static StructuredPerceptron learner(String... settings) {
        Map<String, String> all = new TreeMap<>();
        for (int k = 0; k < settings.length; k += 2) {
            all.put(settings[k], settings[k + 1]);
        }
        return new StructuredPerceptron(Settings.DEFAULTS.with(all));
    }

    private static Map<Integer, Double> weights(Learner learner) {
        Map<Integer, Double> all = new TreeMap<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                assertThat(name).isEmpty();
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                if (weight != 0) {
                    all.put(index, weight);
                }
            }
        });
        return all;
    }
}
