package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Fence;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.serde.ForeignBytes;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** Validates and decodes a record of the examples topic and passes it to the {@link ModelSession}. */
public final class RecordDispatcher {
    private final PartitionModels models;
    private final InputDecoder decoder;
    private final ModelStore store;
    private final RecordEvents recordEvents;
    private final ModelSession session;
    private final int partitions;
    private final int partition;
    private final long aheadMs;
    private final CommandCheck commands;
    private final Example example = new Example();
    private final RecordExamples several;

    /**
     * Creates a dispatcher for one partition.
     *
     * @param events listener of the session
     * @param recordEvents listener of the dispatcher
     * @param commands check of signatures
     */
    public RecordDispatcher(
            PartitionModels models,
            Decisions decisions,
            ModelEvents events,
            RecordEvents recordEvents,
            CommandCheck commands) {
        this.models = models;
        this.decoder = models.decoder();
        this.store = models.store();
        this.recordEvents = recordEvents;
        this.session = new ModelSession(
                store,
                events,
                new Redecoder(models, decisions.aheadMs(), recordEvents),
                decisions.createsModels(),
                models.pendingStatuses());
        this.partitions = decisions.partitions();
        this.partition = models.number();
        this.aheadMs = decisions.aheadMs();
        this.commands = commands;
        this.several = new RecordExamples(models, session, recordEvents, aheadMs);
    }

    /**
     * Returns true if {@link #dispatch} of a record in the wire format asks the registry, unless the schema is known.
     */
    public static boolean asksForSchema(ConsumerRecord<byte[], byte[]> input, int partitions) {
        byte[] key = input.key();
        boolean isHere = ModelDefaults.isKey(key)
                || (key != null && ModelName.isValid(key) && partition(key, partitions) == input.partition());
        return isHere && InputHeaders.askForSchema(input.headers(), input.value());
    }

    private static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /**
     * Processes a record.
     *
     * @param timestamp event time from {@link EventTime}
     * @throws RejectedException if the record is invalid
     */
    public void dispatch(ConsumerRecord<byte[], byte[]> input, long timestamp) {
        byte[] key = input.key();
        byte[] value = input.value();
        Headers headers = input.headers();
        long offset = input.offset();
        if (ModelDefaults.isKey(key)) {
            defaults(key, value, headers);
            return;
        }
        Fence fence = store.fence();
        if (fence != null) {
            if (fence.isForwarding()) {
                // without a valid time it cannot be sent
                checkTime(headers);
            }
            recordEvents.fenced(fence, key != null && ModelName.isValid(key));
            return;
        }
        checkName(key);
        checkTime(headers);
        int right = partition(key, partitions);
        if (right != partition) {
            recordEvents.reroute(right);
            return;
        }
        if (value == null) {
            throw new RejectedException(RejectReason.NULL_VALUE, "value must be an event, got null");
        }
        LiveModel known = store.find(key);
        if (known != null && offset <= known.position()) {
            return; // in a replay: the stored model contains this record
        }
        InputHeaders.check(headers, value);
        InputRecord record = new InputRecord(
                key, offset, timestamp, store.streamTime(), headers.lastHeader(ReroutedRecord.HEADER) != null);
        switch (decode(value, models.hasher(known))) {
            case EXAMPLE -> {
                models.identify(example, offset);
                session.example(record, known, example, value);
            }
            case EXAMPLES -> several.use(decoder.examples(), record, known, input.timestamp());
            case COMMAND -> {
                commands.accept(key, value, headers, decoder.command().settings());
                session.command(record, known, decoder.command());
            }
            case WEIGHTS -> {
                commands.accept(key, value, headers, decoder.weights().header().settings());
                if (!store.hasStaged(offset)) {
                    session.weights(
                            record, known, value, decoder.weights(), InputHeaders.text(headers, ImportPurpose.HEADER));
                }
            }
            case LABEL -> session.label(record, known, decoder.label(), value);
        }
    }

    /** Processes a record with the key of the defaults, which belongs to every partition. */
    private void defaults(byte[] key, byte[] value, Headers headers) {
        checkTime(headers);
        if (value == null) {
            throw new RejectedException(RejectReason.NULL_VALUE, "value must be an event, got null");
        }
        InputHeaders.check(headers, value);
        if (decode(value, PartitionModels.DEFAULT_HASHER) != InputDecoder.Kind.COMMAND) {
            throw new RejectedException(
                    RejectReason.INVALID_MODEL_NAME,
                    "record key must be a model's name, " + ModelName.RULE + ", got " + ModelDefaults.KEY
                            + ", which only the commands DEFAULTS and FENCE have");
        }
        ModelCommand command = decoder.command();
        boolean isFence = command.action() == ModelCommand.Action.FENCE;
        // the settings of a fence are not those of models
        commands.accept(key, value, headers, isFence ? Map.of() : command.settings());
        if (store.fence() != null && !isFence) {
            recordEvents.fenced(store.fence(), false);
            return;
        }
        session.defaults(command);
    }

    /**
     * Ends the import of a name as its last chunk does that is refused; for a replay of a refusal. Does nothing if the
     * record is none.
     *
     * @throws RejectedException if it cannot be decoded
     */
    void endImport(ConsumerRecord<byte[], byte[]> input) {
        if (input.value() != null
                && !store.hasStaged(input.offset())
                && decode(input.value(), PartitionModels.DEFAULT_HASHER) == InputDecoder.Kind.WEIGHTS) {
            store.unstage(input.key(), input.offset());
        }
    }

    /** Deletes idle models, but not behind a fence; called by the engine after every record, but not in a replay. */
    public void expire(long offset) {
        if (store.fence() == null) {
            session.expire(offset, store.streamTime());
        }
    }

    /** Deletes a model as {@link #expire(long)} did after the record at an offset. */
    void expire(byte[] name, long offset) {
        session.expire(name, offset, store.streamTime());
    }

    /**
     * Publishes statuses of silent models, or all pending ones with {@code isLast}; not called in a replay.
     *
     * @return true if there was one
     */
    public boolean tick(boolean isLast) {
        return session.tick(isLast);
    }

    private static void checkName(byte[] name) {
        if (name == null) {
            throw new RejectedException(RejectReason.NULL_KEY, "record key must be the model's name, got null");
        }
        if (!ModelName.isValid(name)) {
            throw new RejectedException(
                    RejectReason.INVALID_MODEL_NAME,
                    "record key must be a model's name, " + ModelName.RULE + ", got " + ForeignBytes.key(name));
        }
    }

    private void checkTime(Headers headers) {
        String refused = InputHeaders.text(headers, EventTime.REFUSED);
        if (refused != null) {
            throw EventTime.invalid(refused, aheadMs);
        }
    }

    /**
     * Waits until the registry has answered for a value, so that {@link #dispatch} does not; changes nothing.
     *
     * @throws RejectedException if the value is invalid
     */
    void prepare(byte[] value) {
        models.decode(value, () -> {
            decoder.prepare(value);
            return null;
        });
    }

    /** Returns true if {@link #prepare} asks the registry nothing. */
    boolean isPrepared(byte[] value) {
        return decoder.isPrepared(value);
    }

    private InputDecoder.Kind decode(byte[] value, FeatureHasher hasher) {
        try {
            return decoder.decode(value, hasher, example);
        } catch (RegistryException | RejectedException e) {
            return models.decodeAgain(e, value, () -> decoder.decode(value, hasher, example));
        }
    }
}
