package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.VectorStore.M;
import static io.perceptronstreams.store.VectorStore.checkpoint;
import static io.perceptronstreams.store.VectorStore.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.topology.LogLines;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Small vectors with many entries: a copy in a record of its own, and changed entries in the header. */
class StoredCopiesTest {
    private static final int COPIED = 128;

    private final VectorStore stored = new VectorStore();

    /** Lets a model make a mistake on each of two examples with the same features, of which one label is wrong. */
    private static void learnBoth(Model model, int first, int count) {
        learnBoth(model, first, count, 1_000);
    }

    /** @param distance of the indices: small ones of many features are in blocks */
    private static void learnBoth(Model model, int first, int count, int distance) {
        for (int label : new int[] {1, -1}) {
            Example example = new Example();
            example.vector().resetSparse();
            for (int k = 0; k < count; k++) {
                example.vector().append(distance * (first + k), 1 + 0.1 * k);
            }
            example.setLabel(Label.of(label));
            model.process(example, 7);
        }
    }

    private static LiveModel learnBoth(ModelStore store, int first, int count) {
        LiveModel live = store.find(M);
        live = live == null ? store.create(M) : live;
        learnBoth(live.model(), first, count);
        store.changed(live, record("m", 7));
        return live;
    }

    private int headerBytes() {
        return stored.inner().get(ModelKeys.header(M)).length;
    }

    private byte[] copy() {
        return stored.inner().get(ModelKeys.copy(M, 0, 0));
    }

