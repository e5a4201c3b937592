package io.perceptronstreams.store;

import io.perceptronstreams.learner.Model;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;

/**
 * Models by name: live objects in memory, made durable once per commit.
 *
 * <p>Usage: {@link #find} or {@link #create} a model, change it, {@link #markChanged} it. Cost of a commit: O(changed blocks).
 *
 * <p><b>Why two internal interfaces.</b> Kafka Streams commits in this order (4.3.1): {@code StreamTask.prepareCommit} calls {@code
 * flushCache} on every {@link CachedStateStore}; then offsets and transaction are committed; then {@link StateStore#commit}. What is
 * written in {@code commit} misses the transaction, and what is written to a store per example costs more than the learning. So
 * this store is a {@code CachedStateStore}, and in {@link #flushCache} hands the changed blocks to the inner store and, by {@link
 * InternalProcessorContext#logChange}, to the changelog, inside the transaction that also holds their predictions and offsets.
 * There its processor also does what it has put off ({@link #beforeFlush}), as the caching stores of Kafka Streams forward what they
 * cached. These are the only internals used in the project; {@code KafkaPinTest} and {@code ModelStoreTest} pin them.
 *
 * <p>Everything else is the inner store's: restoration, standbys, offsets. It is persistent also because only then do process id
 * and {@code transactional.id} outlive a restart. Under exactly-once Streams discards it after an unclean end, so that what it
 * holds is never ahead of the committed changelog. Owned by one stream task; not thread-safe.
 */
public final class ModelStore implements StateStore, CachedStateStore<Bytes, byte[]> {
    private static final int BATCH = 1024;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final AtomicLong heapOfAllStores;
    private final long heapLimit;
    private final StoreCounters counters;

    // In order of access, so that eviction meets the least recently used first.
    private final Map<Bytes, StoredModel> live = new LinkedHashMap<>(16, 0.75f, true);
    private final List<StoredModel> changed = new ArrayList<>();
    private final List<KeyValue<Bytes, byte[]>> batch = new ArrayList<>();
    private StoredModel last;
    private Runnable beforeFlush = () -> {};
    private InternalProcessorContext<?, ?> context;

    /**
     * A store over an inner one.
     *
     * @param counters of all stores that share the limit, among them the bytes of live models
     * @param heapLimit above it the least recently used models are written out and dropped
     */
    ModelStore(KeyValueStore<Bytes, byte[]> inner, StoreCounters counters, long heapLimit) {
        this.inner = inner;
        this.heapOfAllStores = counters.heapBytes;
        this.heapLimit = heapLimit;
        this.counters = counters;
    }

    /**
     * Has something done at the beginning of every {@link #flushCache}, while the transaction is still open.
     *
     * @param pending may change models and forward records, as part of the processor in whose {@code init} this is called
     */
    public void beforeFlush(Runnable pending) {
        var processor = context.currentNode();
        beforeFlush = () -> {
            var current = context.currentNode();
            context.setCurrentNode(processor);
            try {
                pending.run();
            } finally {
                context.setCurrentNode(current);
            }
        };
    }

    /** The model of this name, or null if there never was one; it may be {@link Model.State#DELETED}. */
    public StoredModel find(byte[] name) {
        if (last != null && Arrays.equals(last.name(), name)) {
            return last;
        }
        StoredModel found = live.get(Bytes.wrap(name));
        if (found == null) {
            found = load(name);
            if (found == null) {
                return null;
            }
            add(found);
        }
        last = found;
        return found;
    }

    /**
     * A new model of a name that {@link #find} does not know.
     *
     * <p>The store keeps it from its first {@link #markChanged} on: one whose first record is refused leaves no trace, or the next
     * record would find it or not, depending on whether the engine was restarted between the two.
     */
    public StoredModel create(byte[] name) {
        return new StoredModel(name.clone(), new Model());
    }

