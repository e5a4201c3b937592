package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class BlockVectorTest {
    private static final int LAST_BLOCK = Integer.MAX_VALUE >>> BlockVector.SHIFT;

    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldBehaveLikeAMapUnderRandomTouchesAndDrains(long seed) {
        Random random = new Random(seed);
        BlockVector vector = new BlockVector(2);
        Map<Integer, double[]> model = new HashMap<>();
        TreeSet<Integer> changed = new TreeSet<>();
        Map<Integer, double[]> drained = new TreeMap<>();
        for (int step = 0; step < 20_000; step++) {
            String where = "seed " + seed + ", step " + step;
            int number = number(random);
            int place = random.nextInt(2 * BlockVector.BLOCK);
            if (random.nextInt(4) > 0) {
                double value = random.nextGaussian();
                vector.touch(number)[place] = value;
                model.computeIfAbsent(number, any -> new double[2 * BlockVector.BLOCK])[place] = value;
                changed.add(number);
            } else {
                double[] block = vector.find(number);
                assertThat(block).as(where).isEqualTo(model.get(number));
            }
            if (random.nextInt(500) == 0) {
                assertThat(drain(vector, drained)).as(where).containsExactlyElementsOf(changed);
                changed.clear();
            }
        }
        drain(vector, drained);

        assertThat(vector.count()).as("seed %d", seed).isEqualTo(model.size());
        assertThat(drained.keySet()).as("seed %d", seed).isEqualTo(model.keySet());
        drained.forEach((number, block) ->
                assertThat(block).as("seed %d, block %d", seed, number).isEqualTo(model.get(number)));
    }

    // Neighbours, multiples of large powers of two (which collide in a masked table), anything, and the last one.
    private static int number(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(300);
            case 1 -> random.nextInt(256) << 16;
            case 2 -> LAST_BLOCK - random.nextInt(20);
            default -> random.nextInt(LAST_BLOCK + 1);
        };
    }

    private static List<Integer> drain(BlockVector vector, Map<Integer, double[]> into) {
        List<Integer> numbers = new ArrayList<>();
        vector.drainChanged((number, block) -> {
            numbers.add(number);
            into.put(number, block.clone());
        });
        return numbers;
    }

    /** More indices than the cache has room for, changes between reads, and all that empties a vector. */
    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldReadWhatStandsInTheBlocks(long seed) {
        Random random = new Random(seed);
        int[] known = random.ints(60_000, 0, Integer.MAX_VALUE).toArray();
        BlockVector vector = new BlockVector(2);
        int read = 0;
        int cached = 0;
        for (int step = 0; step < 20_000; step++) {
            for (int k = random.nextInt(20); k > 0; k--) {
                int index = known[random.nextInt(random.nextBoolean() ? 100 : known.length)];
                double[] block = vector.find(index >>> BlockVector.SHIFT);
                double expected = block == null ? 0 : block[index & BlockVector.MASK];
                assertThat(vector.read(index))
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(expected);
                int slot = vector.cache().slot(index);
                if (vector.cache().index(slot) == index) {
                    assertThat(vector.cache().number(slot))
                            .as("seed %d, step %d, cached", seed, step)
                            .isEqualTo(expected);
                    cached++;
                }
                read++;

                double changed = random.nextGaussian();
                block = vector.touch(index >>> BlockVector.SHIFT);
                block[index & BlockVector.MASK] = changed;
                block[BlockVector.BLOCK + (index & BlockVector.MASK)] = -changed;
                vector.changed(index, changed);
            }
            if (step == 15_000) {
                assertThat(vector.isSpread()).isTrue();
                vector.clear();
            }
        }
        assertThat(cached).as("seed %d", seed).isGreaterThan(read / 100 * 95);
    }

    /** Neighbours, indices with gaps and those beyond the front, changes between reads, and all that empties a vector. */
    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldHaveInFrontWhatStandsInTheBlocks(long seed) {
        Random random = new Random(seed);
        BlockVector vector = new BlockVector(2);
        Map<Integer, Double> model = new HashMap<>();
        int range = 1;
        for (int step = 0; step < 200_000; step++) {
            if (step % 10_000 == 0) {
                range = 1 << random.nextInt(8, 20);
            }
            int index = random.nextInt(range);
            assertThat(inFront(vector, index))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(model.getOrDefault(index, 0.0));

            double changed = random.nextGaussian();
            double[] block = vector.touch(index >>> BlockVector.SHIFT);
            block[index & BlockVector.MASK] = changed;
            block[BlockVector.BLOCK + (index & BlockVector.MASK)] = -changed;
            vector.changed(index, changed);
            model.put(index, changed);
            if (step == 100_000) {
                vector.clear();
                model.clear();
            }
        }
        model.forEach((index, number) ->
                assertThat(inFront(vector, index)).as("seed %d", seed).isEqualTo(number));
    }

    private static double inFront(BlockVector vector, int index) {
        double[] front = vector.front();
        double[] block = vector.find(index >>> BlockVector.SHIFT);
        return index < front.length ? front[index] : block == null ? 0 : block[index & BlockVector.MASK];
    }

    @Test
    void shouldHaveBlocksInFrontOfWhichHalfWasTouched() {
        BlockVector vector = new BlockVector(1);
        List<Integer> lengths = new ArrayList<>();
        for (int number : new int[] {1, 0, 3, 1023, 1024}) {
            vector.touch(number);
            lengths.add(vector.front().length / BlockVector.BLOCK);
        }
        assertThat(lengths).containsExactly(2, 4, 4, 4, 4);

        for (int number = 4; number < 511; number++) {
            vector.touch(number);
        }
        assertThat(vector.front().length).isEqualTo(512 * BlockVector.BLOCK);

        vector.touch(2);
        assertThat(vector.front().length).isEqualTo(1024 * BlockVector.BLOCK);
    }

    @Test
    void shouldCountTheFrontAsHeap() {
        BlockVector read = new BlockVector(2);
        BlockVector unread = new BlockVector(2);
        for (int number = 0; number < 1024; number++) {
            read.touch(number);
            unread.touch(number);
        }
        read.front();

        assertThat(read.heapBytes() - unread.heapBytes()).isEqualTo(1L << 20);
    }

    @Test
    void shouldCountWhatItReadAsHeap() {
        BlockVector vector = new BlockVector(2);
        long before = vector.heapBytes();

        // each twice
        IntStream.range(0, 6_000).map(k -> 1_000 * (k % 3_000)).forEach(vector::read);

        // 8,192 slots of 14 bytes, and 1,024 buckets of 5
        assertThat(vector.heapBytes() - before).isEqualTo(8_192 * 14 + 1_024 * 5);
    }

    @Test
    void shouldForgetTheFrontOfABlockThatIsPutBack() {
        BlockVector vector = new BlockVector(1);
        vector.touch(1);
        assertThat(inFront(vector, 7)).isZero();
        double[] block = new double[BlockVector.BLOCK];
        block[7] = 3;

        vector.restore(0, block);

        assertThat(inFront(vector, 7)).isEqualTo(3);
    }

    @Test
    void shouldForgetWhatItReadOfABlockThatIsPutBack() {
        BlockVector vector = new BlockVector(1);
        assertThat(vector.read(7)).isZero();
        double[] block = new double[BlockVector.BLOCK];
        block[7] = 3;

        vector.restore(0, block);

        assertThat(vector.read(7)).isEqualTo(3);
    }

    @Test
    void shouldHoldTheLargestIndexWithoutHoldingTheOthers() {
        BlockVector vector = new BlockVector(1);

        vector.touch(LAST_BLOCK)[Integer.MAX_VALUE & BlockVector.MASK] = 1;

        assertThat(vector.find(LAST_BLOCK)[127]).isEqualTo(1);
        assertThat(vector.count()).isEqualTo(1);
        assertThat(vector.heapBytes()).isLessThan(10_000);
    }

    @Test
    void shouldAllocateNothingWhenRead() {
        BlockVector vector = new BlockVector(1);

        assertThat(vector.find(0)).isNull();
        assertThat(vector.count()).isZero();
        assertThat(drain(vector, new HashMap<>())).isEmpty();
    }

    @Test
    void shouldHandOverABlockOnceForAnyNumberOfChanges() {
        BlockVector vector = new BlockVector(1);
        vector.touch(5);
        vector.touch(3);
        vector.touch(5);

        assertThat(drain(vector, new HashMap<>())).containsExactly(3, 5);
        assertThat(drain(vector, new HashMap<>())).isEmpty();
    }

    @Test
    void shouldHandOverABlockAgainWhenItChangesAgain() {
        BlockVector vector = new BlockVector(1);
        vector.touch(5);
        vector.touch(3);
        drain(vector, new HashMap<>());
        vector.touch(5);

        assertThat(drain(vector, new HashMap<>())).containsExactly(5);
    }

    @Test
    void shouldKeepChangesThroughGrowth() {
        BlockVector vector = new BlockVector(1);
        vector.touch(1);
        drain(vector, new HashMap<>());
        List<Integer> touched = new ArrayList<>();
        for (int number = 100; number < 200; number++) {
            vector.touch(number);
            touched.add(number);
        }

        assertThat(drain(vector, new HashMap<>())).isEqualTo(touched);
    }

    @Test
    void shouldRegardARestoredBlockAsUnchanged() {
        BlockVector vector = new BlockVector(1);
        double[] block = new double[BlockVector.BLOCK];
        block[7] = 0.5;

        vector.restore(LAST_BLOCK, block);

        assertThat(vector.find(LAST_BLOCK)).isEqualTo(block);
        assertThat(drain(vector, new HashMap<>())).isEmpty();
        vector.touch(LAST_BLOCK);
        assertThat(drain(vector, new HashMap<>())).containsExactly(LAST_BLOCK);
    }

    @Test
    void shouldRefuseToRestoreABlockThatIsThere() {
        BlockVector vector = new BlockVector(1);
        vector.touch(4);

        assertThatThrownBy(() -> vector.restore(4, new double[BlockVector.BLOCK]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("block 4 is already there");
    }

    @Test
    void shouldRefuseToRestoreABlockOfAnotherLength() {
        assertThatThrownBy(() -> new BlockVector(2).restore(4, new double[BlockVector.BLOCK]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("block 4 must have 256 numbers, got 128");
    }

    @Test
    void shouldShowAllBlocksInAscendingNumber() {
        BlockVector vector = new BlockVector(1);
        List.of(LAST_BLOCK, 0, 65536, 17).forEach(vector::touch);
        List<Integer> numbers = new ArrayList<>();

        vector.forEach((number, block) -> numbers.add(number));

        assertThat(numbers).containsExactly(0, 17, 65536, LAST_BLOCK);
    }
}
