package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

final class BatchWriterTest {
    private static final byte[] VALUE = {1};

    private final KeyValueStore<Bytes, byte[]> inner =
            Stores.inMemoryKeyValueStore("models").get();
    private final StoreCounters counters = new StoreCounters();
    private final BatchWriter writer = new BatchWriter(inner, counters);

    @Test
    void shouldRemoveARangeOfWhichSomeIsNotWrittenYet() {
        inner.put(key("b"), VALUE);
        inner.put(key("d"), VALUE);
        writer.put(key("a"), VALUE);
        writer.put(key("c"), VALUE);

        assertThat(writer.removeRange(key("a"), key("c"))).isTrue();

        // at once: the next read must not find them
        assertThat(inner.get(key("a"))).isNull();
        assertThat(inner.get(key("b"))).isNull();
        assertThat(inner.get(key("c"))).isNull();
        assertThat(inner.get(key("d"))).isEqualTo(VALUE);
        assertThat(writer.removeRange(key("a"), key("c"))).isFalse();
    }

    @Test
    void shouldWriteWhenABatchIsFullAndForgetWhatIsCleared() {
        for (int k = 0; k < 1024; k++) {
            assertThat(inner.approximateNumEntries()).isZero();
            writer.put(key("k" + k), VALUE);
        }
        assertThat(inner.approximateNumEntries()).isEqualTo(1024);

        writer.put(key("cleared"), VALUE);
        writer.clear();
        writer.flush();

        assertThat(inner.approximateNumEntries()).isEqualTo(1024);
        assertThat(counters.writtenRecords.sum()).isEqualTo(1024);
    }

    private static Bytes key(String name) {
        return Bytes.wrap(utf8(name));
    }
}
