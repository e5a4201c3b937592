package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.model.StoredEvents;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.ForeignBytes;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** Validates and decodes a record of the examples topic and passes it to the {@link ModelSession}. */
final class RecordDispatcher {
    private static final FeatureHasher DEFAULT_HASHER = new FeatureHasher(Settings.DEFAULTS.get(Settings.HASH_BITS));

    private final Partition models;
    private final InputDecoder decoder;
    private final ModelStore store;
    private final RecordEvents recordEvents;
    private final ModelSession session;
    private final int partitions;
    private final int partition;
    private final long aheadMs;
    private final CommandCheck commands;
    private final Example example = new Example();
    private Settings defaults = Settings.DEFAULTS;
    private FeatureHasher defaultHasher = DEFAULT_HASHER;

    /**
     * The models of one partition, and what reads records into them.
     *
     * @param number of the partition
     * @param decoder of the current record
     * @param registryRetry used while the registry does not answer
     * @param pendingStatuses statuses that the replay leaves to the records after it
     * @param records of the topic, for imports that lack some
     */
    record Partition(
            int number,
            ModelStore store,
            InputDecoder decoder,
            RegistryRetry registryRetry,
            PendingStatuses pendingStatuses,
            InputRecords records) {

        <T> T decode(byte[] value, Supplier<T> decoding) {
            return registryRetry.decode(value, decoding, () -> "partition " + number);
        }
    }

    /**
     * Creates a dispatcher for one partition.
     *
     * @param events listener of the session
     * @param recordEvents listener of the dispatcher
     * @param commands check of signatures
     */
    RecordDispatcher(
            Partition models,
            Decisions decisions,
            ModelEvents events,
            RecordEvents recordEvents,
            CommandCheck commands) {
        this.models = models;
        this.decoder = models.decoder;
        this.store = models.store;
        this.recordEvents = recordEvents;
        this.session = new ModelSession(
                store,
                events,
                new Redecoder(models, decisions.aheadMs()),
                decisions.createsModels(),
                models.pendingStatuses);
        this.partitions = decisions.partitions();
        this.partition = models.number;
        this.aheadMs = decisions.aheadMs();
        this.commands = commands;
    }

    /**
     * Processes a record.
     *
     * @param timestamp event time from {@link EventTimeExtractor}
     * @throws RejectedException if the record is invalid
     */
    void dispatch(ConsumerRecord<byte[], byte[]> input, long timestamp) {
        byte[] key = input.key();
        byte[] value = input.value();
        Headers headers = input.headers();
        long offset = input.offset();
        if (ModelDefaults.isKey(key)) {
            defaults(key, value, headers);
            return;
        }
        checkName(key);
        checkTime(headers);
        int right = Utils.toPositive(Utils.murmur2(key)) % partitions;
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
        InputDecoder.checkHeaders(headers, value);
        InputRecord record = new InputRecord(
                key, offset, timestamp, store.streamTime(), headers.lastHeader(ReroutedRecord.HEADER) != null);
        switch (decode(value, hasher(known))) {
            case EXAMPLE -> {
                if (example.id().length() == 0) {
                    // its predictions can be found by the place of the example
                    example.id().set(partition + "@" + offset);
                }
                session.example(record, known, example, value);
            }
            case EXAMPLES -> examples(record, known, input.timestamp());
            case COMMAND -> {
                commands.accept(key, value, headers, decoder.command().settings());
                session.command(record, known, decoder.command());
            }
            case WEIGHTS -> {
                commands.accept(key, value, headers, decoder.weights().header().settings());
                if (!store.hasStaged(offset)) {
                    session.weights(record, known, value, decoder.weights(), text(headers, ImportPurpose.HEADER));
                }
            }
            case LABEL -> session.label(record, known, decoder.label(), value);
        }
    }

