package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.learnWidely;
import static io.perceptronstreams.store.StoreDriver.record;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

class ModelIndexTest {
    private static final LiveModels NO_MODELS = new LiveModels(new StoreCounters(), Long.MAX_VALUE, model -> {});

    private static final ModelQuota IDLE = new ModelQuota(3, 100);

    private final KeyValueStore<Bytes, byte[]> inner =
            Stores.inMemoryKeyValueStore("models").get();

    private ModelStore store(long heapLimit) {
        return new ModelStore(inner, new StoreCounters(), heapLimit);
    }

    private void put(String name, boolean isDeleted, long position, long lastSeen, int blocks) {
        Model model = new Model();
        if (isDeleted) {
            model.delete();
        }
        inner.put(ModelKeys.header(utf8(name)), new HeaderCodec().encode(model, position, lastSeen));
        for (int block = 0; block < blocks; block++) {
            inner.put(ModelKeys.block(utf8(name), 0, 0, block), new byte[1]);
        }
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> entries = inner.all()) {
            entries.forEachRemaining(entry -> keys.add(entry.key.toString()));
        }
        return keys;
    }

    /** In their order, as far as they are idle. */
    private static List<String> idle(ModelIndex index, long time) {
        List<String> names = new ArrayList<>();
        for (byte[] name = index.idle(time); name != null; name = index.idle(time)) {
            names.add(new String(name, StandardCharsets.UTF_8));
            StoredModel model = new StoredModel(name, new Model(), 0, 0, new StoredNames(), null);
            model.setCounted(true);
            index.note(model, false);
        }
        return names;
    }

    @Test
    void shouldFindHeadersAmongBlocksAndNamesThatBeginAlike() {
        inner.put(ModelKeys.POSITION, new byte[1]);
        inner.put(ModelKeys.refusal(7), new byte[0]);
        inner.put(ModelKeys.staged(utf8("staged"), 0), new byte[1]);
        for (String name : List.of("a", "a-", "a.b", "a0", "aa", "z", "-")) {
            put(name, false, 1, 1, name.equals("a0") ? 3 : 200);
        }
        put("deleted", true, 1, 1, 0);
        assertThat(ModelIndex.of(inner, NO_MODELS, ModelQuota.NONE).count()).isEqualTo(7);
        assertThat(idle(ModelIndex.of(inner, NO_MODELS, IDLE), 101))
                .containsExactly("-", "a", "a-", "a.b", "a0", "aa", "z");
    }

    @Test
    void shouldOrderModelsByTheTimeAndThePlaceOfTheirLastRecords() {
        put("b", false, 9, 50, 0);
        put("c", false, 8, 50, 0);
        put("a", false, 20, 60, 0);
        put("d", false, 3, 10, 0);
        assertThat(idle(ModelIndex.of(inner, NO_MODELS, IDLE), 155)).containsExactly("d", "c", "b");
        assertThat(ModelIndex.of(inner, NO_MODELS, IDLE).latest()).isEqualTo(60);
    }

    @Test
    void shouldCountUnreadableModelsAndLeaveThem() {
        inner.put(ModelKeys.header(utf8("newer")), new byte[] {99});
        inner.put(ModelKeys.header(utf8("cut")), new byte[] {HeaderCodec.FORM});
        ModelIndex index = ModelIndex.of(inner, NO_MODELS, IDLE);
        assertThat(index.count()).isEqualTo(2);
        assertThat(idle(index, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void shouldBelieveModelsInMemoryAndNotWhatIsStoredOfThem() {
        put("gone", false, 1, 1, 0);
        put("back", true, 1, 1, 0);
        put("stored", false, 1, 1, 0);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel gone = store.find(utf8("gone"));
            gone.model().delete();
            store.changed(gone, record("gone", 5));
            learn(store, "back", 1, 1, 1);
            learn(store, "created", 1, 1, 1);
            store.enableLimits(IDLE, true);
            assertThatThrownBy(() -> store.requireRoom(utf8("x")))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("must have at most 3 models, got 3");
            assertThat(store.idle(101).name()).isEqualTo(utf8("stored"));
        }
    }

    @Test
    void shouldCountInACheckpointAndNotAgainBehindIt() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            store.enableLimits(IDLE, false);
            learn(store, "a", 1, 1, 1);
            learn(store, "b", 1, 1, 1);
            store.passTime(77);
            store.checkpoint(Uuid.ONE_UUID, 8, DECISIONS, false);
        }
        // not the engine's doing: shows that nothing is read
        inner.delete(ModelKeys.header(utf8("a")));
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.position().summary()).isEqualTo(new InputPosition.Summary(77, 2));
            assertThat(store.streamTime()).isEqualTo(77);
            store.enableLimits(new ModelQuota(2, 0), false);
            assertThatThrownBy(() -> store.requireRoom(utf8("x"))).hasMessageContaining("got 2");
            store.enableLimits(new ModelQuota(2, 0), true);
            store.requireRoom(utf8("x"));
        }
    }

    @Test
    void shouldEndAnEvictedModelWithoutItsBlocks() {
        try (ModelStore store = store(1)) {
            store.enableLimits(IDLE, false);
            store.checkpoint(Uuid.ONE_UUID, 0, DECISIONS, false);
            learnWidely(store, "idle", 0, 1);
            learn(store, "other", 1, 1, 1);
            assertThat(store.liveModels()).isEqualTo(1);
            assertThat(keys()).hasSizeGreaterThan(6);

            LiveModel idle = store.idle(107);
            assertThat(idle.name()).isEqualTo(utf8("idle"));
            assertThat(idle.position()).isEqualTo(7);
            assertThat(idle.model().counts().totals().examples()).isEqualTo(2);
            assertThat(idle.model().pipeline().vector(0).count()).isZero();
            idle.model().delete();
            store.end(idle, List.of(0L), record("idle", 107));

            assertThat(store.liveModels()).isEqualTo(1);
            assertThat(store.idle(107).name()).isEqualTo(utf8("other"));
        }
        // and no checkpoint
        assertThat(keys())
                .containsExactly(
                        ModelKeys.POSITION.toString(),
                        ModelKeys.header(utf8("idle")).toString());
        try (ModelStore store = store(Long.MAX_VALUE)) {
            LiveModel ended = store.find(utf8("idle"));
            assertThat(ended.model().state()).isEqualTo(ModelState.DELETED);
            assertThat(ended.model().current().epoch()).isEqualTo(1);
            assertThat(ended.position()).isEqualTo(107);
        }
    }

    @Test
    void shouldDropAModelInMemoryThatHasEnded() {
        StoreCounters counters = new StoreCounters();
        try (ModelStore store = new ModelStore(inner, counters, Long.MAX_VALUE)) {
            store.enableLimits(IDLE, false);
            learn(store, "idle", 1, 1, 1);
            LiveModel idle = store.idle(107);
            assertThat(idle).isSameAs(store.find(utf8("idle")));
            idle.model().delete();
            store.end(idle, List.of(0L), record("idle", 107));
            assertThat(counters.liveModels()).isZero();
            assertThat(counters.heapBytes()).isZero();
            assertThat(store.find(utf8("idle")).model().state()).isEqualTo(ModelState.DELETED);
        }
    }
}
