package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.TableContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;

class FeatureDifferenceTest {
    @SeededTest
    void shouldHoldTheSumsOfItsEntriesInOrderWithoutZeros(long seed) {
        Random random = new Random(seed);
        FeatureDifference difference = new FeatureDifference();
        // in turn small, and larger than is kept
        for (int size : new int[] {10, 1000, 3, 100_000, 50}) {
            Map<Long, Double> sums = new TreeMap<>();
            difference.clear();
            for (int k = 0; k < size; k++) {
                int row = random.nextInt(size) * (Integer.MAX_VALUE / size);
                int column = random.nextInt(3);
                int value = random.nextBoolean() ? 1 : -1;
                difference.add(row, column, value);
                sums.merge((long) row << 32 | column, (double) value, Double::sum);
            }
            sums.values().removeIf(sum -> sum == 0);

            difference.sort();

            List<String> entries = new ArrayList<>();
            for (int k = 0; k < difference.size(); k++) {
                entries.add(difference.row(k) + " " + difference.column(k) + " " + difference.value(k));
            }
            List<String> expected = new ArrayList<>();
            sums.forEach((key, sum) -> expected.add((key >>> 32) + " " + key.intValue() + " " + sum));
            assertThat(entries).isEqualTo(expected);
            assertThat(difference.squaredNorm())
                    .isEqualTo(
                            sums.values().stream().mapToDouble(sum -> sum * sum).sum());
        }
    }

    @Nested
    final class OfChosenFeatures extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            FeatureDifference difference = new FeatureDifference();
            for (int key : keys) {
                difference.add(key, 0, 1);
            }
            return 1 + (double) difference.distances() / keys.length;
        }
    }
}
