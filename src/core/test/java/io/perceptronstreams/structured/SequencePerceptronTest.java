package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.multiclass.MulticlassPerceptron;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SequencePerceptronTest {
    private final Outcome outcome = new Outcome();

    @Test
    void shouldPredictNothingBeforeTheFirstSequenceAndAddItAlone() {
        SequencePerceptron learner = learner("bias", "false");
        learner.predict(tokens(new int[] {0}, new int[] {1}), outcome);
        assertThat(outcome.predicted()).isNull();

        learn(learner, tokens(new int[] {0}, new int[] {1}), "N", "V");

        assertThat(outcome.predicted()).isNull();
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isError()).isTrue();
        assertThat(weights(learner))
                .isEqualTo(Map.of("N0", 1.0, "V1", 1.0, "<s>>N0", 1.0, "N>V0", 1.0, "V></s>0", 1.0));
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(5));
        assertThat(learner.radius()).isEqualTo(Math.sqrt(5));
    }

    /**
     * Feature 0 is N and feature 1 is V from the first sequence; the second says that both are N. It is predicted as N
     * V with the score 5 (all five weights), N N scores 2 (feature 0 and the start). What both have in common stays,
     * the rest moves by 1.
     */
    @Test
    void shouldMoveTheWholeSequenceByTheDifferenceOfLabelAndPrediction() {
        SequencePerceptron learner = learner("bias", "false");
        Sequence x = tokens(new int[] {0}, new int[] {1});
        learn(learner, x, "N", "V");

        learn(learner, x, "N", "N");

        assertThat(outcome.predicted()).isEqualTo(new Label.Tags(List.of("N", "V")));
        assertThat(outcome.score()).isEqualTo(5);
        assertThat(outcome.margin()).isEqualTo(2 - 5);
        assertThat(outcome.hingeLoss()).isEqualTo(3);
        assertThat(outcome.isUpdated()).isTrue();
        assertThat(weights(learner))
                .isEqualTo(Map.of("N0", 1.0, "N1", 1.0, "<s>>N0", 1.0, "N>N0", 1.0, "N></s>0", 1.0));
        // feature 1, the pair and the end: 1 each for N and for V
        assertThat(learner.radius()).isEqualTo(Math.sqrt(6));
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(5));
    }

    @Test
    void shouldMoveWeightsByTheValuesOfTheFeatures() {
        SequencePerceptron learner = learner("bias", "false", "eta", "0.5");
        Sequence x = new Sequence();
        x.append().append(0, 4);
        learn(learner, x, "N");

        learn(learner, x, "V");

        // 4·2 of the feature, half for the start and the end each
        assertThat(outcome.score()).isEqualTo(9);
        assertThat(weights(learner)).isEqualTo(Map.of("V0", 2.0, "<s>>V0", 0.5, "V></s>0", 0.5));
    }

    @Test
    void shouldChangeNothingButTheCountWhenEveryTagIsRight() {
        SequencePerceptron learner = learner("bias", "false");
        Sequence x = tokens(new int[] {0}, new int[] {1});
        learn(learner, x, "N", "V");
        Map<String, Double> before = weights(learner);

        learn(learner, x, "N", "V");

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isError()).isFalse();
        assertThat(outcome.margin()).isZero();
        assertThat(outcome.hingeLoss()).isZero();
        assertThat(weights(learner)).isEqualTo(before);
    }

    /** Feature 0 twice, once as N and once as V: predicted the other way round, its changes cancel. */
    @Test
    void shouldLeaveOutWhatCancelsOverTheSequence() {
        SequencePerceptron learner = learner("bias", "true");
        Sequence x = tokens(new int[] {0}, new int[] {0});
        learn(learner, x, "N", "V");

        learn(learner, x, "V", "N");

        assertThat(outcome.predicted()).isEqualTo(new Label.Tags(List.of("N", "V")));
        assertThat(weights(learner))
                .isEqualTo(
                        Map.of("N", 1.0, "V", 1.0, "N0", 1.0, "V0", 1.0, "<s>>V0", 1.0, "V>N0", 1.0, "N></s>0", 1.0));
        // that of the first sequence: what moved are start, pair and end, 1 each for the two, hence 6
        assertThat(learner.radius()).isEqualTo(Math.sqrt(7));
    }

    /**
     * Where all known tags have low scores, an unknown one, which has weight 0, would be above them; that is no margin.
     */
    @Test
    void shouldNotGiveAMistakeAPositiveMargin() {
        SequencePerceptron learner = learner("bias", "false");
        learn(learner, tokens(new int[] {0}, new int[] {1}), "A", "B");
        // of feature 0, with A and with B
        learner.blocks().get(0).drainChanged((number, row) -> Arrays.fill(row, 0, number == 0 ? 2 : 0, -50));

        learner.evaluate(tokens(new int[] {0}, new int[] {1}), new Label.Tags(List.of("X", "B")), outcome);

        assertThat(outcome.score()).isNegative();
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.margin()).isZero();
        assertThat(outcome.hingeLoss()).isZero();
    }

    /** Means and sums are those of all weights so far, gathered one by one. */
    @SeededTest
    void shouldKeepTheAveragesThatPlainSumsGive(long seed) {
        for (String survivalStart : List.of("0", "1")) {
            for (String eta : List.of("1", "0.1")) {
                SequencePerceptron learner = learner("survival.start", survivalStart, "eta", eta);
                Map<String, Double> sums = new TreeMap<>();
                double count = 0;
                Random random = new Random(seed);
                for (int n = 0; n < 150; n++) {
                    Map<String, Double> before = weights(learner);
                    learnRandom(learner, random);
                    // an update ends the survival of the weights before and begins that of those after
                    double survived = outcome.isUpdated() ? Integer.parseInt(survivalStart) : 1;
                    Map<String, Double> now = outcome.isUpdated() ? weights(learner) : before;
                    now.forEach((name, weight) -> sums.merge(name, survived * weight, Double::sum));
                    count += survived;
                }
                Map<String, Double> means = weights(learner, true);
                for (Map.Entry<String, Double> sum : sums.entrySet()) {
                    assertThat(means.getOrDefault(sum.getKey(), 0.0))
                            .as(sum.getKey())
                            .isCloseTo(sum.getValue() / count, within(1e-12));
                }
                assertThat(sums.keySet()).containsAll(means.keySet());
            }
        }
    }

    /**
     * The averaged prediction is the best sequence under the means, found here with a learner that has these as its
     * weights.
     */
    @SeededTest
    void shouldEmitTheBestSequenceUnderTheMeansAndLearnByTheLastWeights(long seed) {
        SequencePerceptron last = learner();
        SequencePerceptron averaged = learner("predict", "averaged");
        Random random = new Random(seed);
        Random again = new Random(seed);
        int differences = 0;
        for (int n = 0; n < 200; n++) {
            learnRandom(last, random);
            Label byLast = outcome.predicted();
            double score = outcome.score();
            Outcome.Kind kind = outcome.kind();
            learnRandom(averaged, again);

            assertThat(outcome.score()).isEqualTo(score);
            assertThat(outcome.kind()).isEqualTo(kind);
            differences += byLast != null && !byLast.equals(outcome.predicted()) ? 1 : 0;
        }
        assertThat(weights(averaged)).isEqualTo(weights(last));
        assertThat(differences).isPositive();
    }

    /** With a feature that every token has, and that comes after all others, in the place of the bias. */
    @SeededTest
    void shouldTakeTheBiasForAFeatureOfEveryToken(long seed) {
        SequencePerceptron biased = learner("bias", "true", "predict", "averaged", "eta", "0.3");
        SequencePerceptron plain = learner("bias", "false", "predict", "averaged", "eta", "0.3");
        Random random = new Random(seed);
        for (int n = 0; n < 200; n++) {
            int[][] features = features(random);
            String[] tags = tags(random, features);
            learn(biased, tokens(features), tags);
            List<Object> expected = Bits.of(outcome);
            for (int i = 0; i < features.length; i++) {
                features[i] = IntStream.concat(Arrays.stream(features[i]), IntStream.of(1_000_000))
                        .toArray();
            }
            learn(plain, tokens(features), tags);

            assertThat(Bits.of(outcome)).isEqualTo(expected);
        }
        assertThat(biased.radius()).isEqualTo(plain.radius());
        assertThat(biased.weightNorm()).isCloseTo(plain.weightNorm(), within(1e-9));
    }

    /** A sequence of one token is an example with two features more, the start and the end. */
    @SeededTest
    void shouldBeTheMulticlassPerceptronOnSequencesOfOneToken(long seed) {
        shouldBeTheMulticlassPerceptron(seed, Map.of("classes", "A,B,C", "bias", "false"));
        shouldBeTheMulticlassPerceptron(seed, Map.of("classes", "A,B,C", "bias", "false", "h", "3", "eta", "0.5"));
        shouldBeTheMulticlassPerceptron(seed, Map.of("classes", "A,B,C", "bias", "false", "h.inclusive", "true"));
    }

    private void shouldBeTheMulticlassPerceptron(long seed, Map<String, String> settings) {
        MulticlassPerceptron multiclass = new MulticlassPerceptron(Settings.DEFAULTS.with(settings));
        SequencePerceptron learner = new SequencePerceptron(Settings.DEFAULTS.with(settings));
        Random random = new Random(seed);
        for (int n = 0; n < 300; n++) {
            int[] features = random.ints(4, 0, 12).distinct().sorted().toArray();
            String tag = "ABC".charAt((features[0] + random.nextInt(2)) % 3) + "";
            FeatureVector x = tokens(features).token(0);
            x.append(100, 1);
            x.append(101, 1);
            multiclass.learn(x, new Label.ClassName(tag), 1, outcome);
            String expected = outcome.predicted() + " " + outcome.score() + " " + outcome.kind();
            double margin = outcome.margin();
            double loss = outcome.hingeLoss();

            learn(learner, tokens(features), tag);

            String found =
                    ((Label.Tags) outcome.predicted()).tags().get(0) + " " + outcome.score() + " " + outcome.kind();
            assertThat(found).isEqualTo(expected);
            if (outcome.kind() != Outcome.Kind.CORRECT || settings.containsKey("h")) {
                assertThat(outcome.margin()).isEqualTo(margin);
                assertThat(outcome.hingeLoss()).isEqualTo(loss);
            }
        }
        assertThat(learner.weightNorm()).isEqualTo(multiclass.weightNorm());
        assertThat(learner.steps()).isEqualTo(multiclass.steps());
    }

    /** All sequences are enumerated, and weights are plain sums of the differences to the best other one. */
    @SeededTest
    void shouldLearnUntilTheBestOtherSequenceIsBelowByH(long seed) {
        SequencePerceptron learner = learner("classes", "T0,T1,T2,T3,T4", "h", "5", "bias", "false");
        Random random = new Random(seed);
        int marginMistakes = 0;
        for (int n = 0; n < 400; n++) {
            int[][] all = features(random);
            int[][] features = Arrays.copyOf(all, Math.min(3, all.length));
            String[] right = tags(random, features);
            Map<String, Double> weights = weights(learner);
            double ofRight = score(weights, features, right);
            double highest = others(features.length, right).stream()
                    .mapToDouble(other -> score(weights, features, other))
                    .max()
                    .orElseThrow();

            learn(learner, tokens(features), right);

            // weights are sums of ones: all scores are exact
            assertThat(outcome.margin()).isEqualTo(ofRight - highest);
            assertThat(outcome.hingeLoss()).isEqualTo(Math.max(0, 5 - outcome.margin()));
            assertThat(outcome.isUpdated()).isEqualTo(outcome.margin() < 5);
            marginMistakes += outcome.kind() == Outcome.Kind.MARGIN_MISTAKE ? 1 : 0;
            if (outcome.isUpdated()) {
                Map<String, Double> after = weights(learner);
                assertThat(others(features.length, right).stream()
                                .filter(other -> score(weights, features, other) == highest)
                                .map(other -> moved(weights, features, right, other)))
                        .contains(after);
            }
        }
        assertThat(marginMistakes).isGreaterThan(10);
    }

    @Test
    void shouldHaveNoMarginWhereThereIsNoOtherSequence() {
        SequencePerceptron learner = learner("h", "5");
        learn(learner, tokens(new int[] {0}), "A");
        learn(learner, tokens(new int[] {0}, new int[] {1}), "A", "A");
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.margin()).isZero();
        assertThat(outcome.hingeLoss()).isZero();
    }

    /** w is 0 at first, so that A,A is predicted, which is right, and B,A is the first other one. */
    @Test
    void shouldExplainAMarginMistakeByTheBestOtherSequence() {
        SequencePerceptron learner = learner("classes", "A,B", "h", "5", "bias", "false");
        Sequence x = tokens(new int[] {7}, new int[] {8});
        learn(learner, x, "A", "A");
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MARGIN_MISTAKE);
        assertThat(outcome.hingeLoss()).isEqualTo(5);
        assertThat(weights(learner))
                .isEqualTo(Map.of("A7", 1.0, "<s>>A0", 1.0, "A>A0", 1.0, "B7", -1.0, "<s>>B0", -1.0, "B>A0", -1.0));
        assertThat(learner.radius()).isEqualTo(Math.sqrt(6));

        outcome.ask(9, new Utf8Slice());
        learn(learner, x, "A", "A");

        // A,A scores 3 and A,B 2, because A>B has no weight
        assertThat(outcome.margin()).isEqualTo(1);
        assertThat(outcome.hingeLoss()).isEqualTo(4);
        assertThat(outcome.evidence().size()).isEqualTo(1);
        assertThat(outcome.evidence().tag(0)).isEqualTo("A>A");
        assertThat(outcome.evidence().contribution(0)).isEqualTo(1);
    }

    /** All sequences of T0 to T4 but one. */
    private static List<String[]> others(int n, String[] right) {
        List<String[]> all = new ArrayList<>();
        for (int number = 0; number < Math.pow(5, n); number++) {
            String[] tags = new String[n];
            int digits = number;
            for (int i = 0; i < n; i++) {
                tags[i] = "T" + digits % 5;
                digits /= 5;
            }
            if (!Arrays.equals(tags, right)) {
                all.add(tags);
            }
        }
        return all;
    }

    /** The names of the weights that a sequence of tags uses, as often as it does. */
    private static List<String> used(int[][] features, String[] tags) {
        List<String> names = new ArrayList<>(List.of("<s>>" + tags[0] + 0, tags[tags.length - 1] + "></s>" + 0));
        for (int i = 0; i < tags.length; i++) {
            for (int index : features[i]) {
                names.add(tags[i] + index);
            }
            if (i > 0) {
                names.add(tags[i - 1] + ">" + tags[i] + 0);
            }
        }
        return names;
    }

    private static double score(Map<String, Double> weights, int[][] features, String[] tags) {
        return used(features, tags).stream()
                .mapToDouble(name -> weights.getOrDefault(name, 0.0))
                .sum();
    }

    private static Map<String, Double> moved(
            Map<String, Double> weights, int[][] features, String[] right, String[] wrong) {
        Map<String, Double> moved = new TreeMap<>(weights);
        used(features, right).forEach(name -> moved.merge(name, 1.0, Double::sum));
        used(features, wrong).forEach(name -> moved.merge(name, -1.0, Double::sum));
        moved.values().removeIf(weight -> weight == 0);
        return moved;
    }

    @SeededTest
    void shouldKeepTheNormOfAllWeights(long seed) {
        SequencePerceptron learner = learner("eta", "0.1");
        Random random = new Random(seed);
        for (int n = 0; n < 300; n++) {
            learnRandom(learner, random);
        }
        double squares = weights(learner).values().stream()
                .mapToDouble(weight -> weight * weight)
                .sum();
        assertThat(learner.weightNorm()).isCloseTo(Math.sqrt(squares), within(1e-9));
    }

    @Test
    void shouldForgetWhatLongSequencesNeeded() {
        SequencePerceptron learner = learner();
        learn(learner, tokens(new int[3000][0]), Collections.nCopies(3000, "A").toArray(String[]::new));
        learn(learner, tokens(new int[] {0}), "A");
        learner.predict(tokens(new int[2000][0]), outcome);
        assertThat(((Label.Tags) outcome.predicted()).tags()).hasSize(2000);
    }

    @Test
    void shouldSumTheStepsOfItsUpdatesWhereAllAreDifferences() {
        SequencePerceptron fixed = learner("classes", "A,B", "eta", "0.5");
        SequencePerceptron seen = learner("eta", "0.5");
        for (SequencePerceptron learner : List.of(fixed, seen)) {
            learn(learner, tokens(new int[] {0}), "B");
            learn(learner, tokens(new int[] {0}), "A");
        }
        assertThat(fixed.steps()).isEqualTo(1);
        // the first adds f(x,y) alone
        assertThat(seen.steps()).isNaN();
    }

    static SequencePerceptron learner(String... settings) {
        Map<String, String> all = new TreeMap<>();
        for (int k = 0; k < settings.length; k += 2) {
            all.put(settings[k], settings[k + 1]);
        }
        return new SequencePerceptron(Settings.DEFAULTS.with(all));
    }

    private void learnRandom(Learner learner, Random random) {
        int[][] features = features(random);
        learn(learner, tokens(features), tags(random, features));
    }

    /** One to five tokens of up to three of ten features. */
    private static int[][] features(Random random) {
        int[][] features = new int[1 + random.nextInt(5)][];
        for (int i = 0; i < features.length; i++) {
            features[i] = random.ints(1 + random.nextInt(3), 0, 10)
                    .distinct()
                    .sorted()
                    .toArray();
        }
        return features;
    }

    /** Tags that the first feature and the token before give away, most of the time. */
    private static String[] tags(Random random, int[][] features) {
        String[] tags = new String[features.length];
        for (int i = 0; i < tags.length; i++) {
            int before = i == 0 ? 0 : features[i - 1][0];
            tags[i] = "T" + (random.nextInt(10) == 0 ? random.nextInt(5) : (features[i][0] + before) % 4);
        }
        return tags;
    }

    private void learn(Learner learner, Sequence x, String... tags) {
        learner.learn(x, new Label.Tags(List.of(tags)), 1, outcome);
    }

    /** Tokens with features of value 1. */
    static Sequence tokens(int[]... features) {
        Sequence sequence = new Sequence();
        for (int[] token : features) {
            FeatureVector vector = sequence.append();
            for (int index : token) {
                vector.append(index, 1);
            }
        }
        return sequence;
    }

    private static Map<String, Double> weights(Learner learner) {
        return weights(learner, false);
    }

    /** What is not 0 of weights or means, by the name of the vector and the index, biases by the name alone. */
    private static Map<String, Double> weights(Learner learner, boolean isMean) {
        Map<String, Double> all = new TreeMap<>();
        List<String> vector = new ArrayList<>(List.of(""));
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                vector.set(0, name);
                put(name, isMean ? averagedBias : bias);
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                put(vector.get(0) + index, isMean ? averaged : weight);
            }

            private void put(String name, double value) {
                if (value != 0) {
                    all.put(name, value);
                }
            }
        });
        return all;
    }
}