    /**
     * Notes that a model must be written at the next commit; a new one is kept from now on.
     *
     * @param timestamp event time of the record that changed it, in ms
     */
    public void markChanged(StoredModel model, long timestamp) {
        if (model.markChanged(timestamp)) {
            if (changed.isEmpty()) {
                joinTransaction(timestamp);
            }
            changed.add(model);
            if (!live.containsKey(model.key())) {
                last = model;
                add(model);
            }
        }
    }

    /**
     * Has the changelog's partition join the transaction while examples are learned from. Otherwise it does at the first block, hence
     * in the commit, which then waits for the coordinator to write that down.
     */
    private void joinTransaction(long timestamp) {
        context.logChange(name(), ModelKeys.NOTHING, null, timestamp, new RecordHeaders(), inner.getPosition());
    }

    /**
     * Removes the blocks of an epoch that has ended: by a reset, delete or takeover, or that of a shadow that was dropped.
     *
     * <p>The header without that epoch is written first: from then on the old blocks are never read, whatever becomes of their
     * removal.
     */
    public void removeEpoch(StoredModel model, long endedEpoch, long timestamp) {
        markChanged(model, timestamp);
        write(ModelKeys.header(model.name()), HeaderCodec.encode(model.model()), timestamp);
        removeRange(
                ModelKeys.firstBlock(model.name(), endedEpoch),
                ModelKeys.lastBlock(model.name(), endedEpoch),
                timestamp);
    }

