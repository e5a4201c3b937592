package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SparseRowsTest {
    /** A number of a row, by its column, and whether it belongs to the average. */
    private record Place(int index, int column, boolean isAverage) {}

    /** Bit for bit: the order of the additions is part of the contract. */
    @SeededTest
    void shouldAddTheProductsOfRowsOfAnyLengthInAscendingIndex(long seed) {
        Random random = new Random(seed);
        for (int columns = 1; columns <= 20; columns++) {
            SparseRows rows = new SparseRows();
            for (int touches = random.nextInt(60); touches > 0; touches--) {
                double[] row = rows.touch(random.nextInt(30), 1 + random.nextInt(columns));
                for (int k = 0; k < row.length; k++) {
                    row[k] = k % SparseRows.columns(row) < columns ? random.nextGaussian() : 0;
                }
            }
            FeatureVector x = new FeatureVector();
            boolean isDense = random.nextBoolean();
            x = isDense ? x.resetDense() : x.resetSparse();
            for (int index = 0; index < 30; index++) {
                if (isDense) {
                    x.append(random.nextGaussian());
                } else if (random.nextBoolean()) {
                    x.append(index, random.nextGaussian());
                }
            }
            boolean ofAverages = random.nextBoolean();
            double[] sums = random.doubles(SparseRows.roundedUp(columns)).toArray();
            double[] expected = sums.clone();
            for (int c = 0; c < columns; c++) {
                for (int k = 0; k < x.size(); k++) {
                    expected[c] += x.values()[k] * value(rows.find(x.index(k)), new Place(x.index(k), c, ofAverages));
                }
            }

            rows.addProduct(x, ofAverages, sums);

            assertThat(sums).as("seed %d, %d columns", seed, columns).containsExactly(expected);
        }
    }

    @SeededTest
    void shouldBehaveLikeAMapWhileRowsGrow(long seed) {
        Random random = new Random(seed);
        SparseRows rows = new SparseRows();
        Map<Place, Double> model = new HashMap<>();
        TreeSet<Integer> changed = new TreeSet<>();
        Map<Integer, double[]> drained = new TreeMap<>();
        for (int step = 0; step < 20_000; step++) {
            Place place = new Place(index(random), random.nextInt(1 + random.nextInt(40)), random.nextBoolean());
            if (random.nextInt(3) > 0) {
                double value = random.nextGaussian();
                double[] row = rows.touch(place.index(), place.column() + 1);
                assertThat(SparseRows.columns(row)).isGreaterThan(place.column());
                row[position(row, place)] = value;
                model.put(place, value);
                changed.add(place.index());
            } else {
                assertThat(value(rows.find(place.index()), place))
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(model.getOrDefault(place, 0.0));
            }
            if (random.nextInt(500) == 0) {
                assertThat(drain(rows, drained)).as("seed %d", seed).containsExactlyElementsOf(changed);
                changed.clear();
            }
        }
        drain(rows, drained);
        SparseRows restored = new SparseRows();
        drained.forEach(restored::restore);

        model.forEach((place, value) -> {
            assertThat(value(rows.find(place.index()), place))
                    .as("seed %d", seed)
                    .isEqualTo(value);
            assertThat(value(restored.find(place.index()), place))
                    .as("seed %d", seed)
                    .isEqualTo(value);
        });
        assertThat(restored.count()).isEqualTo(rows.count()).isEqualTo(drained.size());
        assertThat(restored.numbers())
                .isEqualTo(rows.numbers())
                .isEqualTo(
                        drained.values().stream().mapToLong(row -> row.length).sum());
        assertThat(drain(restored, new HashMap<>())).isEmpty();
    }

    private static int index(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextInt(300);
            case 1 -> Integer.MAX_VALUE - random.nextInt(20);
            default -> random.nextInt(64) << 24;
        };
    }

    private static int position(double[] row, Place place) {
        return place.column() + (place.isAverage() ? SparseRows.columns(row) : 0);
    }

    private static double value(double[] row, Place place) {
        return row == null || place.column() >= SparseRows.columns(row) ? 0 : row[position(row, place)];
    }

    private static List<Integer> drain(SparseRows rows, Map<Integer, double[]> into) {
        List<Integer> numbers = new ArrayList<>();
        rows.drainChanged((number, row) -> {
            numbers.add(number);
            into.put(number, row.clone());
        });
        return numbers;
    }

    @Test
    void shouldForetellHowManyNumbersATouchAllocates() {
        SparseRows rows = new SparseRows();
        for (int columns : new int[] {3, 1, 4, 5, 9, 5}) {
            long before = rows.numbers();
            int foretold = rows.newNumbers(7, columns);

            rows.touch(7, columns);

            assertThat(rows.numbers() - before).isEqualTo(foretold);
        }
        // k of 4, then 8, then 12
        assertThat(rows.numbers()).isEqualTo(24);
    }

    @Test
    void shouldCountItsHeap() {
        SparseRows rows = new SparseRows();
        long empty = rows.heapBytes();

        rows.touch(0, 1000);

        assertThat(rows.heapBytes() - empty).isBetween(16_000L, 20_000L);
    }

    @Test
    void shouldRefuseToRestoreWhatIsNoRow() {
        SparseRows rows = new SparseRows();
        rows.touch(1, 1);

        assertThatThrownBy(() -> rows.restore(0, new double[12]))
                .hasMessage("row 0 must have a multiple of 8 numbers, got 12");
        assertThatThrownBy(() -> rows.restore(1, new double[8])).isInstanceOf(IllegalStateException.class);
        assertThat(rows.numbers()).isEqualTo(8);
    }

    @Test
    void shouldKeepOneNumberForEachColumnWithoutAverages() {
        SparseRows rows = SparseRows.withoutAverages();
        double[] row = rows.touch(7, 3);
        row[2] = 5;

        assertThat(rows.newNumbers(7, 4)).isZero();
        assertThat(rows.newNumbers(7, 9)).isEqualTo(8);
        assertThat(rows.touch(7, 9)).hasSize(12).startsWith(0, 0, 5, 0, 0);
        assertThat(rows.numbers()).isEqualTo(12);
        assertThatThrownBy(() -> rows.restore(8, new double[6])).hasMessageContaining("a multiple of 4 numbers, got 6");
        rows.restore(8, new double[4]);
        assertThat(rows.numbers()).isEqualTo(16);
    }
}
