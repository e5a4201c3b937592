package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that a vector hands over to be stored, and takes back. */
final class BlockVectorChangesTest {
    private static final int LAST_BLOCK = Integer.MAX_VALUE >>> BlockVector.SHIFT;

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

    @SeededTest
    void shouldComeBackFromItsBlocksAndFromItsEntries(long seed) {
        Random random = new Random(seed);
        BlockVector vector = new BlockVector(2);
        Arrays.stream(BlockVectorTest.indices(random, 500)).forEach(index -> {
            vector.write(index, 0, random.nextGaussian());
            vector.write(index, 1, random.nextGaussian());
        });
        BlockVector ofBlocks = new BlockVector(2);
        BlockVector ofEntries = new BlockVector(2);

        vector.forEach((number, block) -> ofBlocks.restore(number, block.clone()));
        vector.forEachEntry(ofEntries::restoreEntry);

        assertThat(ofBlocks.isSmall()).isFalse();
        assertThat(ofEntries.isSmall()).isTrue();
        assertThat(ofEntries.entries()).isEqualTo(vector.entries());
        assertThat(all(ofBlocks)).as("seed %d", seed).isEqualTo(all(vector));
        assertThat(all(ofEntries)).as("seed %d", seed).isEqualTo(all(vector));
        assertThat(List.of(ofBlocks.count(), ofEntries.count())).containsOnly(vector.count());
        assertThat(drain(ofBlocks)).isEmpty();
        assertThat(drain(ofEntries)).isEmpty();
    }

    /** A stored copy and the entries that differ from it are the vector, however it has grown and moved since. */
    @SeededTest
    void shouldComeBackFromItsCopyAndTheChangedEntries(long seed) {
        Random random = new Random(seed);
        BlockVector vector = new BlockVector(2);
        BlockVector copy = new BlockVector(2);
        TreeSet<Integer> changed = new TreeSet<>();
        int[] known = BlockVectorTest.indices(random, 400);
        for (int step = 0; step < 1_000; step++) {
            FeatureVector x = new FeatureVector().resetSparse();
            Arrays.stream(known)
                    .filter(index -> random.nextInt(60) == 0)
                    .sorted()
                    .distinct()
                    .forEach(index -> x.append(index, random.nextInt(3) - 1));
            vector.touch(x, vector.find(x));
            for (int k = 0; k < x.size(); k++) {
                if (x.values()[k] != 0) {
                    vector.slab(x.places()[k])[vector.from(x.places()[k])] += x.values()[k];
                    changed.add(x.index(k));
                }
            }
            if (random.nextInt(30) == 0) {
                vector.write(known[0], 1, random.nextGaussian());
                changed.add(known[0]);
            }
            if (random.nextInt(200) == 0) {
                vector.multiply(0.5);
                vector.forEachEntry((index, numbers, from) -> changed.add(index));
            }
            if (random.nextInt(20) == 0) {
                copy = new BlockVector(2);
                vector.forEachEntry(copy::restoreEntry);
                copy.markStored();
                vector.markStored();
                changed.clear();
            }
            List<Integer> passed = new ArrayList<>();
            vector.forEachChangedEntry((index, numbers, from) -> passed.add(index));
            String where = "seed " + seed + ", step " + step;
            assertThat(passed).as(where).containsExactlyElementsOf(changed);
            assertThat(vector.changedEntries()).as(where).isEqualTo(changed.size());
            assertThat(vector.storedEntries()).as(where).isEqualTo(copy.storedEntries());
            if (copy.storedEntries() > 0 && random.nextInt(5) == 0) {
                BlockVector restored = new BlockVector(2);
                copy.forEachEntry(restored::restoreEntry);
                restored.markStored();
                vector.forEachChangedEntry(restored::restoreChangedEntry);
                assertThat(all(restored)).as(where).isEqualTo(all(vector));
                assertThat(restored.changedEntries()).as(where).isEqualTo(changed.size());
            }
        }
    }

    @Test
    void shouldDifferFromItsCopyInAllEntriesAfterItWasCleared() {
        BlockVector vector = new BlockVector(1);
        vector.write(3, 0, 1);
        vector.write(4, 0, 1);
        vector.markStored();
        assertThat(vector.changedEntries()).isZero();

        vector.clear();
        vector.write(4, 0, 1);

        assertThat(vector.changedEntries()).isEqualTo(1);
        assertThat(vector.storedEntries()).isEqualTo(2);
        vector.forgetStored();
        assertThat(vector.storedEntries()).isZero();
    }

    private static Map<Integer, List<Double>> all(BlockVector vector) {
        Map<Integer, List<Double>> blocks = new HashMap<>();
        vector.forEach((number, block) ->
                blocks.put(number, Arrays.stream(block).boxed().toList()));
        return blocks;
    }

