package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** What a store remembers of the log besides its models: how far it has come, what was refused, and what was put aside. */
class StorePositionTest {
    private final KeyValueStore<Bytes, byte[]> inner =
            Stores.inMemoryKeyValueStore("models").get();

    private ModelStore store(long heapLimit) {
        return new ModelStore(inner, new StoreCounters(), heapLimit);
    }

    private static void checkpoint(ModelStore store, long next) {
        store.checkpoint(Uuid.ONE_UUID, next, DECISIONS, false);
    }

    private int storedRefusals() {
        int count = 0;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.all()) {
            while (entries.hasNext()) {
                count += ModelKeys.isRefusal(entries.next().key) ? 1 : 0;
            }
        }
        return count;
    }

    @Test
    void shouldRememberRefusalsUntilTheNextCheckpoint() {
        try (ModelStore store = store(Long.MAX_VALUE)) {
            checkpoint(store, 5);
            store.refusals().add(5, true);
            store.refusals().add(Long.MAX_VALUE, false);
            store.refusals().add(5, true);
            assertThat(store.refusals().contains(5)).isTrue();
            assertThat(store.refusals().contains(6)).isFalse();
        }
        assertThat(storedRefusals()).isEqualTo(2);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().contains(5)).isTrue();
            assertThat(store.refusals().endsImport(5)).isTrue();
            assertThat(store.refusals().contains(Long.MAX_VALUE)).isTrue();
            assertThat(store.refusals().endsImport(Long.MAX_VALUE)).isFalse();
            assertThat(store.refusals().contains(6)).isFalse();
            checkpoint(store, 7);
            assertThat(store.refusals().contains(5)).isFalse();
        }
        assertThat(storedRefusals()).isZero();
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().contains(5)).isFalse();
            assertThat(store.position().next()).isEqualTo(7);
        }
    }

    @Test
    void shouldWriteAnEvictedModelWithThePositionOfItsLastRecord() {
        try (ModelStore store = store(1)) {
            checkpoint(store, 10);
            LiveModel live = store.create(utf8("m"));
            learn(live.model(), 3, 1, -1);
            store.changed(live, new InputRecord(utf8("m"), 11, 1_011, 1_011, false));
            learn(live.model(), 3, 1, 1);
            store.changed(live, new InputRecord(utf8("m"), 12, 1_012, 1_012, false));
            assertThat(inner.get(ModelKeys.header(utf8("m")))).isNull();
            LiveModel other = store.create(utf8("n"));
            store.changed(other, new InputRecord(utf8("n"), 13, 1_013, 1_013, false));
            assertThat(store.liveModels()).isEqualTo(1);
        }
        // and no checkpoint
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.position().next()).isEqualTo(10);
            LiveModel live = store.find(utf8("m"));
            assertThat(live.position()).isEqualTo(12);
            assertThat(live.lastSeen()).isEqualTo(1_012);
            assertThat(live.model().counts().totals().examples()).isEqualTo(2);
            assertThat(store.find(utf8("n"))).isNull();
        }
    }

    @Test
    void shouldRememberThroughWhichRecordChunksWerePutAside() {
        byte[] name = utf8("m");
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.hasStaged(0)).isFalse();
            checkpoint(store, 10);
            assertThat(store.hasStaged(0)).isFalse();
            store.stage(name, 0, new byte[] {1}, 10);
            store.stage(name, 1, new byte[] {2}, 12);
            assertThat(store.hasStaged(12)).isTrue();
            assertThat(store.hasStaged(13)).isFalse();
        }
        // and no checkpoint
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.position().next()).isEqualTo(10);
            assertThat(store.position().stagedThrough()).isEqualTo(12);
            assertThat(store.staged(name, 1)).containsExactly(2);
            store.unstage(utf8("other"), 14);
            assertThat(store.position().stagedThrough()).isEqualTo(12);
            store.unstage(name, 15);
            assertThat(store.staged(name, 0)).isNull();
            assertThat(store.staged(name, 1)).isNull();
        }
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.position().stagedThrough()).isEqualTo(15);
            checkpoint(store, 16);
        }
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.position().next()).isEqualTo(16);
            assertThat(store.position().stagedThrough()).isEqualTo(15);
        }
    }
}
