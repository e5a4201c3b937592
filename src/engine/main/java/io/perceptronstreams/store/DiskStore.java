package io.perceptronstreams.store;

import io.perceptronstreams.state.OwnerOnly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A store in RocksDB without Kafka Streams, for models that are read from the changelog.
 *
 * <p>It has no log of its own: what it holds can be read again, so that a crash may lose it. Keys are in the order of
 * their unsigned bytes. Not thread-safe.
 */
public final class DiskStore implements KeyValueStore<Bytes, byte[]> {
    static {
        RocksLibrary.load();
    }

    private final Options options;
    private final WriteOptions writes;
    private final RocksDB rocks;
    private boolean isOpen = true;

    /**
     * Opens a directory, which no other process may use.
     *
     * @param cacheBytes of the cache of all stores of this process; the first opened store decides
     * @throws UncheckedIOException if the directory cannot be used
     */
    public DiskStore(Path directory, long cacheBytes) {
        options = new Options().setCreateIfMissing(true).setTableFormatConfig(new BlockBasedTableConfig());
        new SharedRocksMemory()
                .setConfig(directory.toString(), options, Map.of(SharedRocksMemory.CACHE_BYTES, cacheBytes));
        writes = new WriteOptions().setDisableWAL(true);
        try {
            OwnerOnly.createDirectories(directory);
            rocks = RocksDB.open(options, directory.toString());
        } catch (IOException | RocksDBException e) {
            writes.close();
            options.close();
            throw failed("opened", e);
        }
    }

    private static UncheckedIOException failed(String what, Exception e) {
        return new UncheckedIOException(
                new IOException("local copies of models could not be " + what + ": " + e.getMessage(), e));
    }

    @Override
    public byte[] get(Bytes key) {
        try {
            return rocks.get(key.get());
        } catch (RocksDBException e) {
            throw failed("read", e);
        }
    }

    @Override
    public void put(Bytes key, byte[] value) {
        try {
            if (value == null) {
                rocks.delete(writes, key.get());
            } else {
                rocks.put(writes, key.get(), value);
            }
        } catch (RocksDBException e) {
            throw failed("written", e);
        }
    }

    @Override
    public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
        try (WriteBatch batch = new WriteBatch()) {
            for (KeyValue<Bytes, byte[]> entry : entries) {
                if (entry.value == null) {
                    batch.delete(entry.key.get());
                } else {
                    batch.put(entry.key.get(), entry.value);
                }
            }
            rocks.write(writes, batch);
        } catch (RocksDBException e) {
            throw failed("written", e);
        }
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
        byte[] stored = get(key);
        if (stored == null) {
            put(key, value);
        }
        return stored;
    }

    @Override
    public byte[] delete(Bytes key) {
        byte[] stored = get(key);
        put(key, null);
        return stored;
    }

    /** {@inheritDoc} Both ends are included; writes after the call are not seen. */
    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        RocksIterator entries = rocks.newIterator();
        entries.seek(from.get());
        return new Entries(entries, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        RocksIterator entries = rocks.newIterator();
        entries.seekToFirst();
        return new Entries(entries, null);
    }

    private static final class Entries implements KeyValueIterator<Bytes, byte[]> {
        private final RocksIterator entries;
        private final Bytes last;

        Entries(RocksIterator entries, Bytes last) {
            this.entries = entries;
            this.last = last;
        }

        @Override
        public boolean hasNext() {
            if (entries.isValid()) {
                return last == null || Bytes.wrap(entries.key()).compareTo(last) <= 0;
            }
            try {
                entries.status();
            } catch (RocksDBException e) {
                throw failed("read", e);
            }
            return false;
        }

        @Override
        public KeyValue<Bytes, byte[]> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            KeyValue<Bytes, byte[]> next = KeyValue.pair(Bytes.wrap(entries.key()), entries.value());
            entries.next();
            return next;
        }

        @Override
        public Bytes peekNextKey() {
            return Bytes.wrap(entries.key());
        }

        @Override
        public void close() {
            entries.close();
        }
    }

    @Override
    public long approximateNumEntries() {
        try {
            return rocks.getLongProperty("rocksdb.estimate-num-keys");
        } catch (RocksDBException e) {
            throw failed("counted", e);
        }
    }

    @Override
    public String name() {
        return "models";
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {
        throw new UnsupportedOperationException("this store belongs to no topology");
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            rocks.close();
            writes.close();
            options.close();
        }
    }
}