    @Test
    void shouldHandOverAllBlocksOnceWhenItIsSmallNoMore() {
        BlockVector vector = new BlockVector(1);
        for (int k = 0; k < 8192; k++) {
            vector.write(200 * k, 0, k);
        }
        assertThat(drain(vector)).isEmpty();

        vector.write(Integer.MAX_VALUE, 0, 1);

        assertThat(drain(vector)).hasSize(8193).isSorted().endsWith(LAST_BLOCK);
        assertThat(drain(vector)).isEmpty();
        vector.write(200, 0, 2);
        assertThat(drain(vector)).containsExactly(1);
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldHandOverWhatItForgets(boolean isLargeAgain) {
        BlockVector vector = large(2);
        vector.write(700, 1, 3);
        vector.write(Integer.MAX_VALUE, 1, 3);
        int count = vector.count();

        vector.clear();

        assertThat(vector.isSmall()).isTrue();
        assertThat(vector.count()).isZero();
        assertThat(vector.read(700, 1)).isZero();
        vector.write(700, 0, 4);
        if (isLargeAgain) {
            vector.writeBlock(5, BlockVectorTest.block(Map.of(700, new double[] {4, 0}), 5, 2));
        }
        Map<Integer, double[]> drained = new LinkedHashMap<>();
        vector.drainChanged((number, block) -> drained.put(number, block == null ? null : block.clone()));
        assertThat(List.copyOf(drained.keySet())).hasSize(count).isSorted();
        assertThat(drained).containsEntry(LAST_BLOCK, null);
        assertThat(drained.get(5))
                .isEqualTo(isLargeAgain ? BlockVectorTest.block(Map.of(700, new double[] {4, 0}), 5, 2) : null);
        assertThat(vector.count()).isEqualTo(1);
        assertThat(drain(vector)).isEmpty();
    }

    @Test
    void shouldHandOverWhatItForgotBeforeItWasClearedAgain() {
        BlockVector vector = large(1);
        int count = vector.count();

        vector.clear();
        vector.write(3, 0, 1);
        vector.clear();
        vector.writeBlock(LAST_BLOCK, new double[BlockVector.BLOCK]);
        vector.clear();

        assertThat(drain(vector)).hasSize(count + 1).isSorted().endsWith(LAST_BLOCK);
        assertThat(drain(vector)).isEmpty();
    }

    @Test
    void shouldHandOverNothingWhereThereWereNoBlocks() {
        BlockVector vector = new BlockVector(1);
        vector.write(3, 0, 1);

        vector.clear();

        assertThat(vector.count()).isZero();
        assertThat(drain(vector)).isEmpty();
    }

    @Test
    void shouldHandOverABlockOnceForAnyNumberOfChanges() {
        BlockVector vector = large(1);
        vector.touch(5 << 7);
        vector.touch(3 << 7);
        vector.touch(5 << 7);

        assertThat(drain(vector)).containsExactly(3, 5);
        assertThat(drain(vector)).isEmpty();
        vector.touch(5 << 7);
        assertThat(drain(vector)).containsExactly(5);
    }

    @Test
    void shouldHandOverTheBlocksOfAnUpdate() {
        BlockVector vector = large(1);
        FeatureVector x = new FeatureVector();
        x.append(3 << 7, 1);
        x.append(4 << 7, 0);
        x.append(5 << 7, 1);
        vector.touch(x, vector.find(x));
        assertThat(drain(vector)).containsExactly(3, 5);

        assertThat(vector.find(x)).isZero();
        vector.touch(x, 0);

        assertThat(drain(vector)).containsExactly(3, 5);
    }

    @Test
    void shouldRegardARestoredBlockAsUnchanged() {
        BlockVector vector = new BlockVector(1);
        double[] block = new double[BlockVector.BLOCK];
        block[7] = 0.5;

        vector.restore(LAST_BLOCK, block);

        assertThat(vector.read((LAST_BLOCK << 7) + 7, 0)).isEqualTo(0.5);
        assertThat(drain(vector)).isEmpty();
        vector.touch(Integer.MAX_VALUE);
        assertThat(drain(vector)).containsExactly(LAST_BLOCK);
    }

    @Test
    void shouldRefuseToRestoreWhatIsThere() {
        BlockVector vector = new BlockVector(1);
        vector.touch(4 << 7);

        assertThatThrownBy(() -> vector.restoreEntry(4 << 7, new double[1], 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("index 512 is already there");
        assertThatThrownBy(() -> vector.restore(4, new double[BlockVector.BLOCK]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("block 4 is already there");
        assertThatThrownBy(() -> vector.restoreEntry(0, new double[1], 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldRefuseMoreEntriesThanASmallVectorHas() {
        BlockVector vector = new BlockVector(1);
        IntStream.range(0, 8192).forEach(index -> vector.restoreEntry(index, new double[1], 0));

        assertThatThrownBy(() -> vector.restoreEntry(8192, new double[1], 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new BlockVector(1).restoreEntry(-1, new double[1], 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseToRestoreABlockOfAnotherLength() {
        assertThatThrownBy(() -> new BlockVector(2).restore(4, new double[BlockVector.BLOCK]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("block 4 must have 256 numbers, got 128");
    }
}
