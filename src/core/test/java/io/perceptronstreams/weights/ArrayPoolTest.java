package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayPoolTest {
    private final ArrayPool pool = ArrayPool.ofThread();

    @Test
    void shouldHandOutAnOutgrownArray() {
        double[] doubles = pool.doubles(1234);
        int[] ints = pool.ints(1234);
        long before = pool.heapBytes();

        pool.giveBack(doubles);
        pool.giveBack(ints);

        assertThat(pool.heapBytes()).isEqualTo(before + 12 * 1234);
        assertThat(pool.doubles(1234)).isSameAs(doubles);
        assertThat(pool.ints(1234)).isSameAs(ints);
        assertThat(pool.doubles(1234)).isNotSameAs(doubles);
        assertThat(pool.ints(1234)).isNotSameAs(ints);
        assertThat(pool.heapBytes()).isEqualTo(before);
    }

    @Test
    void shouldHandOutOutgrownSlotsAsZeros() {
        char[] chars = pool.chars(1234);
        chars[7] = 1;
        long before = pool.heapBytes();

        pool.giveBack(chars);

        assertThat(pool.heapBytes()).isEqualTo(before + 2 * 1234);
        assertThat(pool.chars(1234)).isSameAs(chars).containsOnly((char) 0);
        assertThat(pool.chars(1234)).isNotSameAs(chars);
        assertThat(pool.heapBytes()).isEqualTo(before);
    }

    @Test
    void shouldKeepAtMost256KibibytesOfALength() {
        long before = pool.heapBytes();
        for (int k = 0; k < 10; k++) {
            pool.giveBack(new double[10_000]);
            pool.giveBack(new int[10_001]);
        }
        pool.giveBack(new double[32_769]);

        assertThat(pool.heapBytes() - before).isEqualTo(3 * 80_000 + 6 * 40_004);
    }

    @Test
    void shouldKeepAtMost16MebibytesInAll() throws Exception {
        long bytes = inThreadOfItsOwn(() -> {
            for (int length = 1; length <= 1_000; length++) {
                for (int k = 0; k < 100; k++) {
                    ArrayPool.ofThread().giveBack(new double[length]);
                }
            }
            return ArrayPool.ofThread().heapBytes();
        });

        assertThat(bytes).isBetween((16L << 20) - 8_000, 16L << 20);
    }

    /** Each model that is read again has another size. */
    @Test
    void shouldKeepNothingOfARestoredTable() throws Exception {
        long bytes = inThreadOfItsOwn(() -> {
            for (int size = 1; size <= 500; size++) {
                BlockVector restored = new BlockVector(2);
                restored.restoreEntries(
                        IntStream.range(0, size).map(k -> k * 1_001).toArray(), new double[2 * size]);
            }
            return ArrayPool.ofThread().heapBytes();
        });

        assertThat(bytes).isZero();
    }

    private static long inThreadOfItsOwn(Callable<Long> task) throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            return other.submit(task).get();
        } finally {
            other.shutdown();
        }
    }

    @Test
    void shouldBelongToAThread() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            assertThat(other.submit(ArrayPool::ofThread).get()).isNotSameAs(pool);
            assertThat(ArrayPool.ofThread()).isSameAs(pool);
        } finally {
            other.shutdown();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void shouldNotMixTheNumbersOfVectorsThatGrowByTurns(long seed) {
        Random random = new Random(seed);
        List<BlockVector> vectors = new ArrayList<>();
        List<Map<Integer, Double>> expected = new ArrayList<>();
        for (int k = 0; k < 40; k++) {
            vectors.add(new BlockVector(1 + k % 3));
            expected.add(new HashMap<>());
        }
        for (int step = 0; step < 60_000; step++) {
            int which = random.nextInt(vectors.size());
            BlockVector vector = vectors.get(which);
            // few indices of some, so that they have different sizes
            int index = random.nextInt(50 * (which + 1)) * 1_001;
            if (step % 5_000 == 4_999) {
                // both go on
                vectors.add(vector.copy());
                expected.add(new HashMap<>(expected.get(which)));
            } else if (step % 7_000 == 6_999) {
                vector.clear();
                expected.get(which).clear();
            }
            double number = random.nextGaussian();
            vector.write(index, vector.lanes() - 1, number);
            expected.get(which).put(index, number);
        }
        for (int which = 0; which < vectors.size(); which++) {
            BlockVector vector = vectors.get(which);
            Map<Integer, Double> found = new HashMap<>();
            vector.forEachEntry((index, numbers, from) -> {
                found.put(index, numbers[from + vector.lanes() - 1]);
                for (int lane = 0; lane < vector.lanes() - 1; lane++) {
                    assertThat(numbers[from + lane]).isZero();
                }
            });
            assertThat(found).as("vector %d", which).isEqualTo(expected.get(which));
        }
    }
}
