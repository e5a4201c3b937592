package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BlockVectorTest {
    private static final int LAST_BLOCK = Integer.MAX_VALUE >>> BlockVector.SHIFT;

    /** Against a map, in both forms and across the switch; reads, products, changed blocks and all blocks. */
    @SeededTest
    void shouldBehaveLikeAMap(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            int lanes = 1 + random.nextInt(3);
            int[] known = indices(random, 1 + random.nextInt(1200));
            BlockVector vector = new BlockVector(lanes);
            Map<Integer, double[]> model = new TreeMap<>();
            TreeSet<Integer> changed = new TreeSet<>();
            boolean isSmall = true;
            for (int step = 0; step < 3_000; step++) {
                String where = "seed " + seed + ", round " + round + ", step " + step;
                int index = known[random.nextInt(known.length)];
                int lane = random.nextInt(lanes);
                if (random.nextBoolean()) {
                    double number = random.nextGaussian();
                    isSmall &= model.containsKey(index) || hasRoom(model, lanes);
                    vector.write(index, lane, number);
                    model.computeIfAbsent(index, any -> new double[lanes])[lane] = number;
                    changed.add(index >>> BlockVector.SHIFT);
                } else {
                    assertThat(vector.read(index, lane)).as(where).isEqualTo(number(model, index, lane));
                }
                assertThat(vector.isSmall()).as(where).isEqualTo(isSmall);
                assertThat(vector.count()).as(where).isEqualTo(blocks(model));
                if (random.nextInt(500) == 0) {
                    List<Integer> numbers = new ArrayList<>();
                    vector.drainChanged((number, block) -> {
                        numbers.add(number);
                        assertThat(block).as(where).isEqualTo(block(model, number, lanes));
                    });
                    if (vector.isSmall()) {
                        assertThat(numbers).as(where).isEmpty();
                    } else {
                        assertThat(numbers).as(where).containsExactlyElementsOf(changed);
                        changed.clear();
                    }
                }
                if (random.nextInt(100) == 0) {
                    checkProduct(vector, model, lanes, sample(random, known), where);
                }
            }
            List<Integer> numbers = new ArrayList<>();
            vector.forEach((number, block) -> {
                numbers.add(number);
                assertThat(block).as("seed %d", seed).isEqualTo(block(model, number, lanes));
            });
            assertThat(numbers).isSorted().hasSize(blocks(model));
        }
    }

    /**
     * Two that are changed in the same way stay the same; a copy has the same numbers, all of which count as changed.
     */
    @SeededTest
    void shouldEqualItsCopyAndWhatIsChangedInTheSameWay(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            int[] known = indices(random, 1 + random.nextInt(1200));
            BlockVector vector = new BlockVector(2);
            BlockVector same = new BlockVector(2);
            List<BlockVector> both = List.of(vector, same);
            for (int step = 0; step < 2_000; step++) {
                String where = "seed " + seed + ", round " + round + ", step " + step;
                int index = known[random.nextInt(known.length)];
                double number = random.nextGaussian();
                int event = random.nextInt(400);
                for (BlockVector each : both) {
                    if (event == 0) {
                        each.clear();
                    } else if (event < 4) {
                        each.drainChanged((block, numbers) -> {});
                    } else if (event < 8 && each.isSmall()) {
                        each.markStored();
                    } else {
                        int place = each.find(index);
                        if (place < 0 || event % 2 == 0) {
                            place = each.touch(index);
                        } else {
                            each.markChanged(one(index), 1, new int[] {place});
                        }
                        each.slab(place)[each.from(place)] = number;
                    }
                }
                if (event < 10) {
                    assertThat(vector.isSame(same)).as(where).isTrue();
                    check(vector, vector.copy(), where);
                    BlockVector other = vector.copy();
                    other.write(index, 1, number);
                    assertThat(vector.isSame(other)).as(where).isFalse();
                    Set<Integer> ofCopy = drained(vector.copy());
                    Set<Integer> changed = drained(vector);
                    assertThat(drained(same)).as(where).isEqualTo(changed);
                    assertThat(ofCopy).as(where).containsAll(changed);
                    if (!vector.isSmall()) {
                        vector.forEach(
                                (block, numbers) -> assertThat(ofCopy).as(where).contains(block));
                    }
                }
            }
        }
    }

    private static void check(BlockVector vector, BlockVector copy, String where) {
        assertThat(copy.isSmall()).as(where).isEqualTo(vector.isSmall());
        assertThat(copy.storedEntries()).as(where).isEqualTo(vector.storedEntries());
        assertThat(copy.changedEntries()).as(where).isEqualTo(vector.entries());
        List<Object> expected = new ArrayList<>();
        vector.forEach((number, block) -> expected.add(List.of(number, Arrays.toString(block))));
        List<Object> copied = new ArrayList<>();
        copy.forEach((number, block) -> copied.add(List.of(number, Arrays.toString(block))));
        assertThat(copied).as(where).isEqualTo(expected);
    }

    private static Set<Integer> drained(BlockVector vector) {
        TreeSet<Integer> numbers = new TreeSet<>();
        vector.drainChanged((number, block) -> numbers.add(number));
        return numbers;
    }

    // Neighbours, those of few chunks that become full, one in a block, multiples of large powers of two, anything, and
    // the last ones.
    static int[] indices(Random random, int count) {
        int kind = random.nextInt(7);
        return IntStream.generate(() -> switch (kind < 6 ? kind : random.nextInt(6)) {
                    case 0 -> random.nextInt(2000);
                    case 1 -> random.nextInt(1 << 17) << 7;
                    case 2 -> random.nextInt(256) << 23;
                    case 3 -> Integer.MAX_VALUE - random.nextInt(2000);
                    case 4 -> random.nextInt(3 << 13);
                    default -> random.nextInt(Integer.MAX_VALUE);
                })
                .limit(count)
                .toArray();
    }

    private static double number(Map<Integer, double[]> model, int index, int lane) {
        double[] numbers = model.get(index);
        return numbers == null ? 0 : numbers[lane];
    }

    private static int blocks(Map<Integer, double[]> model) {
        return (int) model.keySet().stream()
                .mapToInt(index -> index >>> BlockVector.SHIFT)
                .distinct()
                .count();
    }

    static double[] block(Map<Integer, double[]> model, int number, int lanes) {
        double[] block = new double[lanes * BlockVector.BLOCK];
        for (int k = 0; k < block.length; k++) {
            int index = (number << BlockVector.SHIFT) + k % BlockVector.BLOCK;
            block[k] = number(model, index, k / BlockVector.BLOCK);
        }
        return block;
    }

    private static FeatureVector one(int index) {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(index, 0);
        return x;
    }

    private static FeatureVector sample(Random random, int[] known) {
        FeatureVector x = new FeatureVector();
        if (random.nextBoolean()) {
            x.resetDense();
            for (int k = random.nextInt(300); k > 0; k--) {
                x.append(random.nextGaussian());
            }
        } else {
            x.resetSparse();
            Arrays.stream(known)
                    .filter(any -> random.nextInt(20) == 0)
                    .sorted()
                    .distinct()
                    .forEach(index -> x.append(index, random.nextGaussian()));
        }
        return x;
    }

    /** Bit for bit: the order of the additions is part of the contract. */
    private static void checkProduct(
            BlockVector vector, Map<Integer, double[]> model, int lanes, FeatureVector x, String where) {
        for (int lane = 0; lane < lanes; lane++) {
            double sum = 0;
            for (int k = 0; k < x.size(); k++) {
                sum += number(model, x.index(k), lane) * x.values()[k];
            }
            assertThat(vector.dot(x, lane)).as(where).isEqualTo(sum);
            assertThat(vector.squaredLength()).as(where).isEqualTo(x.squaredNorm());
        }
        // what the places were before is no more than a guess
        int[] places = new Random(x.size()).ints(x.size(), -1, 1_500).toArray();
        int missing = vector.find(x, places);
        for (int k = 0; k < x.size(); k++) {
            assertThat(places[k]).as(where).isEqualTo(vector.find(x.index(k)));
            missing -= places[k] < 0 && x.values()[k] != 0 ? 1 : 0;
        }
        assertThat(missing).as(where).isZero();
    }

    /** An update of all features at once, as the learners make it; zeros touch nothing. */
    @SeededTest
    void shouldGiveEachFeatureOfAnUpdateItsPlace(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            BlockVector vector = new BlockVector(2);
            Map<Integer, double[]> model = new TreeMap<>();
            int[] known = indices(random, 1 + random.nextInt(1200));
            for (int step = 0; step < 100; step++) {
                FeatureVector x = sample(random, known);
                for (int k = 0; k < x.size(); k += 5) {
                    x.values()[k] = 0;
                }
                boolean wasSmall = vector.isSmall();
                drain(vector);
                Set<Integer> changed = new TreeSet<>();
                int missing = vector.find(x);
                vector.touch(x, missing);
                for (int k = 0; k < x.size(); k++) {
                    if (x.values()[k] != 0) {
                        changed.add(x.index(k) >>> BlockVector.SHIFT);
                        int place = x.places()[k];
                        vector.slab(place)[vector.from(place) + 1] += x.values()[k];
                        model.computeIfAbsent(x.index(k), any -> new double[2])[1] += x.values()[k];
                    }
                }
                if (!wasSmall) {
                    assertThat(drain(vector)).containsExactlyElementsOf(changed);
                    checkMark(vector, x);
                }
            }
            assertThat(vector.count()).as("seed %d", seed).isEqualTo(blocks(model));
            vector.forEach(
                    (number, block) -> assertThat(block).as("seed %d", seed).isEqualTo(block(model, number, 2)));
        }
    }

    /** Zeros are marked, too. */
    private static void checkMark(BlockVector vector, FeatureVector x) {
        int[] places = new int[x.size()];
        var unused = vector.find(x, places);
        if (Arrays.stream(places).allMatch(place -> place >= 0)) {
            vector.markChanged(x, x.size(), places);
            assertThat(drain(vector))
                    .containsExactly(IntStream.range(0, x.size())
                            .mapToObj(k -> x.index(k) >>> BlockVector.SHIFT)
                            .distinct()
                            .toArray(Integer[]::new));
        }
    }

    private static List<Integer> drain(BlockVector vector) {
        List<Integer> numbers = new ArrayList<>();
        vector.drainChanged((number, block) -> numbers.add(number));
        return numbers;
    }

    private static BlockVector large(int lanes) {
        BlockVector vector = new BlockVector(lanes);
        vector.restore(LAST_BLOCK / 2, new double[lanes * BlockVector.BLOCK]);
        return vector;
    }

    /**
     * Whether one more index belongs into a table: up to 512, or as long as blocks would take more than twice the
     * memory.
     */
    private static boolean hasRoom(Map<Integer, double[]> model, int lanes) {
        int size = model.size();
        // compared with each 64th index from the 512th on
        boolean isTableSmaller = 2L * size * (8L + 8L * lanes) <= 1024L * blocks(model) * lanes;
        return size < 512 || size % 64 != 0 || (size < 8192 && isTableSmaller);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldBecomeLargeWhereBlocksTakeLessMemory(int lanes) {
        BlockVector dense = new BlockVector(lanes);
        BlockVector spread = new BlockVector(lanes);
        for (int k = 0; k < 8192; k++) {
            dense.write(k, 0, 1);
            spread.write(100 * k, 0, 1);
            assertThat(dense.isSmall()).as("%d", k).isEqualTo(k < 512);
            assertThat(spread.isSmall()).as("%d", k).isTrue();
        }
        assertThat(dense.heapBytes()).isLessThan(spread.heapBytes());
        // the same entries in another order
        BlockVector restored = new BlockVector(lanes);
        spread.forEachEntry(restored::restoreEntry);
        assertThat(restored.isSmall()).isTrue();
        assertThat(restored.count()).isEqualTo(spread.count());
    }

    @Test
    void shouldMakeRoomForAllNewFeaturesAtOnce() {
        FeatureVector x = new FeatureVector().resetSparse();
        IntStream.range(0, 40).forEach(k -> x.append(1_000 * k, 1));
        BlockVector reserved = new BlockVector(2);
        reserved.reserve(40);
        double[] numbers = reserved.slab(0);
        assertThat(numbers).hasSize(2 * (41 + 1));

        reserved.touch(x, reserved.find(x));

        assertThat(reserved.slab(0)).isSameAs(numbers);
    }

    @Test
    void shouldScoreAnInfiniteFeatureWithoutAWeightAsZero() {
        BlockVector vector = new BlockVector(2);
        vector.write(3, 1, 2);
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(3, 5);
        x.append(4, Double.POSITIVE_INFINITY);

        assertThat(vector.dot(x, 1)).isEqualTo(10);
        vector.write(4, 1, 1);
        assertThat(vector.dot(x, 1)).isInfinite();
    }

    @Test
    void shouldKnowThePlacesOfInsertedFeatures() {
        Random random = new Random(5);
        BlockVector vector = new BlockVector(2);
        for (int example = 0; example < 60; example++) {
            FeatureVector x = new FeatureVector().resetSparse();
            int[] indices = random.ints(40, 0, 700).distinct().sorted().toArray();
            Arrays.stream(indices).forEach(index -> x.append(index * 1_001, random.nextInt(4)));
            vector.touch(x, vector.find(x));

            for (int k = 0; k < x.size(); k++) {
                int place = vector.find(x.index(k));
                assertThat(x.places()[k])
                        .as("example %d, feature %d", example, k)
                        .isEqualTo(place);
                assertThat(place < 0).isEqualTo(x.values()[k] == 0 && vector.read(x.index(k), 0) == 0);
                if (place >= 0) {
                    vector.slab(place)[vector.from(place)] += 1;
                }
            }
        }
        // beyond 512 they are inserted one by one
        assertThat(vector.entries()).isGreaterThan(512);
    }

    @Test
    void shouldStayInBlocksWhereItIsNeverSmall() {
        BlockVector vector = BlockVector.ofBlocks(1);
        vector.write(3, 0, 1);

        vector.clear();

        assertThat(vector.isSmall()).isFalse();
        assertThat(vector.count()).isZero();
        assertThat(drain(vector)).containsExactly(0);
    }

    @Test
    void shouldStaySmallWhenThereIsNothingToForget() {
        BlockVector vector = new BlockVector(2);

        vector.clear();

        assertThat(vector.isSmall()).isTrue();
    }

    @Test
    void shouldTakeDenseExamplesIntoBlocks() {
        FeatureVector x = new FeatureVector().resetDense();
        IntStream.range(0, 64).forEach(k -> x.append(1));
        BlockVector vector = new BlockVector(2);

        vector.touch(x, vector.find(x));

        assertThat(vector.isSmall()).isFalse();
        assertThat(vector.count()).isEqualTo(1);
    }

    @Test
    void shouldTakeLittleMemoryWhileSmall() {
        BlockVector vector = new BlockVector(2);
        assertThat(vector.heapBytes()).isLessThan(200);

        new Random(1).ints(400, 0, 1 << 18).forEach(vector::touch);

        assertThat(vector.heapBytes()).isBetween(400L * 20, 400L * 27);
    }

    @Test
    void shouldHoldTheLargestIndexWithoutHoldingTheOthers() {
        BlockVector vector = new BlockVector(1);

        vector.restore(LAST_BLOCK, new double[BlockVector.BLOCK]);

        assertThat(vector.count()).isEqualTo(1);
        assertThat(vector.heapBytes()).isLessThan(2_000);
    }

    /** As the statistics of 1,000 columns, which have the number of examples at the largest index. */
    @Test
    void shouldTakeNoMoreMemoryWithTheLargestIndexThanForItsBlock() {
        int lanes = 3;
        BlockVector near = BlockVector.ofBlocks(lanes);
        BlockVector both = BlockVector.ofBlocks(lanes);
        both.touch(Integer.MAX_VALUE);
        for (int index = 0; index < 1_000; index++) {
            near.touch(index);
            both.touch(index);
        }

        assertThat(both.heapBytes() - near.heapBytes()).isLessThan(8 * lanes * BlockVector.BLOCK + 500);
    }

    /** Chunks that are far away move up while those at their number become more. */
    @SeededTest
    void shouldKeepWhatIsFarAwayWhileTheNearBecomesMore(long seed) {
        Random random = new Random(seed);
        BlockVector vector = BlockVector.ofBlocks(2);
        Map<Integer, Double> model = new TreeMap<>();
        List<Integer> known = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            int index = random.nextBoolean()
                    ? random.nextInt(1 << random.nextInt(13, 25))
                    : Integer.MAX_VALUE - random.nextInt(1 << random.nextInt(13, 25));
            vector.write(index, 1, step);
            model.put(index, (double) step);
            known.add(index);
            int any = known.get(random.nextInt(known.size()));
            assertThat(vector.read(any, 1)).as("seed %d, step %d", seed, step).isEqualTo(model.get(any));
        }
        FeatureVector x = new FeatureVector().resetSparse();
        model.keySet().forEach(index -> x.append(index, 1));
        assertThat(vector.dot(x, 1))
                .isEqualTo(model.values().stream().mapToDouble(each -> each).sum());
        BlockVector copy = BlockVector.ofBlocks(2);
        vector.forEach(copy::restore);
        model.forEach((index, number) -> assertThat(copy.read(index, 1)).isEqualTo(number));
    }

    @Test
    void shouldAllocateNothingWhenRead() {
        BlockVector vector = new BlockVector(1);

        assertThat(vector.find(0)).isEqualTo(-1);
        assertThat(large(1).find(0)).isEqualTo(-1);
        assertThat(vector.count()).isZero();
        assertThat(drain(vector)).isEmpty();
    }
}