    /**
     * Begins the epoch of a model that has just become another one: writes all its blocks, and removes those of its last epoch.
     *
     * <p>Cost: O(touched blocks of both). Whether blocks count as changed does not matter here.
     */
    public void replaceEpoch(StoredModel stored, long endedEpoch, long timestamp) {
        removeEpoch(stored, endedEpoch, timestamp);
        Model model = stored.model();
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            model.vector(vector)
                    .forEach((block, values) -> write(
                            ModelKeys.block(stored.name(), model.epoch(), number, block),
                            BlockCodec.encode(values),
                            timestamp));
        }
        flushBatch();
    }

    /**
     * Puts a piece of something larger aside, as durable as a model and apart from it, until {@link #unstage}.
     *
     * @param piece from 0
     * @param timestamp event time of the record that brought it, in ms
     */
    public void stage(byte[] name, int piece, byte[] value, long timestamp) {
        write(ModelKeys.staged(name, piece), value, timestamp);
        flushBatch();
    }

    /** A piece that was put aside, or null. */
    public byte[] staged(byte[] name, int piece) {
        return inner.get(ModelKeys.staged(name, piece));
    }

    /** Removes all pieces that were put aside under a name. */
    public void unstage(byte[] name, long timestamp) {
        removeRange(ModelKeys.staged(name, 0), ModelKeys.staged(name, Integer.MAX_VALUE), timestamp);
    }

    private void removeRange(Bytes first, Bytes last, long timestamp) {
        flushBatch();
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(first, last)) {
            while (entries.hasNext()) {
                write(entries.next().key, null, timestamp);
            }
        }
        flushBatch();
    }

    private StoredModel load(byte[] name) {
        byte[] header = inner.get(ModelKeys.header(name));
        if (header == null) {
            return null;
        }
        Model model = HeaderCodec.decode(header);
        loadBlocks(name, model);
        if (model.shadow() != null) {
            loadBlocks(name, model.shadow());
        }
        return new StoredModel(name.clone(), model);
    }

    private void loadBlocks(byte[] name, Model model) {
        try (KeyValueIterator<Bytes, byte[]> blocks =
                inner.range(ModelKeys.firstBlock(name, model.epoch()), ModelKeys.lastBlock(name, model.epoch()))) {
            while (blocks.hasNext()) {
                KeyValue<Bytes, byte[]> block = blocks.next();
                model.vector(ModelKeys.vector(block.key))
                        .restore(ModelKeys.number(block.key), BlockCodec.decode(block.value));
            }
        }
    }

    private void add(StoredModel model) {
        live.put(model.key(), model);
        counters.liveModels.increment();
        heapOfAllStores.addAndGet(model.heapGrowth());
        evict(model);
    }

    /** Drops least recently used models while all stores together are above the limit; {@code inUse} stays. */
    private void evict(StoredModel inUse) {
        Iterator<StoredModel> oldest = live.values().iterator();
        while (heapOfAllStores.get() > heapLimit && oldest.hasNext()) {
            StoredModel model = oldest.next();
            if (model != inUse) {
                if (model.isChanged()) {
                    write(model);
                    changed.remove(model);
                }
                oldest.remove();
                counters.liveModels.decrement();
                counters.evictions.increment();
                heapOfAllStores.addAndGet(-model.heapBytes());
            }
        }
        flushBatch();
    }

    @Override
    public void flushCache() {
        beforeFlush.run();
        long start = System.nanoTime();
        for (StoredModel model : changed) {
            write(model);
        }
        changed.clear();
        flushBatch();
        evict(last);
        counters.flushes.increment();
        counters.flushNanos.add(System.nanoTime() - start);
    }

    private void write(StoredModel stored) {
        Model model = stored.model();
        write(ModelKeys.header(stored.name()), HeaderCodec.encode(model), stored.timestamp());
        writeBlocks(stored, model);
        if (model.shadow() != null) {
            writeBlocks(stored, model.shadow());
        }
        stored.markWritten();
        heapOfAllStores.addAndGet(stored.heapGrowth());
    }

    private void writeBlocks(StoredModel stored, Model model) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int number = vector;
            Blocks.Sink sink = (block, values) -> write(
                    ModelKeys.block(stored.name(), model.epoch(), number, block),
                    values == null ? null : BlockCodec.encode(values),
                    stored.timestamp());
            Blocks blocks = model.vector(vector);
            if (blocks instanceof BlockVector weights && weights.isSmall()) {
                // a small vector does not know what was changed
                weights.forEach(sink);
            } else {
                blocks.drainChanged(sink);
            }
        }
    }

    private void write(Bytes key, byte[] value, long timestamp) {
        context.logChange(name(), key, value, timestamp, new RecordHeaders(), inner.getPosition());
        batch.add(KeyValue.pair(key, value));
        if (batch.size() == BATCH) {
            flushBatch();
        }
    }

    private void flushBatch() {
        if (!batch.isEmpty()) {
            counters.dirtyBlocks.add(batch.size());
            inner.putAll(batch);
            batch.clear();
        }
    }

    /** Drops all live models: what was not written is lost, as it is when a transaction is aborted. */
    @Override
    public void clearCache() {
        live.values().forEach(model -> heapOfAllStores.addAndGet(-model.heapBytes()));
        counters.liveModels.add(-live.size());
        live.clear();
        changed.clear();
        batch.clear();
        last = null;
    }

    /** How many models are in memory. */
    int liveModels() {
        return live.size();
    }

    /** Bytes of live models of all stores that share the limit, as measured when they were last written or loaded. */
    long heapBytesOfAllStores() {
        return heapOfAllStores.get();
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public void init(StateStoreContext stateStoreContext, StateStore root) {
        context = (InternalProcessorContext<?, ?>) stateStoreContext;
        inner.init(stateStoreContext, root);
    }

    @Override
    public boolean setFlushListener(CacheFlushListener<Bytes, byte[]> listener, boolean sendOldValues) {
        return false;
    }

    @Override
    public void commit(Map<TopicPartition, Long> changelogOffsets) {
        inner.commit(changelogOffsets);
    }

    @Override
    public Long committedOffset(TopicPartition partition) {
        return inner.committedOffset(partition);
    }

    @Override
    @SuppressWarnings("deprecation") // asked for by the Kafka version in use
    public boolean managesOffsets() {
        return inner.managesOffsets();
    }

    @Override
    public void close() {
        clearCache();
        inner.close();
    }

    @Override
    public boolean persistent() {
        return inner.persistent();
    }

    @Override
    public boolean isOpen() {
        return inner.isOpen();
    }

    @Override
    public Position getPosition() {
        return inner.getPosition();
    }
}
