package io.perceptronstreams.store;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of Kafka Streams in RocksDB, which is emptied when it is opened if it was closed with uncommitted writes or
 * has no offset in the changelog.
 *
 * <p>After an aborted transaction, Kafka Streams 4.4.0 closes a store as in order and then deletes its files ({@code
 * StateManagerUtil.closeStateManager}; see KAFKA-9618). Where they cannot be deleted, for instance because the process
 * may not open more files, the next task of the partition would take aborted writes for committed ones; or, if it finds
 * no offset, it would throw {@code TaskCorruptedException}, delete the files again, and repeat that without end
 * ({@code ProcessorStateManager.initializeStoreOffsets}). An empty store needs no deletion: it is restored from the
 * changelog.
 *
 * <p>Transactional stores of Kafka Streams are refused ({@code EngineConfig}): the mark would be a write that is never
 * committed.
 */
public final class CommitGuardedStore implements KeyValueStore<Bytes, byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(CommitGuardedStore.class);

    /** Only in a store that was closed with uncommitted writes, not in the changelog; behind all keys of models. */
    static final Bytes UNCOMMITTED = Bytes.wrap(new byte[] {-1});

    /**
     * Offset of a store that contains nothing of its changelog: Kafka Streams 4.4.0 commits it
     * ({@code OffsetCheckpoint.OFFSET_UNKNOWN}), and restores such a store from the beginning.
     */
    static final long NOTHING = -4;

    private final KeyValueStore<Bytes, byte[]> rocks;
    private final LongSupplier transactions;
    private boolean isUncommitted;
    private long transactionsAtWrite;

    private CommitGuardedStore(KeyValueStore<Bytes, byte[]> rocks, LongSupplier transactions) {
        this.rocks = rocks;
        this.transactions = transactions;
    }

    /**
     * Creates a supplier for the stores of all partitions.
     *
     * @param transactions number of transactions that the calling thread has committed
     */
    public static KeyValueBytesStoreSupplier supplier(String name, LongSupplier transactions) {
        KeyValueBytesStoreSupplier rocks = Stores.persistentKeyValueStore(name);
        return new KeyValueBytesStoreSupplier() {
            @Override
            public String name() {
                return rocks.name();
            }

            @Override
            public KeyValueStore<Bytes, byte[]> get() {
                return new CommitGuardedStore(rocks.get(), transactions);
            }

            @Override
            public String metricsScope() {
                return rocks.metricsScope();
            }
        };
    }

    /**
     * {@inheritDoc}
     *
     * <p>Cost: O(1), after uncommitted writes O(records).
     */
    @Override
    public void init(StateStoreContext context, StateStore root) {
        rocks.init(context, root);
        if (rocks.get(UNCOMMITTED) != null) {
            clear();
        }
    }

    /** Removes all entries. The mark sorts last, so that an interrupted clear leaves it in place. */
    private void clear() {
        rocks.commit(Map.of());
        try (KeyValueIterator<Bytes, byte[]> entries = rocks.all()) {
            while (entries.hasNext()) {
                rocks.put(entries.next().key, null);
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Kafka Streams commits a store without offsets before it deletes it. After a commit of the transaction without
     * an answer it commits the store with offsets before it deletes it ({@code TaskManager.closeDirtyAndRevive} of
     * 4.4.0 calls {@code postCommit}).
     */
    @Override
    public void commit(Map<TopicPartition, Long> changelogOffsets) {
        isUncommitted =
                isUncommitted && (changelogOffsets.isEmpty() || transactions.getAsLong() == transactionsAtWrite);
        rocks.commit(isUncommitted ? Map.of() : changelogOffsets);
    }

    @Override
    public void close() {
        if (isUncommitted && isOpen()) {
            isUncommitted = false;
            try {
                rocks.put(UNCOMMITTED, new byte[0]);
            } catch (ProcessorStateException e) {
                // RocksDB does not write any more: the uncommitted writes that are not on disk are lost, too
                LOG.debug("uncommitted writes of {} could not be marked", name(), e);
            }
        }
        rocks.close();
    }

    private void noteWrite() {
        isUncommitted = true;
        transactionsAtWrite = transactions.getAsLong();
    }

    @Override
    public void put(Bytes key, byte[] value) {
        noteWrite();
        rocks.put(key, value);
    }

    @Override
    public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
        noteWrite();
        rocks.putAll(entries);
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
        noteWrite();
        return rocks.putIfAbsent(key, value);
    }

    @Override
    public byte[] delete(Bytes key) {
        noteWrite();
        return rocks.delete(key);
    }

    @Override
    public byte[] get(Bytes key) {
        return rocks.get(key);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        return rocks.range(from, to);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        return rocks.all();
    }

    @Override
    public long approximateNumEntries() {
        return rocks.approximateNumEntries();
    }

    @Override
    public String name() {
        return rocks.name();
    }

    /**
     * Returns the offset in the changelog, {@link #NOTHING} if there is none. Kafka Streams asks when it has opened the
     * store.
     *
     * <p>Cost: O(1), without an offset O(records).
     */
    @Override
    public Long committedOffset(TopicPartition partition) {
        Long offset = rocks.committedOffset(partition);
        if (offset == null) {
            clear();
            return NOTHING;
        }
        return offset;
    }

    @Override
    @SuppressWarnings("deprecation")
    public boolean managesOffsets() {
        return rocks.managesOffsets();
    }

    @Override
    public boolean persistent() {
        return rocks.persistent();
    }

    @Override
    public boolean isOpen() {
        return rocks.isOpen();
    }

    @Override
    public Position getPosition() {
        return rocks.getPosition();
    }
}
