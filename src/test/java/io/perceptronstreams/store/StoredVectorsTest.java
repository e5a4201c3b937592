package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Vectors that lie in the header while they are small and in blocks later; what was not written is gone with the store. */
class StoredVectorsTest {
    private static final byte[] M = utf8("m");
    private static final int COMPARATOR = 1;

    private final KeyValueStore<Bytes, byte[]> inner =
            Stores.inMemoryKeyValueStore("models").get();

    static LongStream seeds() {
        return Seeds.all();
    }

    private ModelStore store(long heapLimit) {
        return new ModelStore(inner, new StoreCounters(), heapLimit);
    }

    /** As another task finds it, or the same after it was closed. */
    private Model readBack(String name) {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            return store.find(utf8(name)).model();
        }
    }

    private static void checkpoint(ModelStore store) {
        store.checkpoint(Uuid.ONE_UUID, 100, DECISIONS);
    }

    /** The model with the raw bits of all its vectors, those of the comparator included. */
    private static String text(Model model) {
        StringBuilder text = new StringBuilder(ModelText.of(model));
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            model.vector(vector)
                    .forEach((block, values) -> text.append(number)
                            .append(' ')
                            .append(block)
                            .append(' ')
                            .append(Arrays.hashCode(values))
                            .append('\n'));
        }
        return text.toString();
    }

    /** How many blocks of a vector of the present epoch of m are stored. */
    private int storedBlocks(int vector) {
        // and not by a store, which would remove those that are left
        long epoch = header("m").model().epoch();
        return count(ModelKeys.block(M, epoch, vector, 0), ModelKeys.block(M, epoch, vector, Integer.MAX_VALUE));
    }

    private int storedRecords(long epoch) {
        return count(ModelKeys.firstOfEpoch(M, epoch), ModelKeys.endOfEpoch(M, epoch));
    }

    private int count(Bytes first, Bytes last) {
        int count = 0;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(first, last)) {
            for (; entries.hasNext(); entries.next()) {
                count++;
            }
        }
        return count;
    }

    private StoredHeader header(String name) {
        return new HeaderCodec().decode(inner.get(ModelKeys.header(utf8(name))), (epoch, part) -> null);
    }

    private static int entries(Model model, int vector) {
        return ((BlockVector) model.vector(vector)).entries();
    }

    @Test
    void shouldMoveAModelIntoBlocksWhenItGrowsBetweenCheckpoints() {
        Model bare = new Model();
        try (ModelStore store = store(Long.MAX_VALUE)) {
            learn(store, "m", 1000, 1, -1);
            checkpoint(store);
            assertThat(entries(header("m").model(), 0)).isEqualTo(1);
            assertThat(storedBlocks(0)).isZero();
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
        }
        learn(bare, 1000, 1, -1);
        learnWidely(bare, 0, 1);

        // five of 640 indices, and that of index 1000
        assertThat(header("m").blocks(0)).isEqualTo(6);
        assertThat(entries(header("m").model(), 0)).isZero();
        assertThat(storedBlocks(0)).isEqualTo(6);
        assertThat(text(readBack("m"))).isEqualTo(text(bare));
    }

    @Test
    void shouldMoveAModelIntoBlocksWhenItGrowsBeforeItIsEvicted() {
        Model bare = new Model();
        try (ModelStore store = store(1)) {
            learn(store, "m", 1000, 1, -1);
            learn(store, "n", 1, 1, 1);
            assertThat(entries(header("m").model(), 0)).isEqualTo(1);
            learnWidely(store, "m", 0, 1);
            learn(store, "n", 1, 1, 1);
            assertThat(store.liveModels()).isEqualTo(1);
        }
        learn(bare, 1000, 1, -1);
        learnWidely(bare, 0, 1);

        assertThat(header("m").blocks(0)).isEqualTo(6);
        assertThat(entries(header("m").model(), 0)).isZero();
        assertThat(text(readBack("m"))).isEqualTo(text(bare));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldGiveModelsBackBitForBitWhereverTheyGrow(long seed) {
        Random random = new Random(seed);
        Map<String, Model> bare = new HashMap<>();
        for (int start = 0; start < 8; start++) {
            try (ModelStore store = store(random.nextBoolean() ? 1 : 300_000)) {
                for (int k = 0; k < 40; k++) {
                    String name = "model-" + random.nextInt(5);
                    Model same = bare.computeIfAbsent(name, any -> new Model());
                    int index = random.nextInt(1 << random.nextInt(1, 25));
                    if (random.nextInt(20) == 0) {
                        int step = 1 + random.nextInt(300);
                        learnWidely(store, name, index, step);
                        learnWidely(same, index, step);
                    } else {
                        double value = random.nextGaussian();
                        int label = random.nextBoolean() ? 1 : -1;
                        learn(store, name, index, value, label);
                        learn(same, index, value, label);
                    }
                    if (random.nextInt(15) == 0) {
                        checkpoint(store);
                    }
                }
                checkpoint(store);
            }
            bare.forEach((name, model) ->
                    assertThat(text(readBack(name))).as("seed %d", seed).isEqualTo(text(model)));
        }
        assertThat(bare.values())
                .extracting(model -> entries(model, 0) == 0)
                .as("seed %d", seed)
                .contains(true);
    }

    private static LiveModel reset(ModelStore store) {
        LiveModel live = store.find(M);
        live.model().reset();
        store.changed(live, record("m", 8));
        for (long epoch : live.model().pollEndedEpochs()) {
            store.removeEpoch(live, epoch, record("m", 8));
        }
        return live;
    }

    @Test
    void shouldQuarantineAModelThatHasLostABlockUntilItIsReset() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
        }
        inner.delete(ModelKeys.block(M, 0, 0, 2));
        try (LogLines log = new LogLines(ModelReader.class);
                ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            assertThat(live.model().state()).isEqualTo(ModelState.QUARANTINED);
            assertThat(log.lines())
                    .containsExactly("ERROR model m is quarantined, because the store has lost a part:"
                            + " vector 0 of epoch 0 must have 5 blocks, got 4 (reset it, or import a snapshot)");
            live.model().countRerouted();
            store.changed(live, record("m", 8));
            checkpoint(store);
        }
        // although what is there is now what the header says
        assertThat(readBack("m").state()).isEqualTo(ModelState.QUARANTINED);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel live = reset(store);
            assertThat(live.model().state()).isEqualTo(ModelState.LIVE);
            assertThat(storedRecords(0)).isZero();
            learnWidely(store, "m", 128, 1);
            checkpoint(store);
            assertThat(text(readBack("m"))).isEqualTo(text(live.model()));
        }
        assertThat(readBack("m").state()).isEqualTo(ModelState.LIVE);
    }

    // A length of 2^31 - 1 was believed: 16 GB for 5 bytes.
    @ParameterizedTest
    @ValueSource(
            strings = {"", "00", "0000", "01", "017fffffff", "0180000000", "0100010001", "0100000180000000", "02", "ff"
            })
    void shouldQuarantineAModelWithABlockThatIsNone(String block) {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            learnWidely(store, "n", 0, 1);
            checkpoint(store);
        }
        inner.put(ModelKeys.block(M, 0, 0, 2), HexFormat.of().parseHex(block));
        try (LogLines log = new LogLines(ModelReader.class)) {
            assertThat(readBack("m").state()).isEqualTo(ModelState.QUARANTINED);
            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("ERROR model m is quarantined, because the store has lost a part:"
                                    + " block 2 of vector 0 of epoch 0 must be one that was written, got "));
        }
        assertThat(readBack("n").state()).isEqualTo(ModelState.LIVE);
    }

    /** One whose weights are entries, or that was put together from blocks as an import is: six of them, or one. */
    private static Model modelIn(String form) {
        Model model = new Model();
        if (form.equals("blocks")) {
            learnWidely(model, 250, 1);
        } else {
            learn(model, 3, 1, -1);
        }
        if (form.equals("entries")) {
            return model;
        }
        Model imported = new Model();
        imported.restore(
                ModelState.LIVE,
                0,
                0,
                model.settings(),
                model.algorithm(),
                model.learner().state());
        model.vector(0).forEach((number, block) -> imported.vector(0).restore(number, block.clone()));
        return imported;
    }

    @ParameterizedTest
    @CsvSource({
        "entries, entries",
        "entries, blocks",
        "entries, block",
        "blocks, entries",
        "blocks, blocks",
        "blocks, block"
    })
    void shouldWriteAllOfAnImportAtOnce(String before, String after) {
        String expected;
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel live = store.create(M);
            store.changed(live, record("m", 7));
            live.model().replaceWith(modelIn(before));
            store.replaceEpoch(live, 0, record("m", 8));
            long epoch = live.model().epoch();
            assertThat(storedRecords(epoch)).isEqualTo(before.equals("blocks") ? 6 : 0);
            live.model().replaceWith(modelIn(after));
            store.replaceEpoch(live, epoch, record("m", 9));
            expected = text(live.model());
            assertThat(storedRecords(epoch)).isZero();
        }
        // and no checkpoint
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            assertThat(live.position()).isEqualTo(9);
            assertThat(live.model().state()).isEqualTo(ModelState.LIVE);
            assertThat(text(live.model())).isEqualTo(expected);
            learn(store, "m", 4, 1, -1);
            learn(store, "m", 4, 1, 1);
            checkpoint(store);
            assertThat(text(readBack("m"))).isEqualTo(text(live.model()));
        }
        // index 4 lies in another block than those from 250 on
        assertThat(storedBlocks(0))
                .isEqualTo(Map.of("entries", 0, "blocks", 7, "block", 1).get(after));
    }

    private static void configure(ModelStore store, String comparator) {
        LiveModel live = store.find(M);
        live.model().configure(Map.of("comparator", comparator));
        store.changed(live, record("m", 8));
    }

    /** A stored model, large as are the weights it is compared with. */
    private void pinLargeOnes() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            configure(store, "" + store.find(M).model().version());
            checkpoint(store);
        }
        assertThat(storedBlocks(COMPARATOR)).isEqualTo(5);
    }

    private static void pinSmallOnes(ModelStore store) {
        LiveModel live = store.find(M);
        BlockVector u = new BlockVector(1);
        u.write(130, 0, 0.5);
        live.model().compareWith(u, 1);
        store.writeNow(live, record("m", 9));
    }

    @Test
    void shouldRemoveTheBlocksOfAComparatorThatIsCleared() {
        pinLargeOnes();
        try (ModelStore store = store(Long.MAX_VALUE)) {
            configure(store, "");
            checkpoint(store);
            assertThat(storedBlocks(COMPARATOR)).isZero();
            assertThat(text(readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldHoldASmallComparatorInTheHeaderAfterALargeOne(boolean isClearedBefore) {
        pinLargeOnes();
        String expected;
        try (ModelStore store = store(Long.MAX_VALUE)) {
            if (isClearedBefore) {
                configure(store, "");
                checkpoint(store);
            }
            pinSmallOnes(store);
            expected = text(store.find(M).model());
            assertThat(entries(store.find(M).model(), COMPARATOR)).isEqualTo(1);
        }
        assertThat(storedBlocks(COMPARATOR)).isZero();
        assertThat(entries(header("m").model(), COMPARATOR)).isEqualTo(1);
        assertThat(text(readBack("m"))).isEqualTo(expected);
    }

    @Test
    void shouldPinLargeWeightsAgainAfterSmallOnes() {
        pinLargeOnes();
        try (ModelStore store = store(Long.MAX_VALUE)) {
            pinSmallOnes(store);
            learnWidely(store, "m", 10_000, 1);
            configure(store, "" + store.find(M).model().version());
            checkpoint(store);
            assertThat(text(readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
        assertThat(entries(header("m").model(), COMPARATOR)).isZero();
        assertThat(storedBlocks(COMPARATOR)).isEqualTo(header("m").blocks(COMPARATOR));
    }

    @Test
    void shouldRemoveTheBlocksOfALargeComparatorThatGivesWayToAnother() {
        pinLargeOnes();
        String expected;
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel live = store.find(M);
            BlockVector u = new BlockVector(1);
            // blocks 3 to 8, where 0 to 4 are stored
            for (int index = 500; index < 1100; index++) {
                u.write(index, 0, index);
            }
            live.model().compareWith(u, 1);
            store.writeNow(live, record("m", 9));
            expected = text(live.model());
        }
        assertThat(storedBlocks(COMPARATOR)).isEqualTo(6);
        assertThat(text(readBack("m"))).isEqualTo(expected);
    }

    // It was "block 1 is already there", and the engine stopped; where the small vector had no index of the block, the
    // model was
    // quarantined.
    @ParameterizedTest
    @CsvSource({"1", "4"})
    void shouldNotBelieveABlockThatIsLeftOfALargeComparator(int left) {
        pinLargeOnes();
        Bytes key = ModelKeys.block(M, 0, COMPARATOR, left);
        byte[] block = inner.get(key);
        String expected;
        try (ModelStore store = store(Long.MAX_VALUE)) {
            pinSmallOnes(store);
            expected = text(store.find(M).model());
        }
        // as if the changelog had forgotten the removal before this store was brought up to date
        inner.put(key, block);

        assertThat(text(readBack("m"))).isEqualTo(expected);
        assertThat(inner.get(key)).isNull();
        assertThat(readBack("m").state()).isEqualTo(ModelState.LIVE);
    }

    @Test
    void shouldBelieveNoBlockWhereTheHeaderHasNone() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            learn(store, "m", 3, 1, -1);
            checkpoint(store);
        }
        String expected = text(readBack("m"));
        List<Bytes> left = new ArrayList<>();
        for (int vector = Model.STATISTICS; vector <= COMPARATOR; vector++) {
            left.add(ModelKeys.block(M, 0, vector, 7));
            inner.put(left.get(left.size() - 1), new byte[] {1});
        }

        assertThat(text(readBack("m"))).isEqualTo(expected);

        try (ModelStore store = store(Long.MAX_VALUE)) {
            learnWidely(store, "m", 0, 1);
            checkpoint(store);
            assertThat(text(readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
        assertThat(left).allSatisfy(key -> assertThat(inner.get(key)).isNull());
    }
}
