package io.perceptronstreams.embed;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Calls a task before each commit of Kafka Streams, in the thread and transaction of the task, whose writes are then
 * committed with the offsets of its records. Thread-safe.
 *
 * <p>Kafka Streams has no such call, but writes the changes in the cache of a store to the store before a commit. The
 * store of a hook keeps nothing: a value is the number of the task to call. Without a cache, or when the cache is full,
 * the task is called earlier, at worst with each record.
 */
final class CommitHook {
    private static final Bytes KEY = Bytes.wrap(new byte[] {0});

    private final Map<Long, Runnable> tasks = new ConcurrentHashMap<>();
    private final AtomicLong lastTask = new AtomicLong();

    /** Returns the store to connect to the processor. */
    StoreBuilder<?> store(String name) {
        KeyValueBytesStoreSupplier supplier = new KeyValueBytesStoreSupplier() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public KeyValueStore<Bytes, byte[]> get() {
                return new Calls(name);
            }

            @Override
            public String metricsScope() {
                return "in-memory";
            }
        };
        return Stores.keyValueStoreBuilder(supplier, Serdes.Bytes(), Serdes.ByteArray())
                .withCachingEnabled()
                .withLoggingDisabled();
    }

    /** Adds a task; returns its number. */
    long add(Runnable task) {
        long number = lastTask.incrementAndGet();
        tasks.put(number, task);
        return number;
    }

    void remove(long task) {
        tasks.remove(task);
    }

    /** Requests a call before the next commit. */
    static void request(KeyValueStore<Bytes, byte[]> store, long task) {
        store.put(KEY, ByteBuffer.allocate(Long.BYTES).putLong(task).array());
    }

    /** A store that calls the task of each value. */
    private final class Calls implements KeyValueStore<Bytes, byte[]> {
        private final String name;
        private boolean isOpen;

        Calls(String name) {
            this.name = name;
        }

        @Override
        public void put(Bytes key, byte[] value) {
            Runnable task = tasks.get(ByteBuffer.wrap(value).getLong());
            if (task != null) {
                task.run();
            }
        }

        @Override
        public byte[] putIfAbsent(Bytes key, byte[] value) {
            put(key, value);
            return null;
        }

        @Override
        public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
            entries.forEach(each -> put(each.key, each.value));
        }

        @Override
        public byte[] delete(Bytes key) {
            return null;
        }

        @Override
        public byte[] get(Bytes key) {
            return null;
        }

        @Override
        public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
            throw new UnsupportedOperationException("the store keeps nothing");
        }

        @Override
        public KeyValueIterator<Bytes, byte[]> all() {
            throw new UnsupportedOperationException("the store keeps nothing");
        }

        @Override
        public long approximateNumEntries() {
            return 0;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void init(StateStoreContext context, StateStore root) {
            context.register(root, (key, value) -> {});
            isOpen = true;
        }

        @Override
        public void close() {
            isOpen = false;
        }

        @Override
        public boolean persistent() {
            return false;
        }

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        @Override
        public Position getPosition() {
            return Position.emptyPosition();
        }
    }
}
