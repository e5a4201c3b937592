package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.LearningTopology.StartUpFacts;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * One record of the examples topic in, its events out; and from time to time a checkpoint of the models.
 *
 * <p>A commit carries outputs and offsets, and of the models only what a checkpoint has written since the last one. The first record
 * after a start says where the input goes on: before it is used, {@link LogReplay} learns again what lies between the checkpoint and
 * that record.
 */
final class LearnProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    /** How often a task whose checkpoint is behind looks whether the next one is due, or no records come any more. */
    static final Duration TICK = Duration.ofMillis(250);

    private final Shared shared;
    private final InputDecoder decoder;
    private final Decisions decisions;
    private ProcessorContext<byte[], byte[]> context;
    private EventSender sender;
    private RecordDispatcher dispatcher;
    private ModelStore store;
    private LogReplay alignment;
    private CheckpointTimer timer;
    private Cancellable ticks;
    private boolean isAligned;
    private boolean isBehind;
    private boolean isIdle;
    private long next;

    /**
     * What the tasks of a process have in common.
     *
     * @param facts found out at start-up
     * @param log the input, to be read again
     * @param outage what to do while the registry cannot be asked
     * @param nanoTime decides when a checkpoint is due
     */
    record Shared(
            EngineConfig config,
            SchemaRegistry registry,
            StartUpFacts facts,
            InputLog log,
            RegistryRetry outage,
            FinalCheckpoint stop,
            RestoreProgress progress,
            StoreCounters counters,
            LongSupplier nanoTime) {}

    LearnProcessor(Shared shared) {
        this.shared = shared;
        this.decoder = new InputDecoder(shared.registry);
        this.decisions = new Decisions(
                shared.config.autoCreatesModels(),
                shared.config.misrouted() == EngineConfig.Misrouted.REROUTE,
                shared.facts.partitions(),
                ModelSession.REVISION);
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        close();
        context = processorContext;
        EngineConfig config = shared.config;
        int partition = context.taskId().partition();
        KeyValueStore<Bytes, byte[]> inner = context.getStateStore(LearningTopology.STORE);
        store = new ModelStore(inner, shared.counters, config.storeHeapBytes());
        sender = new EventSender(context, config, shared.facts);
        dispatcher = new RecordDispatcher(decoder, shared.outage, store, sender, sender::reroute, decisions, partition);
        EventEncoder encoder =
                new EventEncoder(shared.facts.ids(), config.outputFormat() == EngineConfig.OutputFormat.JSON);
        alignment = new LogReplay(
                config, shared.log, store, decoder, encoder, shared.outage, shared.progress, partition, decisions);
        timer = new CheckpointTimer(config.checkpointIntervalMs(), shared.nanoTime.getAsLong());
        isAligned = false;
        isIdle = true;
        tickOn();
    }

    /** The models of the task. */
    ModelStore store() {
        return store;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long offset = context.recordMetadata().orElseThrow().offset();
        if (!isAligned) {
            alignment.align(offset);
            isAligned = true;
        }
        isIdle = false;
        if (!isBehind) {
            isBehind = true;
            shared.stop.taskIsBehind();
            tickOn();
        }
        use(record, offset);
        next = offset + 1;
        if (shared.stop.isRequested()) {
            checkpoint();
        }
    }

    private void use(Record<byte[], byte[]> record, long offset) {
        store.passTime(record.timestamp());
        try {
            dispatch(record, offset);
            dispatcher.expire(offset);
        } catch (StreamsException e) {
            throw e;
        } catch (RuntimeException e) {
            String place =
                    shared.config.topic(Topic.EXAMPLES) + "-" + context.taskId().partition() + "@" + offset;
            throw new StreamsException("the record at " + place + " could not be used: " + e, e);
        }
    }

    private void dispatch(Record<byte[], byte[]> record, long offset) {
        sender.begin(record, offset);
        try {
            dispatcher.dispatch(record.key(), record.value(), record.headers(), record.timestamp(), offset);
        } catch (RejectedException e) {
            if (LogReplay.isWrittenDown(e.reason())) {
                store.recordRefusal(offset);
            }
            sender.deadLetter(e);
        }
    }

    private void tickOn() {
        if (ticks == null) {
            ticks = context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, time -> tick());
        }
    }

    private void tick() {
        if (!isAligned && !isBehind) {
            alignWithoutRecord();
        }
        if (isBehind && (shared.stop.isRequested() || timer.isDue(shared.nanoTime.getAsLong(), isIdle))) {
            checkpoint();
        }
        isIdle = true;
        if (!isBehind) {
            // every punctuation makes Kafka Streams commit
            cancelTicks();
        }
    }

    /** Where no record comes after a start: the records to be learned again may not be there for ever. */
    private void alignWithoutRecord() {
        OptionalLong committed = shared.log.committedOffset(context.taskId().partition());
        committed.ifPresent(alignment::align);
    }

    /** Writes a checkpoint now. */
    void checkpoint() {
        long start = shared.nanoTime.getAsLong();
        store.checkpoint(shared.log.topicId(), next, decisions);
        timer.done(start, shared.nanoTime.getAsLong());
        if (isBehind) {
            isBehind = false;
            shared.stop.taskIsDone();
        }
    }

    /** Drops the models in memory; what no checkpoint contains is learned again by whoever goes on. */
    @Override
    public void close() {
        if (store != null) {
            store.close();
            store = null;
        }
        if (isBehind) {
            isBehind = false;
            shared.stop.taskIsDone();
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