    @Test
    void shouldWriteTheEntriesOfAnExampleOnlyInsteadOfTheWholeModel() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, COPIED - 1);
            checkpoint(store);
            assertThat(copy()).isNull();
            int whole = headerBytes();

            learnBoth(store, COPIED - 1, 1);
            checkpoint(store);

            byte[] copy = copy();
            assertThat(copy).hasSizeGreaterThan(COPIED * 4);
            int empty = headerBytes();
            assertThat(empty).isLessThan(whole - COPIED * 4);
            // 62 more and 2 of the copy: half of the new size
            learnBoth(store, COPIED - 2, 64);
            checkpoint(store);
            assertThat(copy()).isSameAs(copy);
            assertThat(headerBytes()).isBetween(empty + 64 * 4, empty + 64 * 24);

            // 97 of 190
            learnBoth(store, 0, 33);
            String expected = text(store.find(M).model());
            checkpoint(store);

            assertThat(copy().length).isGreaterThan(copy.length);
            assertThat(headerBytes()).isLessThan(empty + 16);
            assertThat(text(stored.readBack("m"))).isEqualTo(expected);
        }
    }

    /** The largest table, of which as many entries have changed as a header may have. */
    @Test
    void shouldKeepHalfOfTheLargestTableInTheHeader() {
        int largest = 8_192;
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, largest);
            checkpoint(store);
            byte[] copy = copy();
            int empty = headerBytes();
            learnBoth(store, largest / 4, largest / 2);
            checkpoint(store);

            assertThat(copy()).isSameAs(copy);
            assertThat(headerBytes()).isBetween(empty + largest / 2 * 10, HeaderCodec.MAX_BYTES - 300 * 1024);
            assertThat(VectorStore.entries(stored.readBack("m"), 0)).isEqualTo(largest);

            learnBoth(store, 0, 1);
            String expected = text(store.find(M).model());
            checkpoint(store);

            assertThat(copy().length).isGreaterThan(largest * 10);
            assertThat(copy()).isNotSameAs(copy);
            assertThat(headerBytes()).isLessThan(empty + 16);
            assertThat(text(stored.readBack("m"))).isEqualTo(expected);
        }
    }

    @Test
    void shouldWriteNoEntryOfAModelThatMadeNoMistake() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 300);
            checkpoint(store);
            byte[] copy = copy();
            int empty = headerBytes();
            store.find(M).model().publications().countRerouted();
            store.changed(store.find(M), record("m", 8));

            checkpoint(store);

            assertThat(copy()).isSameAs(copy);
            assertThat(headerBytes()).isBetween(empty, empty + 1).isLessThan(200);
        }
    }

    @Test
    void shouldRemoveTheCopyOfAModelInBlocks() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 300);
            checkpoint(store);
            assertThat(copy()).isNotNull();
            learnBoth(store, 0, 8_300);
            checkpoint(store);
            assertThat(copy()).isNull();
            assertThat(text(stored.readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
    }

    @Test
    void shouldRemoveTheCopyOfAnEndedEpoch() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            LiveModel live = learnBoth(store, 0, 300);
            checkpoint(store);
            live.model().reset(Map.of());
            store.removeEpoch(live, 0, record("m", 8));

            assertThat(copy()).isNull();
        }
    }

    /** Its epoch goes on as that of a challenger. */
    @Test
    void shouldRemoveTheCopyOfAFormerChampionInBlocks() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 300);
            checkpoint(store);
            LiveModel live = learnBoth(store, 0, 8_300);
            live.model().challenge(Map.of("challenger", "c"));
            live.model().promote(Map.of("challenger", "c"));
            store.changed(live, record("m", 8));
            checkpoint(store);

            assertThat(copy()).isNull();
        }
    }

    @Test
    void shouldQuarantineAModelWithoutItsCopy() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 300);
            checkpoint(store);
            learnBoth(store, 299, 2);
            checkpoint(store);
        }
        stored.inner().delete(ModelKeys.copy(M, 0, 0));

        try (LogLines log = new LogLines(ModelRecords.class)) {
            assertThat(stored.readBack("m").state()).isEqualTo(ModelState.QUARANTINED);
            assertThat(log.lines())
                    .containsExactly(
                            "ERROR io.perceptronstreams.store.ModelRecords: model m is quarantined, because the store has lost a part:"
                                    + " the copy of vector 0 of epoch 0 must have 300 entries, got 0 (promote a challenger, roll back, import"
                                    + " weights, or reset it, which ends automatic challengers)");
        }
    }

    /** Each byte of it is changed in turn; a number that stays possible is not noticed. */
    @Test
    void shouldQuarantineAModelWithAnInvalidCopy() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 300);
            checkpoint(store);
            learnBoth(store, 299, 2);
            checkpoint(store);
        }
        byte[] valid = copy();
        int quarantined = 0;
        for (int k = 0; k < 100; k++) {
            byte[] changed = k == 0 ? Arrays.copyOf(valid, valid.length / 2) : valid.clone();
            changed[k] ^= (byte) 0x55;
            stored.inner().put(ModelKeys.copy(M, 0, 0), changed);
            quarantined += stored.readBack("m").state() == ModelState.QUARANTINED ? 1 : 0;
        }
        assertThat(quarantined).isGreaterThan(3);
    }

    /** Also where all numbers are scaled at once, vectors are forgotten, and models move into blocks. */
    @SeededTest
    void shouldGiveModelsBackBitForBit(long seed) {
        Random random = new Random(seed);
        Map<String, Model> bare = new HashMap<>();
        for (int start = 0; start < 6; start++) {
            try (ModelStore store = stored.open(random.nextBoolean() ? 1 : 300_000)) {
                for (int k = 0; k < 60; k++) {
                    String name = "model-" + random.nextInt(5);
                    Model same = bare.computeIfAbsent(name, any -> newModel(name));
                    LiveModel live = store.find(StoreDriver.utf8(name));
                    if (live == null) {
                        live = store.create(StoreDriver.utf8(name));
                        live.model().configure(settings(name));
                    }
                    int first = random.nextInt(400);
                    int count = 1 + random.nextInt(random.nextInt(30) == 0 ? 400 : 40);
                    if (random.nextInt(20) == 0) {
                        // the challengers of a portfolio learn without it then
                        boolean isFrozen = same.state() == ModelState.LIVE;
                        live.model().freeze(isFrozen);
                        same.freeze(isFrozen);
                    }
                    // more features, side by side, so that statistics that models have in common are in blocks, too
                    boolean isWide = same.pipeline().settings().get(Settings.PORTFOLIO);
                    for (Model each : List.of(live.model(), same)) {
                        learnBoth(each, isWide ? 4 * first : first, isWide ? 4 * count : count, isWide ? 1 : 1_000);
                    }
                    if (random.nextInt(60) == 0) {
                        long ended = same.current().epoch();
                        live.model().reset(Map.of());
                        same.reset(Map.of());
                        store.removeEpoch(live, ended, record(name, 7));
                    } else {
                        store.changed(live, record(name, 7));
                    }
                    if (random.nextInt(8) == 0) {
                        checkpoint(store);
                    }
                }
                checkpoint(store);
            }
            bare.forEach((name, model) ->
                    assertThat(text(stored.readBack(name))).as("seed %d", seed).isEqualTo(text(model)));
        }
    }

    private static Map<String, String> settings(String name) {
        return switch (name) {
            case "model-0" -> Map.of("algorithm", "perceptron", "predict", "averaged");
            case "model-1" -> Map.of("algorithm", "arow", "scale", "standard");
            case "model-2" -> Map.of("algorithm", "sgd", "normalised", "true", "rate", "adagrad");
            case "model-3" -> Map.of("portfolio", "true");
            default -> Map.of("algorithm", "romma");
        };
    }

    private static Model newModel(String name) {
        Model model = new Model();
        model.configure(settings(name));
        return model;
    }

    @Test
    void shouldKeepTheCopyOfAModelWithOneFeatureMore() {
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learnBoth(store, 0, 200);
            checkpoint(store);
        }
        byte[] copy = copy();
        // another store reads the copy, and does not write it again
        try (ModelStore store = stored.open(Long.MAX_VALUE)) {
            learn(store, "m", 200_000, 1, -1);
            learn(store, "m", 200_000, 1, 1);
            checkpoint(store);
            assertThat(copy()).isSameAs(copy);
            assertThat(text(stored.readBack("m"))).isEqualTo(text(store.find(M).model()));
        }
    }
}
