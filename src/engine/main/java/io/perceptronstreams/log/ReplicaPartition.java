package io.perceptronstreams.log;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelReplica.NotReadyException;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.Refusals;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.store.StoredProgress;
import io.perceptronstreams.structured.SequenceScratch;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The models of one partition in a replica: first as in the changelog, then with the log after it, relearned.
 *
 * <p>The log alone does not decide which records were refused because of the registry or a limit, and which models were
 * deleted because they were idle; the changelog has both, in the transaction of their record. A record must therefore
 * be learned only after the changelog of its transaction was {@linkplain #observe observed}.
 *
 * <p>One thread restores, observes and learns; {@link #read} is thread-safe.
 */
public final class ReplicaPartition implements AutoCloseable {
    /**
     * Maximum time in which a model is found. It takes longer only if a record with a late label waits for the
     * registry.
     */
    private static final long PATIENCE_MS = 1_000;

    /** Maximum heap of the tables that a thread keeps after a prediction; see {@link SequenceScratch}. */
    private static final long MAX_SCRATCH_BYTES = 1 << 20;

    private final String topic;
    private final Uuid topicId;
    private final int partition;
    private final KeyValueStore<Bytes, byte[]> inner;
    private final InputDecoder decoder;
    private final RegistryRetry registryRetry;
    private final InputRecords records;
    private final StoreCounters counters;
    private final long heapLimit;

    // A fair lock: otherwise the thread that learns takes it again before a waiting reader wakes up.
    private final ReentrantLock lock = new ReentrantLock(true);

    // Of records that are not learned, by offset.
    private final NavigableMap<Long, List<byte[]>> deletions = new TreeMap<>();
    private final NavigableMap<Long, Decisions> decisions = new TreeMap<>();

    private InputPosition start;
    private long restoredThrough = -1;
    private ModelStore store;
    private RecordReplayer replayer;
    private volatile long next;

    /**
     * A model while it does not change.
     *
     * @param next offset of the first record that the model has not learned, or that is not one of its records
     */
    public record Held(Model model, long next) {}

    /**
     * Creates a partition without models.
     *
     * @param topic name of the examples topic
     * @param topicId of the examples topic
     * @param inner empty; closed with the partition
     * @param records of the examples topic
     * @param counters of all partitions of the replica
     * @param heapLimit maximum heap of the models in memory of all partitions of the replica, in bytes
     */
    public ReplicaPartition(
            String topic,
            Uuid topicId,
            int partition,
            KeyValueStore<Bytes, byte[]> inner,
            InputDecoder decoder,
            RegistryRetry registryRetry,
            InputRecords records,
            StoreCounters counters,
            long heapLimit) {
        this.topic = topic;
        this.topicId = topicId;
        this.partition = partition;
        this.inner = inner;
        this.decoder = decoder;
        this.registryRetry = registryRetry;
        this.records = records;
        this.counters = counters;
        this.heapLimit = heapLimit;
    }

    /** Restores a record of the changelog, before {@link #begin}. */
    public void restore(byte[] key, byte[] value) {
        Bytes wrapped = Bytes.wrap(key);
        StoredProgress progress = StoredProgress.of(wrapped, value);
        if (progress != null) {
            restoredThrough = Math.max(restoredThrough, progress.offset());
        }
        inner.put(wrapped, value);
    }

    /**
     * Ends the restoration; must be called between two transactions of the changelog.
     *
     * @return false if the changelog has no checkpoint yet; then the restoration continues
     * @throws PositionFaultException if the records after the checkpoint cannot be relearned
     */
    public boolean begin() {
        byte[] stored = inner.get(ModelKeys.POSITION);
        if (stored == null) {
            return false;
        }
        start = InputPosition.decode(stored);
        if (!start.topicId().equals(topicId)) {
            throw new PositionFaultException(topic + " must be the topic that the models have learned, "
                    + start.topicId() + ", got another topic of that name, " + topicId
                    + " (start the engine, which names the remedies)");
        }
        checkRevision(start);
        restoredThrough = Math.max(restoredThrough, Math.max(start.next() - 1, start.stagedThrough()));
        lock.lock();
        try {
            store = new ModelStore(inner, counters, heapLimit);
            next = start.next();
            use(start.decisions());
        } finally {
            lock.unlock();
        }
        return true;
    }

    private void checkRevision(InputPosition position) {
        if (position.decisions().revision() != ModelSession.REVISION) {
            throw new PositionFaultException("a replica of " + place() + " must have the arithmetic revision "
                    + position.decisions().revision() + " of its engine, got revision " + ModelSession.REVISION
                    + " (use the version of the engine)");
        }
    }

    private void use(Decisions now) {
        // it publishes no weights, so that the number of their chunks is of no importance
        replayer = new RecordReplayer(
                new PartitionModels(
                        partition, store, decoder, registryRetry, PendingStatuses.unpublished(), this::readUnlocked),
                new ReplayedEvents(model -> 0),
                now,
                topic);
    }

    /**
     * Reads the records that an import lacks. Readers have the models meanwhile, which do not change before all are
     * learned in the imported weights.
     */
    private void readUnlocked(int ofPartition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        lock.unlock();
        try {
            records.read(ofPartition, from, to, sink);
        } finally {
            lock.lock();
        }
    }

    /** Returns true after a successful {@link #begin}. */
    boolean isRestored() {
        return store != null;
    }

    /**
     * Observes a record of the changelog behind the restored ones.
     *
     * @throws PositionFaultException if an operator has changed the position, so that the models must be restored again
     */
    public void observe(byte[] key, byte[] value) {
        Bytes wrapped = Bytes.wrap(key);
        if (wrapped.equals(ModelKeys.POSITION)) {
            observePosition(value);
            return;
        }
        if (ModelKeys.isRefusal(wrapped)) {
            if (value != null && ModelKeys.refusedOffset(wrapped) >= next) {
                refuse(ModelKeys.refusedOffset(wrapped), Refusals.Effect.of(value));
            }
            return;
        }
        StoredProgress progress = StoredProgress.of(wrapped, value);
        if (progress != null && progress.isDeleted() && progress.offset() >= next) {
            deletions
                    .computeIfAbsent(progress.offset(), offset -> new ArrayList<>())
                    .add(progress.name());
        }
    }

    private void refuse(long offset, Refusals.Effect effect) {
        // writes to the store, to which a reader that loads a model writes, too
        lock.lock();
        try {
            store.refusals().add(offset, effect);
        } finally {
            lock.unlock();
        }
    }

    private void observePosition(byte[] value) {
        InputPosition position = value == null ? null : InputPosition.decode(value);
        if (position == null
                || !position.topicId().equals(start.topicId())
                || !position.note().equals(start.note())) {
            throw new PositionFaultException(
                    "the position of " + place() + " must change by learning only, got a change by an operator");
        }
        checkRevision(position);
        decisions.put(position.next(), position.decisions());
    }

    /**
     * Learns records of the examples topic, the first and those that follow within a turn: otherwise each record would
     * wait for a turn of every reader. Ends before a record for which the registry is asked.
     *
     * @param records in their order, at least one
     * @param limit offset of the first record that may not be learned
     * @param max maximum number of records
     * @param turnNs time after which readers have the models
     * @return number of records that were learned
     */
    public int learn(Iterable<ConsumerRecord<byte[], byte[]>> records, long limit, int max, long turnNs) {
        Iterator<ConsumerRecord<byte[], byte[]>> all = records.iterator();
        ConsumerRecord<byte[], byte[]> record = all.next();
        // without the lock: readers must not wait for the registry
        replayer.prepare(record);
        lock.lock();
        try {
            long start = System.nanoTime();
            int learned = 0;
            while (record != null) {
                learn(record);
                learned++;
                boolean isOver = !all.hasNext() || learned == max || System.nanoTime() - start >= turnNs;
                record = isOver ? null : all.next();
                if (record != null && (record.offset() >= limit || !replayer.isPrepared(record))) {
                    record = null;
                }
            }
            return learned;
        } finally {
            lock.unlock();
        }
    }

    private void learn(ConsumerRecord<byte[], byte[]> record) {
        long offset = record.offset();
        // the settings of the engine were others from some offset on
        Map.Entry<Long, Decisions> due = decisions.floorEntry(offset);
        if (due != null) {
            use(due.getValue());
            decisions.headMap(offset, true).clear();
        }
        replayer.relearn(record);
        while (!deletions.isEmpty() && deletions.firstKey() <= offset) {
            Map.Entry<Long, List<byte[]>> deleted = deletions.pollFirstEntry();
            deleted.getValue().forEach(name -> replayer.expire(name, deleted.getKey()));
        }
        store.refusals().removeTo(offset);
        next = offset + 1;
    }

    /** Offset of the first record that is not learned; learned records may be followed by markers of transactions. */
    public long next() {
        return next;
    }

    /**
     * Offset of the last record that a restored model may contain. Before that is learned, the models are of different
     * times.
     */
    long restoredThrough() {
        return restoredThrough;
    }

    /**
     * Calls a function while the models do not change.
     *
     * @param function gets the model, or null if there is none of this name
     * @throws NotReadyException if the models are changing for more than a second
     */
    public <T> T read(byte[] name, Function<Held, T> function) {
        lockInTime();
        try {
            LiveModel live = store == null ? null : store.find(name);
            boolean isThere = live != null && live.model().state() != ModelState.DELETED;
            return function.apply(isThere ? new Held(live.model(), next) : null);
        } finally {
            lock.unlock();
            SequenceScratch.limitHeapOfThread(MAX_SCRATCH_BYTES);
        }
    }

    private void lockInTime() {
        try {
            if (lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new NotReadyException();
    }

    private String place() {
        return topic + "-" + partition;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (store != null) {
                store.close();
                store = null;
            }
            inner.close();
        } finally {
            lock.unlock();
        }
    }
}
