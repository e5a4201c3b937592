package io.perceptronstreams.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is counted of probabilities, by brute force. */
final class ReliabilityTest {
    private static final List<Label> CLASSES =
            List.of(new Label.ClassName("a"), new Label.ClassName("b"), new Label.ClassName("c"));

    private final Reliability reliability = new Reliability();
    private final Outcome outcome = new Outcome();

    private void predict(int millionths, boolean isWrong) {
        outcome.predict(Label.PLUS_ONE, 0, 0);
        outcome.forecast(millionths, null);
        outcome.emittedEarlier(Label.PLUS_ONE, isWrong);
    }

    private void add(int millionths, boolean isWrong, boolean isNegative) {
        predict(millionths, isWrong);
        reliability.add(outcome, isNegative);
    }

    @SeededTest
    void shouldHaveTheExpectedErrorOfItsDefinition(long seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(400);
        int[] p = new int[count]; // of the event
        boolean[] isTrue = new boolean[count];
        for (int n = 0; n < count; n++) {
            int predicted = 1 + random.nextInt(999_999);
            boolean isWrong = random.nextInt(4) == 0;
            boolean isNegative = random.nextBoolean();
            add(predicted, isWrong, isNegative);
            p[n] = isNegative ? 1_000_000 - predicted : predicted;
            isTrue[n] = isNegative == isWrong;
        }
        double expected = 0;
        for (int range = 0; range < 10; range++) {
            double distance = 0;
            for (int n = 0; n < count; n++) {
                distance += p[n] / 100_000 == range ? p[n] / 1e6 - (isTrue[n] ? 1 : 0) : 0;
            }
            expected += Math.abs(distance) / count;
        }
        // the sums of the ten ranges, in hundredths, are off by some 0.004 times the root of their examples
        assertThat(Reliability.expectedError(reliability.ranges()))
                .as("seed %d", seed)
                .isCloseTo(expected, within((0.1 + 0.04 * Math.sqrt(count)) / count));
    }

    /** What is rounded to a hundredth has no bias: the sum of n is off by some 0.004 times the root of n. */
    @SeededTest
    void shouldRoundProbabilitiesWithoutBias(long seed) {
        Random random = new Random(seed);
        for (int p : new int[] {900_000 + random.nextInt(99_999), 999_999, 999_500, 900_001}) {
            Reliability each = new Reliability();
            long sum = 0;
            for (int n = 1; n <= 5_000; n++) {
                int millionths = random.nextBoolean() ? p : 900_000 + random.nextInt(99_999);
                predict(millionths, false);
                each.add(outcome, false);
                sum += millionths;
                assertThat(each.ranges().get(0).probability() * n)
                        .as("seed %d, %d, example %d", seed, p, n)
                        .isCloseTo(sum / 1e6, within(0.05 + 0.02 * Math.sqrt(n)));
            }
        }
        // equal ones without exception
        Reliability equal = new Reliability();
        for (int n = 0; n < 100_000; n++) {
            predict(712_345, true);
            equal.add(outcome, false);
        }
        assertThat(equal.ranges().get(0).probability()).isCloseTo(0.712345, within(1e-6));
    }

    @Test
    void shouldCountTheEventOfEachRange() {
        // of two classes P(+1): 0.8 and 0.85, one true; 0.1 of a predicted -1 that is right
        add(800_000, false, false);
        add(850_000, true, false);
        add(900_000, false, true);
        add(999_999, false, false);

        assertThat(reliability.ranges())
                .containsExactly(
                        new Reliability.Range(1, 0.1, 0),
                        new Reliability.Range(2, 0.825, 0.5),
                        // in hundredths
                        new Reliability.Range(1, 1, 1));
        // (0.1 + 2·0.325)/4
        assertThat(Reliability.expectedError(reliability.ranges())).isCloseTo(0.1875, within(1e-12));
    }

