package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static io.perceptronstreams.store.StoreDriver.learn;
import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.Refusals.Effect;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/**
 * What a store remembers of the log besides its models: how far it has come, what was refused, and what was put aside.
 */
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
            store.refusals().add(5, Effect.ENDED_IMPORT);
            store.refusals().add(Long.MAX_VALUE, Effect.NOTHING);
            store.refusals().add(5, Effect.NOTHING);
            assertThat(store.refusals().effect(5)).isEqualTo(Effect.ENDED_IMPORT);
            assertThat(store.refusals().effect(6)).isNull();
        }
        assertThat(storedRefusals()).isEqualTo(2);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().effect(5)).isEqualTo(Effect.ENDED_IMPORT);
            assertThat(store.refusals().effect(Long.MAX_VALUE)).isEqualTo(Effect.NOTHING);
            assertThat(store.refusals().effect(6)).isNull();
            checkpoint(store, 7);
            assertThat(store.refusals().effect(5)).isNull();
            assertThat(store.refusals().effect(Long.MAX_VALUE)).isEqualTo(Effect.NOTHING);
        }
        assertThat(storedRefusals()).isEqualTo(1);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().effect(5)).isNull();
            assertThat(store.position().next()).isEqualTo(7);
        }
    }

    @Test
    void shouldKeepTheLastRefusalsOfSignaturesOverCheckpoints() {
        int max = Refusals.MAX_UNAUTHORISED;
        try (ModelStore store = store(Long.MAX_VALUE)) {
            checkpoint(store, 0);
            store.refusals().add(1, Effect.NOTHING);
            for (int k = 0; k < max; k++) {
                store.refusals().add(10 + 2 * k, Effect.NOT_AUTHORISED);
            }
            assertThat(store.refusals().unauthorised(0, 9)).isEmpty();
            assertThat(store.refusals().unauthorised(11, 15)).containsExactlyInAnyOrder(12L, 14L);
            checkpoint(store, 10 + 2 * max);
            assertThat(store.refusals().effect(10)).isNull();
        }
        assertThat(storedRefusals()).isEqualTo(max);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().unauthorised(0, Long.MAX_VALUE)).hasSize(max);
            store.refusals().add(10 + 2 * max, Effect.NOT_AUTHORISED);
            store.refusals().add(12 + 2 * max, Effect.NOT_AUTHORISED);
            // the same as before the next checkpoint, which removes them
            assertThat(store.refusals().unauthorised(0, 15 + 2 * max))
                    .hasSize(max)
                    .doesNotContain(10L, 12L);
            assertThat(store.refusals().unauthorised(0, 13)).containsExactlyInAnyOrder(10L, 12L);
            store.refusals().removeTo(10 + 2 * max);
            // one more than needed: the last one is not learned yet
            assertThat(store.refusals().unauthorised(0, 13)).containsExactly(12L);
            checkpoint(store, 13 + 2 * max);
            assertThat(store.refusals().unauthorised(0, 13)).isEmpty();
        }
        assertThat(storedRefusals()).isEqualTo(max);
    }

    /** As earlier versions have stored it. */
    @Test
    void shouldReadRefusalsOfEarlierVersions() {
        inner.put(ModelKeys.refusal(5), new byte[] {1});
        inner.put(ModelKeys.refusal(6), new byte[0]);
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertThat(store.refusals().effect(5)).isEqualTo(Effect.MAY_END_IMPORT);
            assertThat(store.refusals().effect(6)).isEqualTo(Effect.NOTHING);
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
    void shouldWriteTheOldestChangesFirstAndFollowThemWithThePosition() {
        Settings changed = Settings.DEFAULTS.with(Map.of("h", "7"));
        try (ModelStore store = store(Long.MAX_VALUE)) {
            checkpoint(store, 10);
            use(store, "a", 10);
            use(store, "b", 11);
            assertThat(writeOne(store, 12)).isPositive();
            assertThat(written("a", "b", "c")).containsExactly("a");
            assertThat(store.position().next()).isEqualTo(10);

            store.refusals().add(11, Effect.NOTHING);
            store.refusals().add(12, Effect.NOTHING);
            store.setDefaults(changed);
            use(store, "a", 12);
            use(store, "c", 13);
            assertThat(writeOne(store, 14)).isPositive();
            assertThat(written("a", "b", "c")).containsExactly("a", "b");
            assertPosition(store.position(), 12, 11, 2, Settings.DEFAULTS);
            assertThat(store.refusals().effect(11)).isNull();
            assertThat(store.refusals().effect(12)).isEqualTo(Effect.NOTHING);

            assertThat(writeOne(store, 14)).as("a again").isPositive();
            assertThat(written("a", "b", "c")).containsExactly("a", "b");
            assertThat(store.position().next()).isEqualTo(12);
        }
        // and no other checkpoint
        try (ModelStore store = store(Long.MAX_VALUE)) {
            assertPosition(store.position(), 12, 11, 2, Settings.DEFAULTS);
            assertThat(store.find(utf8("a")).position()).isEqualTo(12);
            assertThat(store.enableLimits(ModelQuota.NONE, true)).isEmpty();
            store.setDefaults(changed);
            use(store, "c", 13);
            use(store, "b", 14);
            assertThat(writeOne(store, 15)).isPositive();
            assertThat(store.position().next()).isEqualTo(12);
            assertThat(writeOne(store, 15)).isZero();
            assertPosition(store.position(), 15, 14, 3, changed);
        }
    }

    /** Writes one changed model. */
    private static long writeOne(ModelStore store, long next) {
        return store.checkpoint(Uuid.ONE_UUID, next, DECISIONS, false, () -> true);
    }

    private static void use(ModelStore store, String name, long offset) {
        LiveModel found = store.find(utf8(name));
        LiveModel live = found == null ? store.create(utf8(name)) : found;
        learn(live.model(), 3, 1, -1);
        store.passTime(offset);
        store.changed(live, StoreDriver.record(name, offset));
    }

    private List<String> written(String... names) {
        return Stream.of(names)
                .filter(name -> inner.get(ModelKeys.header(utf8(name))) != null)
                .toList();
    }

    private static void assertPosition(
            InputPosition position, long next, long streamTime, long models, Settings defaults) {
        assertThat(position.next()).isEqualTo(next);
        assertThat(position.summary()).isEqualTo(new InputPosition.Summary(streamTime, models));
        assertThat(position.defaults()).isEqualTo(defaults);
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
