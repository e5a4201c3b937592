package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Reason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.LinearWeights;
import io.perceptronstreams.learner.Model;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.learner.Window;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.ModelCommand;
import io.perceptronstreams.serde.RegistryException;
import io.perceptronstreams.serde.SchemaRegistry;
import io.perceptronstreams.serde.WeightsChunk;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.StoredModel;
import io.perceptronstreams.topology.LearningTopology.StartUpFacts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * One record of the examples topic in, its events out; no mathematics.
 *
 * <p>A record is used whole or, with a reason, refused whole: then it goes to the dead letters and leaves no other trace (but
 * one that would make a model's weights overflow also quarantines the model). Nothing here depends on wall clock or chance.
 *
 * <p>Records are held until there are some dozens of them or a commit is due, then used one after the other in their order, and then
 * what came of them is sent. That takes a tenth less processor time than one by one, likely because what Kafka runs for a record,
 * before and after this class, pushes the code of reading and learning out of the processor's first cache. Nobody sees the
 * difference: a commit, which all of this waits for anyway, is preceded by the use of what is still held.
 */
final class LearnProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    /** Marks a record that was sent on from a wrong partition. */
    static final String REROUTED = "perceptron-rerouted";

    private static final FeatureHasher DEFAULT_HASHER = new FeatureHasher(Settings.DEFAULTS.hashBits());
    private static final int MAX_NAME_BYTES = 128;

    // Fewer gain less, more gain nothing; what they are should fit into the processor's second cache.
    private static final int MOST_HELD = 64;
    private static final int MOST_HELD_BYTES = 64 * 1024;

    /** Leaves room beside the largest output, a chunk of weights. */
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    private final EngineConfig config;
    private final StartUpFacts facts;
    private final Outage outage;
    private final InputDecoder decoder;
    private final EventEncoder encoder;
    private final boolean createsModels;
    private final Example example = new Example();
    private final Queue<Held> held = new ArrayDeque<>(MOST_HELD);
    private int heldBytes;
    private ProcessorContext<byte[], byte[]> context;
    private Outputs outputs;
    private ModelStore store;
    private WeightsGathering gathering;
    private int partition;
    private long offset;

    /** A record that is to be used, and where it lies in its partition. */
    private record Held(Record<byte[], byte[]> record, long offset) {}

    LearnProcessor(EngineConfig config, SchemaRegistry registry, StartUpFacts facts, Outage outage) {
        this.config = config;
        this.facts = facts;
        this.outage = outage;
        this.decoder = new InputDecoder(registry);
        this.encoder = new EventEncoder(facts.ids(), config.outputFormat() == EngineConfig.OutputFormat.JSON);
        this.createsModels = config.autoCreatesModels();
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        outputs = new Outputs(context);
        held.clear();
        heldBytes = 0;
        store = context.getStateStore(LearningTopology.STORE);
        gathering = new WeightsGathering(store, this::staged);
        store.beforeFlush(this::useHeld);
        partition = context.taskId().partition();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        held.add(new Held(record, context.recordMetadata().orElseThrow().offset()));
        heldBytes += record.value() == null ? 0 : record.value().length;
        if (held.size() == MOST_HELD || heldBytes >= MOST_HELD_BYTES) {
            useHeld();
        }
    }

    private void useHeld() {
        try {
            while (!held.isEmpty()) {
                use(held.remove());
            }
            outputs.send();
        } finally {
            // after an exception the transaction is aborted, and its records are read again
            held.clear();
            heldBytes = 0;
            outputs.clear();
        }
    }

    private void use(Held next) {
        offset = next.offset;
        try {
            use(next.record);
        } catch (RejectedException e) {
            deadLetter(next.record, e);
        } catch (StreamsException e) {
            throw e;
        } catch (RuntimeException e) {
            // Streams itself would name the last one held
            String place = config.topic(Topic.EXAMPLES) + "-" + partition + "@" + offset;
            throw new StreamsException("the record at " + place + " could not be used: " + e, e);
        }
    }

    private void use(Record<byte[], byte[]> record) {
        byte[] name = record.key();
        checkName(name);
        checkTime(record.headers());
        StoredModel model = store.find(name);
        int hash = model == null ? Utils.toPositive(Utils.murmur2(name)) : model.keyHash();
        if (hash % facts.partitions() != partition) {
            reroute(record, hash % facts.partitions());
            return;
        }
        byte[] value = record.value();
        if (value == null) {
            throw new RejectedException(Reason.NULL_VALUE, "value must be an event, got null");
        }
        switch (decode(value, model == null ? DEFAULT_HASHER : model.model().hasher())) {
            case EXAMPLE -> learn(record, model);
            case COMMAND -> command(record, model, decoder.command());
            case WEIGHTS -> importWeights(record, model, decoder.weights());
            case LABEL ->
                throw new RejectedException(
                        Reason.LATE_LABEL, "late labels are not taken yet, got one (send the label with its example)");
        }
    }

    private static void checkName(byte[] name) {
        if (name == null) {
            throw new RejectedException(Reason.NULL_KEY, "record key must be the model's name, got null");
        }
        boolean isValid = name.length >= 1 && name.length <= MAX_NAME_BYTES;
        for (int k = 0; isValid && k < name.length; k++) {
            byte c = name[k];
            isValid = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.';
        }
        if (!isValid) {
            throw new RejectedException(
                    Reason.INVALID_MODEL_NAME,
                    "record key must be a model's name, 1 to " + MAX_NAME_BYTES
                            + " characters of A-Z a-z 0-9 . _ -, got another key of " + name.length + " bytes");
        }
    }

    private static void checkTime(Headers headers) {
        Header refused = headers.lastHeader(EventTime.REFUSED);
        if (refused != null) {
            throw new RejectedException(
                    Reason.INVALID_TIMESTAMP,
                    "timestamp must be in ms since 1970 and before the year 2200, got " + Utils.utf8(refused.value()));
        }
    }

    private WeightsChunk staged(byte[] value) {
        decode(value, DEFAULT_HASHER);
        return decoder.weights();
    }

    private InputDecoder.Kind decode(byte[] value, FeatureHasher hasher) {
        try {
            return decoder.decode(value, hasher, example);
        } catch (RegistryException e) {
            return outage.waitFor(() -> decoder.decode(value, hasher, example), () -> "task " + context.taskId());
        }
    }

    private void learn(Record<byte[], byte[]> record, StoredModel known) {
        StoredModel stored = known;
        boolean isKnown = stored != null && stored.model().state() != Model.State.DELETED;
        if (!isKnown && !createsModels) {
            throw new RejectedException(
                    Reason.UNKNOWN_MODEL,
                    "a model must be configured before its first example, got none of this name (models set, or"
                            + " models.auto.create=true)");
        }
        if (stored == null) {
            stored = store.create(record.key());
        }
        Model model = stored.model();
        Model.State before = model.state();
        long version = model.version();
        Outcome outcome;
        try {
            outcome = model.process(example, record.timestamp());
        } catch (RejectedException e) {
            if (model.state() != before) {
                quarantined(record, stored, e);
            }
            throw e;
        }
        store.markChanged(stored, record.timestamp());
        countRerouted(record, model);
        long seen = model.totals().examples();
        send(record, Topic.PREDICTIONS, encoder.prediction(example, outcome, version, seen));
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            send(record, Topic.MISTAKES, encoder.mistake(example, outcome, model));
        }
        boolean isWindowClosed = sendClosedWindow(record, model);
        if (seen == 1) {
            sendStatus(record, model, "FIRST_EXAMPLE");
        } else if (isWindowClosed) {
            sendStatus(record, model, "WINDOW");
        } else if (model.publications().isStatusDue(record.timestamp())) {
            sendStatus(record, model, "TIME");
        }
        if (model.isSnapshotDue()) {
            snapshot(record, stored);
        }
        if (model.isWatched()) {
            adapt(record, stored);
        }
    }

    /** Last, because a reset or takeover changes all that was told above. */
    private void adapt(Record<byte[], byte[]> record, StoredModel stored) {
        Model model = stored.model();
        if (model.alarm() != null) {
            send(record, Topic.ALERTS, encoder.driftAlert(model, origin()));
        }
        Model.Adaptation adaptation = model.adapt();
        if (adaptation != Model.Adaptation.NONE) {
            sendClosedWindow(record, model);
            sendStatus(record, model, adaptation.name());
        }
        removeEndedEpochs(record, stored);
    }

    private void removeEndedEpochs(Record<byte[], byte[]> record, StoredModel stored) {
        for (long epoch : stored.model().takeEndedEpochs()) {
            store.removeEpoch(stored, epoch, record.timestamp());
        }
    }

    private void quarantined(Record<byte[], byte[]> record, StoredModel stored, RejectedException why) {
        store.markChanged(stored, record.timestamp());
        send(record, Topic.ALERTS, encoder.quarantineAlert(stored.model(), why.getMessage(), origin()));
        sendStatus(record, stored.model(), "QUARANTINED");
    }

    private void command(Record<byte[], byte[]> record, StoredModel known, ModelCommand command) {
        boolean isKnown = known != null && known.model().state() != Model.State.DELETED;
        if (!isKnown && command.action() != ModelCommand.Action.CONFIGURE) {
            throw new RejectedException(
                    Reason.INVALID_COMMAND,
                    command.action() + " must be for a model that exists, got none of this name");
        }
        StoredModel stored = known == null ? store.create(record.key()) : known;
        Model model = stored.model();
        try {
            switch (command.action()) {
                case CONFIGURE -> model.configure(command.settings());
                case RESET, DELETE -> end(record, stored, command.action() == ModelCommand.Action.DELETE);
                case FREEZE -> model.freeze(true);
                case THAW -> model.freeze(false);
                case SNAPSHOT -> snapshot(record, stored);
            }
        } catch (IllegalArgumentException e) {
            throw new RejectedException(Reason.INVALID_COMMAND, e.getMessage());
        }
        store.markChanged(stored, record.timestamp());
        removeEndedEpochs(record, stored);
        countRerouted(record, model);
        sendStatus(record, model, command.action().name());
    }

    private void end(Record<byte[], byte[]> record, StoredModel stored, boolean isDelete) {
        Model model = stored.model();
        if (isDelete) {
            model.delete();
            removeChunks(record, stored, 0);
        } else {
            model.reset();
        }
        sendClosedWindow(record, model);
        store.unstage(stored.name(), record.timestamp());
    }

    private void importWeights(Record<byte[], byte[]> record, StoredModel known, WeightsChunk chunk) {
        Model imported = gathering.add(record.key(), record.value(), chunk, record.timestamp());
        if (imported == null) {
            return;
        }
        if (ImportPurpose.of(record.headers()) == ImportPurpose.COMPARATOR) {
            compare(record, known, imported);
            return;
        }
        StoredModel stored = known == null ? store.create(record.key()) : known;
        Model model = stored.model();
        long epoch = model.epoch();
        model.goOnFrom(imported);
        sendClosedWindow(record, model);
        store.replaceEpoch(stored, epoch, record.timestamp());
        removeEndedEpochs(record, stored);
        countRerouted(record, model);
        sendStatus(record, model, "IMPORT");
    }

    /** Pins the weights that came as those that the model is compared with. */
    private void compare(Record<byte[], byte[]> record, StoredModel known, Model imported) {
        if (known == null || known.model().state() == Model.State.DELETED) {
            throw new RejectedException(
                    Reason.INVALID_WEIGHTS, "a comparator must be for a model that exists, got none of this name");
        }
        Model model = known.model();
        try {
            LinearWeights u = LinearWeights.of(imported, model.settings().hashBits());
            model.compareWith(u.weights(), u.bias());
        } catch (IllegalArgumentException e) {
            throw new RejectedException(Reason.INVALID_WEIGHTS, e.getMessage());
        }
        store.markChanged(known, record.timestamp());
        countRerouted(record, model);
        sendStatus(record, model, "COMPARATOR");
    }

    /** Returns whether there was one. */
    private boolean sendClosedWindow(Record<byte[], byte[]> record, Model model) {
        Window.Closed window = model.window().takeClosed();
        if (window != null) {
            send(record, Topic.COUNTS, encoder.mistakeCount(window));
        }
        return window != null;
    }

    private void snapshot(Record<byte[], byte[]> record, StoredModel stored) {
        List<byte[]> chunks = encoder.weightsSnapshot(stored.model(), origin());
        for (int chunk = 0; chunk < chunks.size(); chunk++) {
            sendChunk(record, stored, chunk, chunks.get(chunk));
        }
        removeChunks(record, stored, chunks.size());
    }

    /** Leaves tombstones for the chunks of the last snapshot from {@code first} on. */
    private void removeChunks(Record<byte[], byte[]> record, StoredModel stored, int first) {
        for (int chunk = first; chunk < stored.model().publications().chunks(); chunk++) {
            sendChunk(record, stored, chunk, null);
        }
        stored.model().publications().markSnapshot(first);
    }

    private void sendChunk(Record<byte[], byte[]> record, StoredModel stored, int chunk, byte[] value) {
        byte[] key = chunk == 0 ? stored.name() : DeadLetter.utf8(Utils.utf8(stored.name()) + "/" + chunk);
        outputs.add(new Record<>(key, value, record.timestamp(), passedOn(record.headers())), Topic.WEIGHTS.suffix());
    }

    private void sendStatus(Record<byte[], byte[]> record, Model model, String cause) {
        send(record, Topic.MODELS, encoder.modelStatus(model, cause, origin()));
        model.publications().markStatus(record.timestamp());
    }

    private void send(Record<byte[], byte[]> record, Topic topic, byte[] value) {
        outputs.add(new Record<>(record.key(), value, record.timestamp(), passedOn(record.headers())), topic.suffix());
    }

    /** The headers of an output: those of its example, unless they might make it larger than its topic takes. */
    private static Headers passedOn(Headers headers) {
        // most records have none, and then this array is a constant
        long bytes = headers.toArray().length == 0 ? 0 : DeadLetter.bytes(headers);
        return bytes <= MAX_HEADER_BYTES
                ? headers
                : new RecordHeaders().add(DeadLetter.OMITTED, DeadLetter.utf8(Long.toString(bytes)));
    }

    private void reroute(Record<byte[], byte[]> record, int right) {
        String where = "partition " + right + " by the murmur2 hash of its key, got partition " + partition;
        String hint = " (set partitioner=murmur2_random in librdkafka clients)";
        if (config.misrouted() == EngineConfig.Misrouted.DEAD_LETTER) {
            throw new RejectedException(Reason.MISROUTED, "a record must lie on " + where + hint);
        }
        if (record.headers().lastHeader(REROUTED) != null) {
            throw new RejectedException(Reason.MISROUTED, "a record that was sent on must lie on " + where);
        }
        if (DeadLetter.bytes(record) > facts.maxRecordBytes()) {
            throw new RejectedException(
                    Reason.MISROUTED, "a record too large to be sent on must lie on " + where + hint);
        }
        Headers headers =
                new RecordHeaders(record.headers()).add(REROUTED, DeadLetter.utf8(partition + "@" + origin().offset()));
        outputs.add(record.withHeaders(headers), LearningTopology.REROUTE);
    }

    private static void countRerouted(Record<byte[], byte[]> record, Model model) {
        if (record.headers().lastHeader(REROUTED) != null) {
            model.countRerouted();
        }
    }

    private void deadLetter(Record<byte[], byte[]> record, RejectedException why) {
        Origin origin = origin();
        String topic = config.topic(Topic.EXAMPLES);
        outputs.add(
                DeadLetter.of(record, why, topic, origin.partition(), origin.offset(), facts.maxRecordBytes()),
                Topic.DEAD_LETTERS.suffix());
    }

    private Origin origin() {
        return new Origin(partition, offset);
    }
}
