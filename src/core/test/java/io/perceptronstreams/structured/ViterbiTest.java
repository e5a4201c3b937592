package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

class ViterbiTest {
    private final Viterbi viterbi = new Viterbi();
    private final TagScores scores = new TagScores();

    /** Scores from -1 to 1, so that most cases have ties. */
    @SeededTest
    void shouldFindWhatEnumerationFindsAndBreakTiesAsDocumented(long seed) {
        Random random = new Random(seed);
        int ties = 0;
        for (int round = 0; round < 2_000; round++) {
            int n = 1 + random.nextInt(5);
            int tags = 1 + random.nextInt(4);
            fill(n, tags, () -> random.nextInt(3) - 1);
            List<int[]> all = sequences(n, tags);
            double highest = all.stream()
                    .mapToDouble(path -> Viterbi.score(n, tags, scores, path))
                    .max()
                    .orElseThrow();
            List<int[]> best = all.stream()
                    .filter(path -> Viterbi.score(n, tags, scores, path) == highest)
                    .toList();
            int[] path = new int[n + 3];

            viterbi.decode(n, tags, scores, path);

            assertThat(viterbi.score()).isEqualTo(highest);
            assertThat(Arrays.copyOf(path, n))
                    .isEqualTo(best.stream().min(FROM_THE_END).orElseThrow());
            ties += best.size() > 1 ? 1 : 0;
        }
        assertThat(ties).isGreaterThan(500);
    }

    @SeededTest
    void shouldFindTheBestOfAllOtherSequences(long seed) {
        Random random = new Random(seed);
        int ties = 0;
        for (int round = 0; round < 3_000; round++) {
            int n = 1 + random.nextInt(5);
            int tags = 2 + random.nextInt(3);
            boolean isRounded = round % 3 == 0;
            fill(
                    n,
                    tags,
                    isRounded
                            ? () -> random.nextGaussian() * Math.pow(10, random.nextInt(30) - 15)
                            : () -> random.nextInt(3) - 1);
            List<int[]> all = sequences(n, tags);
            int[] excluded = all.get(random.nextInt(all.size())).clone();
            if (random.nextBoolean()) {
                viterbi.decode(n, tags, scores, excluded);
            }
            List<int[]> others =
                    all.stream().filter(path -> !Arrays.equals(path, excluded)).toList();
            double highest = others.stream()
                    .mapToDouble(path -> Viterbi.score(n, tags, scores, path))
                    .max()
                    .orElseThrow();
            List<int[]> best = others.stream()
                    .filter(path -> Viterbi.score(n, tags, scores, path) == highest)
                    .toList();
            int[] path = new int[n + 3];

            viterbi.decodeOther(n, tags, scores, excluded, path);

            assertThat(viterbi.score()).isEqualTo(highest);
            int[] found = Arrays.copyOf(path, n);
            assertThat(found).isNotEqualTo(excluded);
            assertThat(Viterbi.score(n, tags, scores, found)).isEqualTo(highest);
            if (!isRounded) {
                assertThat(found).isEqualTo(best.stream().min(FROM_THE_END).orElseThrow());
                ties += best.size() > 1 ? 1 : 0;
            }
        }
        assertThat(ties).isGreaterThan(300);
    }

    /** The order of two sequences by their last tags, if these are equal by those before, and so on. */
    private static final Comparator<int[]> FROM_THE_END = (one, other) -> {
        int i = one.length - 1;
        while (i > 0 && one[i] == other[i]) {
            i--;
        }
        return Integer.compare(one[i], other[i]);
    };

    @SeededTest
    void shouldNotBeSurpassedByAnySequenceWhenSumsAreRounded(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            int n = 1 + random.nextInt(4);
            int tags = 1 + random.nextInt(4);
            fill(n, tags, () -> random.nextGaussian() * Math.pow(10, random.nextInt(30) - 15));
            int[] path = new int[n];

            viterbi.decode(n, tags, scores, path);

            assertThat(viterbi.score()).isEqualTo(Viterbi.score(n, tags, scores, path));
            assertThat(sequences(n, tags)).allMatch(any -> Viterbi.score(n, tags, scores, any) <= viterbi.score());
        }
    }

    /** start 1 2, e 10 20 | 30 40, after 100 200 | 300 400, stop 1000 2000: each term of the formula once. */
    @Test
    void shouldAddEveryTermOnce() {
        scores.clear(2, 2);
        fill(scores.start, 1, 2);
        fill(scores.emissions[0], 10, 20);
        fill(scores.emissions[1], 30, 40);
        fill(scores.after[0], 100, 200);
        fill(scores.after[1], 300, 400);
        fill(scores.stop, 1000, 2000);

        assertThat(Viterbi.score(2, 2, scores, new int[] {0, 1})).isEqualTo(1 + 10 + 200 + 40 + 2000);
        assertThat(Viterbi.score(2, 2, scores, new int[] {1, 0})).isEqualTo(2 + 20 + 300 + 30 + 1000);
        // tag 2 is not known: neither it nor its pairs have a score
        assertThat(Viterbi.score(2, 2, scores, new int[] {2, 1})).isEqualTo(40 + 2000);
        assertThat(Viterbi.score(2, 2, scores, new int[] {1, 2})).isEqualTo(2 + 20);
    }

    @Test
    void shouldTellOverflowsByTheScore() {
        scores.clear(2, 2);
        scores.emissions[0][1] = Double.MAX_VALUE;
        scores.emissions[1][1] = Double.MAX_VALUE;
        viterbi.decode(2, 2, scores, new int[2]);
        assertThat(viterbi.score()).isInfinite();

        scores.emissions[1][1] = Double.NaN;
        viterbi.decode(2, 2, scores, new int[2]);
        assertThat(viterbi.score()).isNaN();
    }

    private void fill(int n, int tags, DoubleSupplier numbers) {
        scores.clear(n, tags);
        for (int t = 0; t < tags; t++) {
            scores.start[t] = numbers.getAsDouble();
            scores.stop[t] = numbers.getAsDouble();
            for (int i = 0; i < n; i++) {
                scores.emissions[i][t] = numbers.getAsDouble();
            }
            for (int p = 0; p < tags; p++) {
                scores.after[p][t] = numbers.getAsDouble();
            }
        }
    }

    private static void fill(double[] target, double... numbers) {
        System.arraycopy(numbers, 0, target, 0, numbers.length);
    }

    private static List<int[]> sequences(int n, int tags) {
        List<int[]> all = new ArrayList<>();
        for (int number = 0; number < Math.pow(tags, n); number++) {
            int[] path = new int[n];
            int digits = number;
            for (int i = 0; i < n; i++) {
                path[i] = digits % tags;
                digits /= tags;
            }
            all.add(path);
        }
        return all;
    }
}
