package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.log.CommandCheck;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.EventTime;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.log.PartitionModels;
import io.perceptronstreams.log.PositionFaultException;
import io.perceptronstreams.log.RecordCopy;
import io.perceptronstreams.log.RecordDispatcher;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.Refusals;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Processes the records of the examples topic in batches, forwards their events, and writes checkpoints of the models.
 *
 * <p>A commit contains outputs, offsets and the last checkpoint, if there was one since the last commit. Before the
 * first record after a start, {@link LogReplay} relearns the records between the checkpoint and that record.
 */
final class LearnProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    /** Interval of checks whether a checkpoint is due or the input is idle. */
    static final Duration TICK = Duration.ofMillis(250);

    /** Share of the time of a stop in which statuses are published. */
    private static final double STATUS_SHARE = 0.25;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final EngineServices services;
    private final Generation generation;
    private final InputDecoder decoder;
    private final Decisions decisions;
    private ProcessorContext<byte[], byte[]> context;
    private RecordSender sender;
    private PendingStatuses pendingStatuses;
    private RecordDispatcher dispatcher;
    private ModelStore store;
    private LogReplay replay;
    private CheckpointTimer timer;
    private TransactionTracker tracker;
    private Cancellable ticks;
    private boolean isAligned;
    // True after a replay without a record: it must not be repeated at each tick.
    private boolean isReplayed;
    // True if a checkpoint or a status must be written before a stop.
    private boolean isBehind;
    private boolean isCheckpointNeeded;
    private boolean isIdle;
    private long next;

    // For an alert with the next record; null for none.
    private String unlearned;

    LearnProcessor(EngineServices services) {
        this.services = services;
        this.generation = services.config().generation();
        this.decoder = new InputDecoder(services.registry());
        this.decisions = services.config()
                .decisions(services.limits().partitions(), services.limits().aheadMs());
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        close();
        context = processorContext;
        EngineConfig config = services.config();
        int partition = context.taskId().partition();
        tracker = TransactionTracker.ofThread();
        tracker.forget(partition);
        store = new ModelStore(
                context.getStateStore(LearningTopology.STORE), services.counters(), config.engineHeapBytes());
        pendingStatuses = new PendingStatuses();
        sender = new RecordSender(context, services);
        PartitionModels models = new PartitionModels(
                partition, store, decoder, services.registryRetry(), pendingStatuses, services.log());
        dispatcher = new RecordDispatcher(
                models,
                decisions,
                sender.events(),
                sender,
                new CommandCheck(
                        config.get(EngineConfigDef.COMMANDS_KEY),
                        config.get(EngineConfigDef.SETTINGS_BOUNDS),
                        store.signedTimes()));
        replay = new LogReplay(services, models, decisions);
        timer = new CheckpointTimer(
                config.get(EngineConfigDef.CHECKPOINT_INTERVAL_MS),
                services.nanoTime().getAsLong());
        isAligned = false;
        isReplayed = false;
        unlearned = null;
        isIdle = true;
        isCheckpointNeeded = false;
        tickOn();
    }

    /** The models of the task. */
    ModelStore store() {
        return store;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        InputBatch batch = InputBatch.in(record.headers());
        tracker.advance(context);
        if (!isAligned) {
            align(generation.offset(batch.first().offset()));
            isAligned = true;
        }
        isIdle = false;
        isCheckpointNeeded = true;
        markBehind();
        long transactions = tracker.transactions();
        long start = services.nanoTime().getAsLong();
        try {
            process(batch);
        } finally {
            // also if the transaction was aborted because the batch lasted too long
            batch.measure(services.nanoTime().getAsLong() - start, transactions);
        }
        tracker.requestIfDue(services.nanoTime().getAsLong());
    }

    private void markBehind() {
        if (!isBehind) {
            isBehind = true;
            services.stop().taskIsBehind();
            tickOn();
        }
    }

    private void process(InputBatch batch) {
        List<ConsumerRecord<byte[], byte[]>> records = batch.records();
        for (int k = 0; k < records.size(); k++) {
            if (k % ModelStore.AHEAD == 0) {
                readAhead(records, k);
            }
            process(RecordCopy.at(generation.offset(records.get(k).offset()), records.get(k)));
        }
        next = generation.offset(batch.last().offset()) + 1;
        // behind a fence the stored models must be complete, because they are read from the changelog, and a stored
        // position has the fence of the records behind it, because what it has sent on is looked for by that
        if (store.isFenceChanged()) {
            publishAll(() -> false);
            checkpoint();
        } else if (services.stop().isRequested()) {
            publishAll(this::hasNoTimeForStatuses);
            checkpoint(() -> services.stop().isPast(1));
        }
        sender.flush();
    }

    private void readAhead(List<ConsumerRecord<byte[], byte[]>> records, int from) {
        int end = Math.min(from + ModelStore.AHEAD, records.size());
        for (int k = from; k < end; k++) {
            store.readAhead(records.get(k).key());
        }
    }

    private void process(ConsumerRecord<byte[], byte[]> record) {
        long timestamp = EventTime.of(record, services.limits().aheadMs());
        store.passTime(timestamp);
        try {
            dispatch(record, timestamp);
            dispatcher.expire(record.offset());
        } catch (StreamsException e) {
            throw e;
        } catch (RuntimeException e) {
            String place = record.topic() + "-" + record.partition() + "@" + record.offset();
            throw new StreamsException("the record at " + place + " could not be processed: " + e, e);
        }
    }

    private void dispatch(ConsumerRecord<byte[], byte[]> record, long timestamp) {
        sender.begin(record, timestamp);
        if (unlearned != null) {
            sender.positionChanged(unlearned);
            unlearned = null;
        }
        try {
            dispatcher.dispatch(record, timestamp);
        } catch (RejectedException e) {
            if (LogReplay.isStored(e.reason())) {
                Refusals.Effect ofImport =
                        store.hasStaged(record.offset()) ? Refusals.Effect.ENDED_IMPORT : Refusals.Effect.NOTHING;
                store.refusals().add(record.offset(), LogReplay.effect(e.reason(), ofImport));
            }
            sender.deadLetter(e, store.streamTime());
        }
    }

    /**
     * Publishes all statuses, unless it takes too long: each may need a model that is not in memory.
     *
     * @return whether there were any
     */
    private boolean publishAll(BooleanSupplier isOver) {
        boolean isAny = false;
        do {
            isAny |= dispatcher.tick(true);
        } while (!pendingStatuses.isEmpty() && !isOver.getAsBoolean());
        return isAny;
    }

    /** Statuses that are missing come after the next start; models that are not written are learned again. */
    private boolean hasNoTimeForStatuses() {
        return services.stop().isPast(STATUS_SHARE);
    }

    private void tickOn() {
        if (ticks == null) {
            ticks = context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, time -> tick());
        }
    }

    private void tick() {
        tracker.note(context.taskId().partition());
        if (!isAligned && !isBehind && !isReplayed) {
            alignWithoutRecord();
        }
        boolean isWritten =
                services.stop().isRequested() ? publishAll(this::hasNoTimeForStatuses) : dispatcher.tick(false);
        isCheckpointNeeded |= isWritten;
        sender.flush();
        store.countOther(pendingStatuses.heapBytes());
        store.remove();
        // a checkpoint before the last statuses would be followed by a second one
        boolean isQuiet = isIdle && pendingStatuses.isEmpty();
        long now = services.nanoTime().getAsLong();
        if (isCheckpointNeeded && services.stop().isRequested()) {
            checkpoint(() -> services.stop().isPast(1));
        } else if (isCheckpointNeeded && timer.isDue(now, isQuiet)) {
            long slice = timer.sliceNanos(now);
            checkpoint(() -> services.nanoTime().getAsLong() - now >= slice);
            isWritten = true;
        }
        if (isWritten) {
            tracker.write(context);
        }
        noteIfUpToDate();
        isIdle = true;
        if (!isBehind && pendingStatuses.isEmpty() && !store.hasRemovals()) {
            // each punctuation causes a commit
            cancelTicks();
        }
    }

    /** Replays although no record has arrived after a start, before retention deletes the records to replay. */
    private void alignWithoutRecord() {
        int partition = context.taskId().partition();
        services.log().committed(partition).ifPresent(committed -> {
            tracker.resume(new TopicPartition(services.config().topic(Topic.EXAMPLES), partition), committed);
            align(generation.offset(committed.offset()));
            isReplayed = true;
        });
    }

    private void align(long offset) {
        try {
            String found = replay.align(offset);
            unlearned = found == null ? unlearned : found;
            next = offset;
            if (!pendingStatuses.isEmpty()) {
                markBehind();
            }
        } catch (PositionFaultException e) {
            int partition = context.taskId().partition();
            if (!services.log().hasOtherOwner(partition)) {
                throw e;
            }
            // paused since the models were restored: the offset, or the log, belongs to the next owner
            throw new TaskMigratedException(
                    services.config().topic(Topic.EXAMPLES) + "-" + partition + " has gone to another member", e);
        }
    }

    /** Writes a checkpoint of all models. */
    void checkpoint() {
        checkpoint(() -> false);
    }

    /** Writes a slice of a checkpoint. */
    void checkpoint(BooleanSupplier isOver) {
        long start = services.nanoTime().getAsLong();
        long cpuStart = cpuNanos();
        long unwritten =
                store.checkpoint(services.log().topicId(), next, decisions, !pendingStatuses.isEmpty(), isOver);
        timer.done(start, services.nanoTime().getAsLong(), cpuNanos() - cpuStart, unwritten);
        isCheckpointNeeded = unwritten > 0;
        noteIfUpToDate();
    }

    private static long cpuNanos() {
        return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : 0;
    }

    private void noteIfUpToDate() {
        if (isBehind && !isCheckpointNeeded && pendingStatuses.isEmpty()) {
            isBehind = false;
            services.stop().taskIsDone();
        }
    }

    /** Drops the models in memory; the next owner of the partition relearns changes since the last checkpoint. */
    @Override
    public void close() {
        if (store != null) {
            tracker.forget(context.taskId().partition());
            store.close();
            store = null;
        }
        if (isBehind) {
            isBehind = false;
            services.stop().taskIsDone();
        }
        cancelTicks();
    }

    private void cancelTicks() {
        if (ticks != null) {
            ticks.cancel();
            ticks = null;
        }
    }
}