    /**
     * Uses the examples of a record one after the other, each as that of a record of its own.
     *
     * @param own timestamp of the record
     * @throws RejectedException if no example can be read
     */
    private void examples(InputRecord record, LiveModel known, long own) {
        ExampleList examples = decoder.examples();
        // otherwise each of them would be refused for the same reason
        session.beginExamples(record, known);
        recordEvents.beginExamples(examples.size());
        LiveModel model = known;
        List<Refusal> unreadable = new ArrayList<>();
        for (int k = 0; k < examples.size(); k++) {
            long timestamp = own;
            try {
                timestamp = time(examples, k, own);
                examples.decode(k, hasher(model), example);
            } catch (RejectedException e) {
                unreadable.add(new Refusal(k, timestamp, e));
                continue;
            }
            unreadable.forEach(each -> refuse(examples, each));
            unreadable.clear();
            recordEvents.beginExample(k, timestamp);
            if (example.id().length() == 0) {
                example.id().set(partition + "@" + record.offset() + "#" + k);
            }
            if (recordEvents.uses(example, timestamp)) {
                model = session.model(record, model);
                use(examples, record.part(k, timestamp), model);
            }
        }
        session.endExamples();
        if (unreadable.size() < examples.size()) {
            unreadable.forEach(each -> refuse(examples, each));
            recordEvents.endExamples();
        } else {
            // one dead letter: a short record may have a thousand such examples
            recordEvents.endExamples();
            RejectedException first = unreadable.get(0).why;
            if (examples.size() == 1) {
                throw first;
            }
            throw new RejectedException(
                    first.reason(),
                    "of " + examples.size() + " examples none can be read; the first: " + first.getMessage());
        }
    }

    /** Describes why an example of several is refused. */
    private record Refusal(int part, long timestamp, RejectedException why) {}

    private void refuse(ExampleList examples, Refusal refusal) {
        recordEvents.beginExample(refusal.part, refusal.timestamp);
        recordEvents.refused(refusal.part, examples.value(refusal.part), refusal.why, store.streamTime());
    }

    private long time(ExampleList examples, int k, long own) {
        try {
            return EventTimeExtractor.of(examples, k, own, aheadMs);
        } catch (IllegalArgumentException e) {
            throw invalidTime(e.getMessage());
        }
    }

    private void use(ExampleList examples, InputRecord part, LiveModel model) {
        try {
            session.example(part, model, example, session.mayWait(model, example) ? examples.value(part.part()) : null);
        } catch (RejectedException e) {
            refuse(examples, new Refusal(part.part(), part.timestamp(), e));
        }
    }

    private FeatureHasher hasher(LiveModel known) {
        if (known != null && known.model().state() != ModelState.DELETED) {
            return known.model().pipeline().hasher();
        }
        if (!store.defaults().equals(defaults)) {
            defaults = store.defaults();
            defaultHasher = defaults.hasher();
        }
        return defaultHasher;
    }

    /** Processes a record with the key of the defaults, which belongs to every partition. */
    private void defaults(byte[] key, byte[] value, Headers headers) {
        checkTime(headers);
        if (value == null) {
            throw new RejectedException(RejectReason.NULL_VALUE, "value must be an event, got null");
        }
        InputDecoder.checkHeaders(headers, value);
        if (decode(value, DEFAULT_HASHER) != InputDecoder.Kind.COMMAND) {
            throw new RejectedException(
                    RejectReason.INVALID_MODEL_NAME,
                    "record key must be a model's name, " + ModelName.RULE + ", got " + ModelDefaults.KEY
                            + ", which only the command DEFAULTS has");
        }
        commands.accept(key, value, headers, decoder.command().settings());
        session.defaults(decoder.command());
    }

    /** Deletes idle models; called by the engine after every record, but not in a replay. */
    void expire(long offset) {
        session.expire(offset, store.streamTime());
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
    boolean tick(boolean isLast) {
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
        String refused = text(headers, EventTimeExtractor.REFUSED);
        if (refused != null) {
            throw invalidTime(refused);
        }
    }

    private RejectedException invalidTime(String refused) {
        return new RejectedException(
                RejectReason.INVALID_TIMESTAMP,
                "timestamp must be in ms since 1970 (in JSON also as in 2026-01-31T12:00:00Z), before the year 2200 and "
                        + ahead() + " that of the record, got " + refused);
    }

    private String ahead() {
        if (aheadMs == Decisions.DEFAULT_AHEAD_MS) {
            return "at most an hour after";
        }
        return aheadMs == 0 ? "no later than" : "at most " + aheadMs + " ms after";
    }

    private static String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value() == null ? "" : Utils.utf8(header.value());
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
        return models.decode(value, () -> decoder.decode(value, hasher, example));
    }

    /** Decodes events again that were decoded and stored before; waits while the registry does not answer or lacks the schema. */
    private static final class Redecoder implements StoredEvents {
        private final Partition models;
        private final InputDecoder decoder;
        private final long aheadMs;
        private final Example example = new Example();

