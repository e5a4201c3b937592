package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store after it was closed with and without uncommitted writes. */
final class CommitGuardedStoreTest {
    private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);
    private static final Bytes KEY = Bytes.wrap(new byte[] {1});
    private static final Bytes OTHER = Bytes.wrap(new byte[] {0, 7});

    @TempDir
    Path directory;

    private KeyValueStore<Bytes, byte[]> store;
    private long transactions;

    @BeforeEach
    void open() {
        store = init(CommitGuardedStore.supplier("models", () -> transactions).get(), false);
    }

    private KeyValueStore<Bytes, byte[]> init(KeyValueStore<Bytes, byte[]> store, boolean isTransactional) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "perceptron");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, isTransactional);
        MockProcessorContext<byte[], byte[]> context =
                new MockProcessorContext<>(properties, new TaskId(0, 0), directory.toFile());
        store.init(context.getStateStoreContext(), store);
        return store;
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** As Kafka Streams does at the end of a task, after its transaction was committed. */
    private void commit(long offset) {
        transactions++;
        store.commit(Map.of(CHANGELOG, offset));
    }

    private void reopen() {
        store.close();
        open();
    }

    @Test
    void shouldKeepTheOffsetOfCommittedWrites() {
        store.put(KEY, new byte[] {2});
        commit(5);
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(5);
        assertThat(store.get(KEY)).containsExactly(2);
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(5);
    }

    static List<Consumer<KeyValueStore<Bytes, byte[]>>> writes() {
        return List.of(
                store -> store.put(KEY, new byte[] {3}),
                store -> store.putAll(List.of(KeyValue.pair(KEY, new byte[] {3}))),
                store -> store.putIfAbsent(KEY, new byte[] {3}),
                store -> store.delete(KEY),
                store -> {
                    store.put(KEY, new byte[] {3});
                    // that of a copy that is to be deleted
                    store.commit(Map.of());
                },
                store -> {
                    store.put(KEY, new byte[] {3});
                    // of a copy that is to be deleted after a commit of the transaction had no answer
                    store.commit(Map.of(CHANGELOG, 6L));
                });
    }

    @ParameterizedTest
    @MethodSource("writes")
    void shouldBeEmptyAfterUncommittedWrites(Consumer<KeyValueStore<Bytes, byte[]>> write) {
        store.put(OTHER, new byte[] {2});
        commit(5);
        write.accept(store);
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(CommitGuardedStore.NOTHING);
        assertThatIsEmpty();
        // as Kafka Streams does after the restoration
        store.put(KEY, new byte[] {4});
        commit(7);
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(7);
        assertThat(store.get(KEY)).containsExactly(4);
    }

    private void assertThatIsEmpty() {
        try (KeyValueIterator<Bytes, byte[]> entries = store.all()) {
            assertThat(entries).isExhausted();
        }
    }

    /** Null would be a corrupted task, whose files Kafka Streams deletes: again and again where that fails. */
    @Test
    void shouldBeEmptyAndNotCorruptedWhereItsOffsetWasRemovedAndItsFilesCouldNotBeDeleted() {
        store.put(OTHER, new byte[] {2});
        commit(5);
        // of a corrupted task
        store.commit(Map.of());
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(CommitGuardedStore.NOTHING);
        assertThatIsEmpty();
        reopen();
        assertThat(store.committedOffset(CHANGELOG)).isEqualTo(CommitGuardedStore.NOTHING);
    }

    @Test
    void shouldBeClosedTwice() {
        store.put(KEY, new byte[] {2});
        store.close();
        store.close();
        assertThat(store.isOpen()).isFalse();
    }

    /**
     * The reason why the engine refuses this setting. Kafka Streams commits the store so before it deletes its files.
     */
    @Test
    void shouldStillKeepUncommittedWritesInATransactionalStoreOfKafkaStreams() {
        store.close();
        store = init(Stores.persistentKeyValueStore("models").get(), true);
        store.put(KEY, new byte[] {2});
        store.commit(Map.of(CHANGELOG, 5L));
        store.put(OTHER, new byte[] {3});
        store.close();
        store = init(Stores.persistentKeyValueStore("models").get(), true);
        assertThat(store.get(OTHER)).isNull();
        store.put(OTHER, new byte[] {3});
        store.commit(Map.of());
        store.close();
        store = init(Stores.persistentKeyValueStore("models").get(), true);
        assertThat(store.get(OTHER)).containsExactly(3);
    }
}
