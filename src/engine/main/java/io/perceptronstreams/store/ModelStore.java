package io.perceptronstreams.store;

import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Fence;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Models;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The models of one task: live objects in memory, written to a logged store by checkpoints.
 *
 * <p>Usage: {@link #find} or {@link #create} a model, change it, call {@link #changed}; call {@link #checkpoint} at
 * intervals. All methods that write must be called while a record is processed or in a punctuation; the writes become
 * durable with that transaction. Cost of a checkpoint: O(changed blocks). Owned by one stream task; not thread-safe.
 */
public final class ModelStore implements Models, AutoCloseable {
    /** Number of records whose models are read ahead together: theirs fit into the cache of one processor. */
    public static final int AHEAD = 8;

    /*
     * Changes that are not written are lost with the task and learned again from the log. The position is the
     * offset from which the log is replayed; the position of each model is the last record of the log that the model
     * contains. A model is written out of its turn if it is evicted, reset, deleted or replaced.
     *
     * Checkpoints come in slices where there are many changed models: all at once they would take the processor, the
     * producer's memory and the disk from everything else for seconds. Those whose first unwritten change is oldest are
     * written first, so that the position follows at the distance of one round through them. Each slice notes what the
     * position would be if all were written (the cuts), and the position becomes the latest cut before all unwritten
     * changes.
     *
     * After a start there are no limits (ModelQuota): their decisions about the records of a replay were stored in the
     * transaction of the decision, as refusals and as deleted models. enableLimits() enables the limits for the records
     * behind the replay.
     *
     * All writes are plain puts: Kafka Streams provides changelog, restoration, standbys and transactions.
     */
    // records of ended epochs and deleted models that are removed before a record is used, and at an interval: some ms
    private static final int RECORD_PORTION = 100;
    private static final int TICK_PORTION = 2_000;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;
    private final ModelRecords records;
    private final Removals removals;
    private final StoreCounters counters;
    private final LiveModels live;
    // in the order of the first change that is not written
    private final Set<StoredModel> changed = new LinkedHashSet<>();
    // from the position on
    private final Deque<Cut> cuts = new ArrayDeque<>();
    private int cutCount;
    private final Refusals refusals;
    private final SignedTimes signedTimes;

    // True if it had no records at the start: all its models have been added to the live ones since.
    private boolean wasEmpty;
    private StoredModel last;
    private InputPosition position;
    // the position has the defaults at the checkpoint; a replay changes them again
    private Settings defaults;
    // as the defaults
    private Fence fence;
    private boolean isFenceChanged;
    private ModelIndex index = new ModelIndex(0, ModelQuota.NONE);
    private long streamTime;

    // sum of what was read ahead; no code reads it: without it the compiler could remove the reads
    @SuppressWarnings("UnusedVariable")
    private long ahead;

    /**
     * What the position is if all changes before a time are written.
     *
     * @param number of the cut; it comes after the changes with smaller numbers
     */
    private record Cut(int number, long nanoTime, InputPosition position) {}

    /**
     * Creates a store over an inner one and reads its position.
     *
     * @param counters of all stores of the process
     * @param heapLimit maximum heap of the live models of all stores of the process, in bytes; above it models
     *     that were not used lately are written and dropped
     */
    public ModelStore(KeyValueStore<Bytes, byte[]> inner, StoreCounters counters, long heapLimit) {
        this.inner = inner;
        this.writer = new BatchWriter(inner, counters);
        this.removals = new Removals(inner, writer);
        this.records = new ModelRecords(inner, writer, removals);
        this.counters = counters;
        this.live = new LiveModels(counters, heapLimit, this::writeChanged);
        byte[] stored = inner.get(ModelKeys.POSITION);
        position = stored == null ? null : InputPosition.decode(stored);
        streamTime = position == null ? -1 : position.summary().streamTime();
        defaults = position == null ? Settings.DEFAULTS : position.defaults();
        fence = position == null ? null : position.fence();
        if (position != null) {
            cuts.add(new Cut(cutCount, System.nanoTime(), position));
        }
        refusals = new Refusals(inner, writer);
        signedTimes = new SignedTimes(inner, writer);
    }

    /** The position of the last checkpoint; null before the first. */
    public InputPosition position() {
        return position;
    }

    /** Advances stream time to the timestamp of a record, also of a rejected one. */
    public void passTime(long timestamp) {
        streamTime = Math.max(streamTime, timestamp);
    }

    /** Stream time of the partition: its largest event time so far, in ms; -1 before the first record. */
    public long streamTime() {
        return streamTime;
    }

    /**
     * Enables the limits, once the replay has reached the end of the log that was processed before.
     *
     * <p>Cost: O(1) if the last checkpoint has the number of models and no pending statuses, nothing was replayed since
     * and idle models are kept; otherwise all headers are read.
     *
     * @param isReplayed whether records were replayed since the last checkpoint
     * @return the last records of the models with a pending status
     */
    public List<InputRecord> enableLimits(ModelQuota limits, boolean isReplayed) {
        wasEmpty = position == null && live.size() == 0 && isEmpty();
        boolean isSummed = position != null && position.isSummed();
        boolean isComplete = isSummed && !position.summary().isStatusPending();
        index = isComplete && !isReplayed && !limits.expires()
                ? new ModelIndex(position.summary().models(), limits)
                : ModelIndex.of(inner, live, limits);
        if (!isSummed) {
            passTime(index.latest());
        }
        return index.pending();
    }

    /** Returns true if the store has no records. */
    public boolean isEmpty() {
        try (KeyValueIterator<Bytes, byte[]> entries = inner.all()) {
            return !entries.hasNext();
        }
    }

    @Override
    public LiveModel find(byte[] name) {
        if (!removals.isFinished()) {
            removals.goOn(RECORD_PORTION);
        }
        if (live.pollOverfull() && last != null && last.isChanged()) {
            writeChanged(last);
            writer.flush();
        }
        if (last != null && Arrays.equals(last.name(), name)) {
            return last;
        }
        StoredModel found = live.find(Bytes.wrap(name));
        if (found == null) {
            // of many models that begin, each would ask the store for what it cannot have
            found = wasEmpty && live.isComplete() ? null : load(name);
            if (found == null) {
                return null;
            }
            live.add(found);
            writer.flush();
        }
        last = found;
        return found;
    }

    /**
     * Reads the model of one of the next records into the processor's cache, if it is in memory; changes nothing. To be
     * called for {@link #AHEAD} names in a row.
     *
     * @param name may be null
     */
    public void readAhead(byte[] name) {
        if (name != null && (last == null || !Arrays.equals(last.name(), name))) {
            ahead += live.readAhead(Bytes.wrap(name));
        }
    }

    @Override
    public LiveModel create(byte[] name) {
        byte[] own = name.clone();
        return new StoredModel(
                own, Model.absent(), LiveModel.NO_POSITION, StoredHeader.UNKNOWN, new StoredNames(), waiting(own));
    }

    @Override
    public Settings defaults() {
        return defaults;
    }

    @Override
    public void setDefaults(Settings changed) {
        defaults = changed;
    }

    @Override
    public Fence fence() {
        return fence;
    }

    @Override
    public void setFence(Fence changed) {
        isFenceChanged |= !Objects.equals(fence, changed);
        fence = changed;
    }

    /** Returns true if there was no checkpoint since a fence was made, changed or lifted. */
    public boolean isFenceChanged() {
        return isFenceChanged;
    }

    @Override
    public void requireRoom(byte[] name) {
        index.requireRoom(name);
    }

    @Override
    public LiveModel idle(long time) {
        byte[] name = index.idle(time);
        if (name == null) {
            return null;
        }
        StoredModel model = live.find(Bytes.wrap(name));
        return model == null ? model(name, records.header(name)) : model;
    }

    @Override
    public void end(LiveModel deleted, List<Long> endedEpochs, InputRecord record) {
        StoredModel model = (StoredModel) deleted;
        note(model, record);
        write(model);
        writer.flush();
        changed.remove(model);
        for (long epoch : endedEpochs) {
            records.removeEpoch(model.name(), epoch);
        }
        live.remove(model);
        last = last == model ? null : last;
    }

    /** Records a change; returns true if the model was unchanged since it was last written. */
    private boolean note(StoredModel model, InputRecord record) {
        boolean isFirst = model.markChanged(record);
        index.note(model, model.exists());
        return isFirst;
    }

    @Override
    public void changed(LiveModel model, InputRecord record) {
        StoredModel stored = (StoredModel) model;
        if (note(stored, record)) {
            addChanged(stored);
            if (!live.contains(stored.key())) {
                last = stored;
                live.add(stored);
                writer.flush();
                return;
            }
        }
        if (model.isMeasurementDue()) {
            live.measure(stored);
            evict(model);
        }
    }

    @Override
    public void statusPublished(LiveModel model) {
        StoredModel stored = (StoredModel) model;
        if (stored.markChanged()) {
            addChanged(stored);
        }
    }

    private void addChanged(StoredModel model) {
        model.setChangedAfter(cutCount);
        changed.add(model);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The header without the epoch is written first, so the old blocks are never read, even if their removal is
     * lost.
     */
    @Override
    public void removeEpoch(LiveModel model, long endedEpoch, InputRecord record) {
        writeNow(model, record);
        records.removeEpoch(model.name(), endedEpoch);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Cost: O(touched blocks of both epochs).
     */
    @Override
    public void replaceEpoch(LiveModel stored, long endedEpoch, InputRecord record) {
        removeEpoch(stored, endedEpoch, record);
        records.writeAllBlocks(stored, stored.model().current());
        writer.flush();
    }

    @Override
    public void beginEpoch(LiveModel stored, EpochModel challenger, InputRecord record) {
        writeNow(stored, record);
        records.writeAllBlocks(stored, challenger);
        writer.flush();
    }

    @Override
    public void writeNow(LiveModel model, InputRecord record) {
        changed(model, record);
        write((StoredModel) model);
        changed.remove(model);
        writer.flush();
    }

    @Override
    public void stage(byte[] name, int chunk, byte[] value, long offset) {
        writer.put(ModelKeys.staged(name, chunk), value);
        markStaged(offset);
    }

    @Override
    public byte[] staged(byte[] name, int chunk) {
        return inner.get(ModelKeys.staged(name, chunk));
    }

    @Override
    public void unstage(byte[] name, long offset) {
        if (writer.removeRange(ModelKeys.staged(name, 0), ModelKeys.staged(name, Integer.MAX_VALUE))) {
            markStaged(offset);
        }
    }

    private void markStaged(long offset) {
        position = position.withStagedThrough(offset);
        writer.put(ModelKeys.POSITION, position.encode());
        writer.flush();
    }

    @Override
    public boolean hasStaged(long offset) {
        return position != null && offset <= position.stagedThrough();
    }

    /**
     * Updates what counts for the limit besides the live models: the refusals, and what others keep for each model. To
     * be called at intervals.
     *
     * @param bytes heap of what others keep
     */
    public void countOther(long bytes) {
        live.countOther(bytes + refusals.heapBytes());
        evict(last);
    }

    /** Refusals that a replay must repeat. */
    public Refusals refusals() {
        return refusals;
    }

    /** Returns true if records of deleted or reset models are still to be removed. */
    public boolean hasRemovals() {
        return !removals.isFinished();
    }

    /** Removes some of those records; to be called at intervals, because otherwise only records remove them. */
    public void remove() {
        removals.goOn(TICK_PORTION);
    }

    /** Times of the last accepted signatures. */
    public SignedTimes signedTimes() {
        return signedTimes;
    }

    /**
     * Writes all changed models and the position.
     *
     * @param next offset of the first record that is not yet processed
     * @param isStatusPending whether a model has a pending status
     */
    public void checkpoint(Uuid topicId, long next, InputPosition.Decisions decisions, boolean isStatusPending) {
        long unwritten = checkpoint(topicId, next, decisions, isStatusPending, () -> false);
        assert unwritten == 0;
    }

    /**
     * Writes changed models, those with the oldest changes first, and the position before the oldest change that is
     * left.
     *
     * @param next offset of the first record that is not yet processed
     * @param isStatusPending whether a model has a pending status
     * @param isOver asked after each model; true ends the slice
     * @return age of the position in ns, at least that of the oldest change that is not written; 0 if all are written
     */
    public long checkpoint(
            Uuid topicId,
            long next,
            InputPosition.Decisions decisions,
            boolean isStatusPending,
            BooleanSupplier isOver) {
        long start = System.nanoTime();
        InputPosition.Summary summary = new InputPosition.Summary(streamTime, index.count(), isStatusPending);
        InputPosition now = position == null
                ? new InputPosition(topicId, next, -1, decisions, summary, defaults, "", fence)
                : position.at(topicId, next, decisions, summary, defaults, fence);
        cutCount++;
        cuts.add(new Cut(cutCount, start, now));
        // the first position is that of a store in which all is written
        writeSlice(position == null ? () -> false : isOver);
        forgetCuts();
        Cut reached = cuts.element();
        position = reached.position.withStagedThrough(now.stagedThrough());
        isFenceChanged &= !changed.isEmpty();
        refusals.removeTo(position.next() - 1);
        writer.put(ModelKeys.POSITION, position.encode());
        writer.flush();
        evict(last);
        counters.checkpoints.increment();
        counters.checkpointNanos.add(System.nanoTime() - start);
        return changed.isEmpty() ? 0 : Math.max(1, System.nanoTime() - reached.nanoTime);
    }

    /** Writes at least one model, if one has changed. */
    private void writeSlice(BooleanSupplier isOver) {
        Iterator<StoredModel> oldestFirst = changed.iterator();
        while (oldestFirst.hasNext()) {
            write(oldestFirst.next());
            oldestFirst.remove();
            if (isOver.getAsBoolean()) {
                return;
            }
        }
    }

    /** Forgets the cuts before the latest one that comes before all changes that are not written. */
    private void forgetCuts() {
        int through = changed.isEmpty() ? cutCount : changed.iterator().next().changedAfter();
        while (cuts.element().number < through) {
            cuts.remove();
        }
    }

    private StoredModel load(byte[] name) {
        StoredHeader stored = records.header(name);
        if (stored == null) {
            return null;
        }
        records.loadBlocks(name, stored);
        StoredModel model = model(name, stored);
        if (!stored.hasBlocks()) {
            model.setUnchecked();
        }
        return model;
    }

    private StoredWaiting waiting(byte[] name) {
        return new StoredWaiting(inner, writer, removals, name);
    }

    private StoredModel model(byte[] name, StoredHeader stored) {
        byte[] own = name.clone();
        StoredModel model = new StoredModel(
                own, stored.model(), stored.position(), stored.lastSeen(), stored.names(), waiting(own));
        model.setChallengers(stored.model().challengers().all().stream()
                .map(challenger -> challenger.model().epoch())
                .collect(Collectors.toUnmodifiableSet()));
        records.endHeadless(name, stored);
        records.restoreWaiting(model);
        model.setCounted(model.exists());
        return model;
    }

    private void evict(LiveModel inUse) {
        live.evict(inUse);
        writer.flush();
    }

    private void writeChanged(StoredModel model) {
        write(model);
        changed.remove(model);
    }

    private void write(StoredModel stored) {
        records.write(stored);
        live.measure(stored);
    }

    /** Drops all live models without writing them, as after an aborted transaction. */
    public void clear() {
        live.clear();
        changed.clear();
        writer.clear();
        last = null;
    }

    /** Clears the store, which must not be used afterwards. The inner store stays open. */
    @Override
    public void close() {
        clear();
        live.close();
    }

    int liveModels() {
        return live.size();
    }
}