        Redecoder(Partition models, long aheadMs) {
            this.models = models;
            this.aheadMs = aheadMs;
            // not the one of the current record, which is still in use
            this.decoder = models.decoder.another();
        }

        @Override
        public WeightsChunk chunk(byte[] value) {
            decodeOrWait(value, DEFAULT_HASHER);
            return decoder.weights();
        }

        @Override
        public Example example(byte[] value, FeatureHasher hasher) {
            try {
                if (models.decode(value, () -> decoder.decode(value, hasher, example)) == InputDecoder.Kind.EXAMPLES) {
                    decoder.examples().decode(0, hasher, example);
                }
            } catch (RejectedException e) {
                if (hasher.rules() != null && isOfCrosses(e.reason())) {
                    throw e;
                }
                throw unreadable(e);
            }
            return example;
        }

        @Override
        public LabelEvent label(byte[] value) {
            decode(value, DEFAULT_HASHER);
            return decoder.label();
        }

        @Override
        public void examples(byte[] name, long from, long to, Supplier<FeatureHasher> hasher, ExampleSink sink) {
            models.records.read(models.number, from, to, record -> {
                if (Arrays.equals(record.key(), name) && record.value() != null) {
                    accept(record, hasher.get(), sink);
                }
            });
        }

        private void accept(ConsumerRecord<byte[], byte[]> record, FeatureHasher hasher, ExampleSink sink) {
            long timestamp = EventTimeExtractor.of(record, aheadMs);
            if (record.headers().lastHeader(EventTimeExtractor.REFUSED) != null) {
                return;
            }
            InputDecoder.Kind kind;
            try {
                InputDecoder.checkHeaders(record.headers(), record.value());
                kind = models.decode(record.value(), () -> decoder.decode(record.value(), hasher, example));
            } catch (RejectedException e) {
                if (RecordReplayer.isFromRegistry(e.reason())) {
                    throw outdated("an unreadable record", record);
                }
                return;
            }
            switch (kind) {
                case EXAMPLE -> {
                    if (example.id().length() == 0) {
                        example.id().set(models.number + "@" + record.offset());
                    }
                    sink.accept(record.offset(), timestamp, example);
                }
                case EXAMPLES -> acceptEach(record, hasher, sink);
                case COMMAND -> throw outdated("a command", record);
                case WEIGHTS -> {
                    // the other chunks may be those of the import itself
                    if (decoder.weights().isLast()) {
                        throw outdated("an import", record);
                    }
                }
                case LABEL -> {
                    // refused by a model that does not wait for labels
                }
            }
        }

        private void acceptEach(ConsumerRecord<byte[], byte[]> record, FeatureHasher hasher, ExampleSink sink) {
            ExampleList examples = decoder.examples();
            for (int k = 0; k < examples.size(); k++) {
                long timestamp;
                try {
                    timestamp = EventTimeExtractor.of(examples, k, record.timestamp(), aheadMs);
                    examples.decode(k, hasher, example);
                } catch (RejectedException | IllegalArgumentException e) {
                    // it was refused without the others
                    continue;
                }
                if (example.id().length() == 0) {
                    example.id().set(models.number + "@" + record.offset() + "#" + k);
                }
                sink.accept(record.offset(), timestamp, example);
            }
        }

        private static RejectedException outdated(String got, ConsumerRecord<byte[], byte[]> record) {
            return new RejectedException(
                    RejectReason.OUTDATED_WEIGHTS,
                    "weights that replace a model must lack only examples, got " + got + " at offset "
                            + record.offset());
        }

        private void decode(byte[] value, FeatureHasher hasher) {
            try {
                decodeOrWait(value, hasher);
            } catch (RejectedException e) {
                throw unreadable(e);
            }
        }

        /** Crosses may have been set, and crosses.max lowered, since the example was stored. */
        private static boolean isOfCrosses(RejectReason reason) {
            return reason == RejectReason.UNSUPPORTED_FEATURES || reason == RejectReason.NON_FINITE_VALUE;
        }

        private static IllegalStateException unreadable(RejectedException e) {
            // it was readable when it was stored: a replay could not repeat another decision
            return new IllegalStateException(
                    "a stored event must be readable as when it came, got: " + e.getMessage()
                            + " (register the schema under its id again)",
                    e);
        }

        private void decodeOrWait(byte[] value, FeatureHasher hasher) {
            models.decode(value, () -> decoder.decode(value, hasher, example));
        }
    }
}
