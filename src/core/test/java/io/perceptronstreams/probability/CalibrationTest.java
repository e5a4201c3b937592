package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probabilities of several classes by a trace computed apart, of votes by hand, and what is stored of them. */
final class CalibrationTest {
    /** Probabilities are shown in millionths, the others as parts of a rest in millionths. */
    private static final double TOLERANCE = 1.1e-6;

    /** Parameters are rounded to multiples of 2^-16, with sums that are rounded to multiples of 2^-10. */
    private static final double ROUNDED = 5e-4;

    private static final int TEMPERATURE = PlattScaling.NUMBERS + 1;
    private static final List<Label> TWO = List.of(Label.MINUS_ONE, Label.PLUS_ONE);

    private final Calibration calibration = new Calibration();
    private final Outcome outcome = new Outcome();

    private static List<Label> classes(int count) {
        List<Label> classes = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            classes.add(new Label.ClassName("c" + k));
        }
        return classes;
    }

    /** A prediction of the first class with the largest score. */
    private void predict(double... scores) {
        List<Label> labels = classes(scores.length);
        int best = 0;
        for (int k = 1; k < scores.length; k++) {
            best = scores[k] > scores[best] ? k : best;
        }
        outcome.predict(labels.get(best), scores[best], scores[best]);
        outcome.chosenFrom(labels, scores);
        outcome.addScores(labels, scores, scores.length);
    }

    private void predictOfTwo(double score) {
        outcome.predict(score >= 0 ? Label.PLUS_ONE : Label.MINUS_ONE, score, score);
        outcome.chosenFrom(TWO, null);
    }

    private void learn(int truth) {
        Label label = new Label.ClassName("c" + truth);
        calibration.learn(outcome, label, !outcome.predicted().equals(label));
    }

    private void requireShown(double... expected) {
        for (int k = 0; k < expected.length; k++) {
            assertThat(outcome.probability(k)).as("class %d", k).isCloseTo(expected[k], within(TOLERANCE));
        }
    }

    /*
     * The first line by hand: lead 0.5 = m, f = 1, log-odds -1 + 2 = 1, p = 0.731059; the others are 0 and -1.5 from
     * the largest of them, in mean leads 0 and -3: parts 1 and exp(-3) of the rest 0.268941.
     */
    @Test
    void shouldGoAsTheTraceSays() {
        double[][] scores = {{1, .5, -1}, {.2, .1, .9}, {2, 1.5, 1}, {0, 0, 3}, {1, 2, 2.5}};
        int[] labels = {0, 1, 1, 2, 0};
        double[][] shown = {
            {.73105857863, .256186639628, .012754781742},
            {.091246842451, .077238784589, .83151437296},
            {.568371618706, .298112992817, .133515388477},
            {.197239914561, .197239914561, .605520170878},
            {.149003924287, .447201274565, .403794801148},
        };
        double[] temperatures = {1, 1, .9103565216064453, 1.1429977416992188, 1.1429977416992188};
        for (int n = 0; n < labels.length; n++) {
            predict(scores[n]);
            calibration.forecast(outcome, 0);
            requireShown(shown[n]);
            if (n > 0) {
                assertThat(calibration.numbers().get(TEMPERATURE)).isCloseTo(temperatures[n], within(TOLERANCE));
            }
            if (n == 4) {
                assertThat(calibration.numbers().get(2)).isCloseTo(-1.45909119, within(1e-8));
                assertThat(calibration.numbers().get(3)).isCloseTo(1.64689636, within(1e-8));
                // the predicted label may be less likely than another one
                assertThat(outcome.probability())
                        .isEqualTo(outcome.probability(2))
                        .isLessThan(outcome.probability(1));
            }
            learn(labels[n]);
        }
    }

    @Test
    void shouldGiveTheOnlyClassTheProbabilityThatItIsRight() {
        predict(3);
        calibration.forecast(outcome, 0.8);

        // no lead: 1/(1 + exp(1)) = 0.268941, above 0.2
        assertThat(outcome.millionths()).isEqualTo(268_941);
        assertThat(outcome.labelSet()).containsExactly(new Label.ClassName("c0"));
        learn(0);
        predict(3);
        calibration.forecast(outcome, 0);
        assertThat(outcome.millionths()).isGreaterThan(268_941);
    }

    @Test
    void shouldLearnFromALabelThatIsNewThatThePredictionWasWrong() {
        predict(1, 0.5, -1);
        calibration.forecast(outcome, 0);
        learn(7);

        // p = 0.731059, w = 0.196612, x = (1, 1): both fall by p/(1 + 2w) = 0.524725; the others learn nothing
        assertThat(calibration.numbers().get(2)).isCloseTo(-1.524725, within(ROUNDED));
        assertThat(calibration.numbers().get(3)).isCloseTo(2 - 0.524725, within(ROUNDED));
        assertThat(calibration.numbers().subList(TEMPERATURE, Calibration.NUMBERS))
                .containsExactly(1.0, 1.0);
    }

    @Test
    void shouldFindAnIntThatStandsForAClass() {
        List<Label> names = List.of(new Label.ClassName("4"), new Label.ClassName("9"), new Label.ClassName("11"));
        outcome.predict(names.get(0), 2, 2);
        outcome.chosenFrom(names, new double[] {2, 1, 0});
        calibration.forecast(outcome, 0);
        calibration.learn(outcome, Label.of(9), true);

        // distances 0 and -1, shares 0.731 and 0.269: the nearer one was true, so it rises
        assertThat(calibration.numbers().get(TEMPERATURE)).isGreaterThan(1);
    }

    @Test
    void shouldGiveNoProbabilityWithoutALabelOrAChoice() {
        outcome.predictNothing();
        calibration.forecast(outcome, 0.9);
        assertThat(outcome.hasProbability()).isFalse();

        outcome.predict(new Label.ClassName("a"), 1, 1); // a structure
        calibration.forecast(outcome, 0.9);
        assertThat(outcome.hasProbability()).isFalse();
        assertThat(outcome.labelSet()).isNull();
        assertThat(calibration.numbers()).isEmpty();
    }

    @Test
    void shouldGiveTheLabelOfAThresholdItsOwnProbability() {
        // log-odds 3 for +1, but -1 is emitted
        outcome.predict(Label.MINUS_ONE, 0.5, 0.5);
        outcome.chosenFrom(TWO, null);
        calibration.forecast(outcome, 0.9);

        assertThat(outcome.millionths()).isEqualTo(1_000_000 - 952_574);
        assertThat(outcome.labelSet()).containsExactly(Label.PLUS_ONE);
        assertThat(calibration.probability(outcome, Label.PLUS_ONE)).isEqualTo(0.952574);

        // wrong: +1 was true, by which the parameters rise as in the trace of PlattScalingTest
        calibration.learn(outcome, Label.PLUS_ONE, true);
        assertThat(calibration.numbers().get(2)).isCloseTo(0.0417654082645025, within(ROUNDED));
    }

    @Test
    void shouldMakeTheProbabilityOfAVoteOfThePooledOnes() {
        predictOfTwo(1);
        calibration.forecastVote(outcome, 0, label -> label.equals(Label.PLUS_ONE) ? 0.8 : 0.2);
        // the first score has the mean size: f = 1, log-odds 3, as for any other
        assertThat(outcome.millionths()).isEqualTo(952_574);
        calibration.learnVote(false);

        predictOfTwo(-1);
        calibration.forecastVote(outcome, 0, label -> label.equals(Label.PLUS_ONE) ? 0.4 : 0.6);
        // ln 4 = 1.386294, ln(2/3) = -0.405465: m = 0.895880, f = -2·0.405465/1.301345 = -0.623148; parameters
        // 0.041765,
        // 3.041765, 0.041765: log-odds -1.895469, P(+1) = 0.130634
        assertThat(outcome.millionths()).isCloseTo(869_366, within(60));
    }

    @Test
    void shouldDivideTheRestOfAVoteAsItIsPooled() {
        predict(3, 2, 1);
        Map<String, Double> pooled = Map.of("c0", 0.6, "c1", 0.3, "c2", 0.1);
        calibration.forecastVote(outcome, 0.9, label -> pooled.get(label.toString()));

        // log-odds -1 + 2; the rest 3:1
        requireShown(0.7310586, 0.2689414 * 0.75, 0.2689414 * 0.25);
        assertThat(outcome.labelSet()).hasSize(2);

        // nobody has anything for the others: equal parts; the scores of the model itself are not those of the vote
        calibration.forecastVote(outcome, 0.9, label -> label.toString().equals("c0") ? 1 : 0);
        assertThat(outcome.probability(1)).isEqualTo(outcome.probability(2)).isPositive();
        assertThat(outcome.millionths()).isLessThan(Outcome.UNIT);
    }

    // a lead of 1e308 - (-1e308), and distances from the second one, are infinite
    @SeededTest
    void shouldStayValidWhateverTheScores(long seed) {
        double[] hostile = {1e308, -1e308, Double.MAX_VALUE, -Double.MAX_VALUE, 0, Double.MIN_VALUE, 1, -1};
        Random random = new Random(seed);
        for (int n = 0; n < 3_000; n++) {
            double[] scores = new double[2 + random.nextInt(3)];
            for (int k = 0; k < scores.length; k++) {
                scores[k] = hostile[random.nextInt(hostile.length)];
            }
            predict(scores);
            calibration.forecast(outcome, 0.8);
            double sum = 0;
            for (int k = 0; k < scores.length; k++) {
                sum += outcome.probability(k);
            }
            assertThat(sum).as("seed %d, example %d", seed, n).isCloseTo(1, within(scores.length * 5e-7));
            learn(random.nextInt(scores.length));
            assertThat(Calibration.of(calibration.numbers()).numbers())
                    .as("seed %d, example %d", seed, n)
                    .isEqualTo(calibration.numbers());
        }
        // and after it learns as ever: a right label with a lead is likely
        for (int n = 0; n < 3_000; n++) {
            predict(2, 1, 0);
            calibration.forecast(outcome, 0.8);
            learn(0);
        }
        assertThat(outcome.probability()).as("seed %d", seed).isGreaterThan(0.95);
    }

    @SeededTest
    void shouldShowProbabilitiesThatAddUpTo1AndSetsOfTheProbableLabels(long seed) {
        Random random = new Random(seed);
        for (int n = 0; n < 500; n++) {
            double[] scores = random.doubles(2 + random.nextInt(6), -3, 3).toArray();
            predict(scores);
            calibration.forecast(outcome, 0.8);
            double sum = 0;
            List<Label> expected = new ArrayList<>();
            double least = least(0.8);
            for (int k = 0; k < scores.length; k++) {
                sum += outcome.probability(k);
                if (outcome.probability(k) >= least) {
                    expected.add(outcome.scoredLabel(k));
                }
            }
            assertThat(sum).as("seed %d", seed).isCloseTo(1, within(scores.length * 5e-7));
            assertThat(outcome.labelSet()).as("seed %d", seed).isEqualTo(expected);
            int truth = random.nextInt(scores.length);
            learn(truth);
            boolean isCovered = outcome.labelSet().contains(new Label.ClassName("c" + truth));
            calibration.moveSets(Calibration.setStep(isCovered, 0.8));
        }
    }

    private double least(double coverage) {
        LabelSets sets = new LabelSets();
        List<Double> numbers = calibration.numbers();
        sets.restore(numbers.isEmpty() ? 0 : numbers.get(PlattScaling.NUMBERS));
        return sets.least(coverage);
    }

    /** Goes on from what was stored in either way as if nothing had happened. */
    @SeededTest
    void shouldRestoreAllThatItHasLearned(long seed) {
        for (boolean isOfTwo : new boolean[] {true, false}) {
            Random random = new Random(seed);
            Calibration live = new Calibration();
            Calibration stored = new Calibration();
            Calibration unpacked = new Calibration();
            Calibration exported = new Calibration();
            for (int n = 0; n < 300; n++) {
                if (n % 50 == 0) {
                    StoredFields out = new StoredFields();
                    live.exchange(out);
                    StoredFields in = new StoredFields(out.toBytes());
                    stored = new Calibration();
                    stored.exchange(in);
                    in.requireEnd();
                    StoredFields packed = new StoredFields();
                    StoredBits bits = new StoredBits(packed);
                    live.exchange(bits);
                    bits.end();
                    unpacked = new Calibration();
                    unpacked.exchange(new StoredBits(new StoredFields(packed.toBytes())));
                    exported = n == 0 ? new Calibration() : Calibration.of(live.numbers());
                }
                double score = random.nextGaussian();
                double[] scores = random.doubles(3).toArray();
                boolean isWrong = random.nextInt(3) == 0;
                int truth = random.nextInt(3);
                List<Object> expected = null;
                for (Calibration each : List.of(live, stored, unpacked, exported)) {
                    if (isOfTwo) {
                        predictOfTwo(score);
                    } else {
                        predict(scores);
                    }
                    each.forecast(outcome, 0.9);
                    List<Object> result = List.of(outcome.millionths(), outcome.labelSet());
                    if (isOfTwo) {
                        each.learn(outcome, Label.PLUS_ONE, isWrong);
                    } else {
                        Label label = new Label.ClassName("c" + truth);
                        each.learn(outcome, label, !label.equals(outcome.predicted()));
                    }
                    each.moveSets(Calibration.setStep(!isWrong, 0.9));
                    expected = expected == null ? result : expected;
                    assertThat(result).as("seed %d, example %d", seed, n).isEqualTo(expected);
                }
                assertThat(stored.numbers()).isEqualTo(live.numbers());
                assertThat(unpacked.numbers()).isEqualTo(live.numbers());
                assertThat(exported.numbers()).isEqualTo(live.numbers());
            }
        }
    }

    // a forecast for whoever asks must not change what is stored
    @Test
    void shouldChangeNothingByAForecast() {
        predictOfTwo(2);
        calibration.forecast(outcome, 0.9);
        assertThat(calibration.numbers()).isEmpty();

        calibration.learn(outcome, Label.PLUS_ONE, false);
        List<Double> before = calibration.numbers();
        predictOfTwo(-100);
        calibration.forecast(outcome, 0.9);
        assertThat(calibration.numbers()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({
        "0, -1", // labels
        "1, -0.5", // mean size
        "1, NaN",
        "2, Infinity",
        "3, 1e301",
        "5, -0.1", // sums of w and w·f²
        "8, -3",
        "6, 50", // w·f of more than w and w·f² allow
        "7, -50",
        "9, 1e200",
        "20, -2", // labels of a range
        "30, NaN", // sets
        "31, -1", // temperature
        "31, Infinity",
        "32, 0" // its curvature
    })
    void shouldRefuseNumbersThatNothingCanHaveLedTo(int place, double number) {
        predictOfTwo(2);
        calibration.forecast(outcome, 0.9);
        calibration.learn(outcome, Label.PLUS_ONE, false);
        List<Double> numbers = new ArrayList<>(calibration.numbers());
        assertThat(Calibration.of(numbers).numbers()).isEqualTo(numbers);
        numbers.set(place, number);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Calibration.of(numbers))
                .withMessageStartingWith("there must be 33 numbers that predictions can have led to, got [");
    }

    @ParameterizedTest
    @CsvSource({"0", "32", "34"})
    void shouldRefuseAnotherNumberOfNumbers(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Calibration.of(Arrays.stream(new double[count]).boxed().toList()));
    }
}