    @Test
    void shouldHaveNoErrorWithoutExamples() {
        assertThat(reliability.isEmpty()).isTrue();
        assertThat(reliability.ranges()).isEmpty();
        assertThat(Reliability.expectedError(reliability.ranges())).isNaN();
    }

    @Test
    void shouldRestoreItsCounts() {
        add(700_000, true, false);
        add(30_000, true, true);
        StoredFields out = new StoredFields();
        reliability.exchange(out);
        Reliability restored = new Reliability();
        restored.exchange(new StoredFields(out.toBytes()));

        assertThat(restored.ranges()).isEqualTo(reliability.ranges()).hasSize(2);
        StoredFields packed = new StoredFields();
        StoredBits bits = new StoredBits(packed);
        reliability.exchange(bits, 2);
        bits.end();
        Reliability unpacked = new Reliability();
        unpacked.exchange(new StoredBits(new StoredFields(packed.toBytes())), 2);
        assertThat(unpacked.ranges()).isEqualTo(reliability.ranges());
        restored.exchange(new StoredFields(new byte[] {0}));
        assertThat(restored.isEmpty()).isTrue();
        StoredFields more = new StoredFields();
        long[] counts = new long[31];
        counts[30] = 1;
        more.counts(counts);
        assertThatThrownBy(() -> restored.exchange(new StoredFields(more.toBytes())))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("have 10 ranges of probabilities");
    }

    @SeededTest
    void shouldSumScoresAndSets(long seed) {
        Random random = new Random(seed);
        Counts counts = new Counts();
        double squares = 0;
        double logs = 0;
        long sets = 0;
        long covered = 0;
        long labels = 0;
        long unsure = 0;
        for (int n = 0; n < 500; n++) {
            int p = 1 + random.nextInt(999_999);
            boolean isWrong = random.nextBoolean();
            predict(p, isWrong);
            List<Label> set = random.nextInt(5) == 0 ? null : new ArrayList<>(CLASSES.subList(0, random.nextInt(4)));
            outcome.forecast(p, set);
            boolean isCovered = set != null && !set.isEmpty() && random.nextBoolean();
            outcome.cover(isCovered);
            counts.add(Label.PLUS_ONE, outcome);
            double missing = isWrong ? p / 1e6 : 1 - p / 1e6;
            squares += missing * missing;
            logs -= Math.log(1 - missing);
            sets += set == null ? 0 : 1;
            covered += isCovered ? 1 : 0;
            labels += set == null ? 0 : set.size();
            unsure += set == null || set.size() == 1 ? 0 : 1;
        }
        // each is rounded to half a millionth
        String seedText = "seed " + seed;
        assertThat(counts.of(Counts.Counter.SQUARED_MILLIONTHS) / 1e6)
                .as(seedText)
                .isCloseTo(squares, within(2.5e-4));
        assertThat(counts.of(Counts.Counter.LOG_LOSS_MILLIONTHS) / 1e6)
                .as(seedText)
                .isCloseTo(logs, within(2.5e-4));
        assertThat(counts.of(Counts.Counter.PROBABILITIES)).isEqualTo(500);
        assertThat(counts.of(Counts.Counter.SETS)).as(seedText).isEqualTo(sets);
        assertThat(counts.of(Counts.Counter.COVERED)).as(seedText).isEqualTo(covered);
        assertThat(counts.of(Counts.Counter.SET_LABELS)).as(seedText).isEqualTo(labels);
        assertThat(counts.of(Counts.Counter.UNSURE)).as(seedText).isEqualTo(unsure);
    }

    @Test
    void shouldCountNoProbabilityBeforeTheLabelOrWithoutOne() {
        Counts counts = new Counts();
        predict(700_000, false);
        counts.add(null, outcome);
        outcome.clearForecast();
        counts.add(Label.PLUS_ONE, outcome);

        assertThat(counts.of(Counts.Counter.PROBABILITIES)).isZero();
        assertThat(counts.of(Counts.Counter.LOG_LOSS_MILLIONTHS)).isZero();
    }
}
