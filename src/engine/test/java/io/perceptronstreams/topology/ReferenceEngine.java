package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Observed;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoredModels;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;

/**
 * Reference implementation of the engine for one partition: a loop over learners, with models in a map, without Kafka
 * Streams.
 *
 * <p>Supports only the records of the crash test. The message of a rejection by the topology itself is null: any text.
 */
final class ReferenceEngine {
    /** Takes what the engine should send. */
    interface Outputs {
        /** Takes one record; for {@link Topic#EXAMPLES} one that is sent on to its right partition. */
        void send(Topic topic, SentRecord record);
    }

    private final Map<String, Model> models = new TreeMap<>();

    // Stream time at the last record of every model that exists, the one seen least recently first.
    private final Map<String, Long> lastSeen = new LinkedHashMap<>();
    private final Example example = new Example();
    private final InputDecoder decoder;
    private final ReferenceImports imports;
    private final EventEncoder encoder;
    private final int partition;
    private final int partitions;
    private final Outputs outputs;
    private final ReferenceLabels labels;
    private final ReferenceCatchUp catchUp;
    // of all models: a record changes only one
    private final Observed observed = new Observed();
    // By name of the model, event time of the last event that has changed it.
    private final Map<String, Long> changedAt = new TreeMap<>();
    private Settings defaults = Settings.DEFAULTS;
    // of the current event
    private long eventTime;
    private long streamTime = -1;
    private int maxModels = 100_000;
    private long idleMs;
    private int expired;
    private int refused;
    private long largestSnapshot;
    private int named;
    private int challenged;
    private int replaced;

    ReferenceEngine(SchemaRegistry registry, EventIds ids, int partition, int partitions, Outputs outputs) {
        this.decoder = new InputDecoder(registry);
        this.imports = new ReferenceImports(decoder);
        this.encoder = new EventEncoder(ids, false);
        this.partition = partition;
        this.partitions = partitions;
        this.outputs = outputs;
        this.labels = new ReferenceLabels(this, new InputDecoder(registry), encoder);
        this.catchUp = new ReferenceCatchUp(new InputDecoder(registry));
    }

    /**
     * Compares outputs, models and what waits of a task without limits with one uninterrupted pass, which it returns.
     */
    static ReferenceEngine compare(KillableTask task) {
        List<KillableTask.Output> expected = new ArrayList<>();
        ReferenceEngine reference = new ReferenceEngine(
                task.registry, task.ids, 0, 1, (topic, record) -> expected.add(new KillableTask.Output(topic, record)));
        task.records.forEach(reference::process);
        KillReplayTest.compareOutputs(task.committed, expected);
        reference.compareStored(task);
        return reference;
    }

    /** Compares stored models and what waits with its own. */
    void compareStored(KillableTask task) {
        assertThat(StoredModels.differences(task.store.entries(), models, gathered()))
                .isEmpty();
        assertThat(StoredModels.waiting(task.store.entries())).isEqualTo(waiting());
    }

    /** All models that ever were, deleted ones included. */
    Map<String, Model> models() {
        return models;
    }

    /** By model, the values of the chunks of an import that has not come to its end. */
    Map<String, List<byte[]>> gathered() {
        return imports.gathered();
    }

    /**
     * Bounds the models from the next record on.
     *
     * @param idle stream time after which a model is deleted, in ms; 0 for never
     */
    void limit(int models, long idle) {
        maxModels = models;
        idleMs = idle;
    }

    /** By name of every model that exists, the stream time at its last record. */
    Map<String, Long> lastSeen() {
        return lastSeen;
    }

    /** Largest timestamp so far. */
    long streamTime() {
        return streamTime;
    }

    /** How many models were deleted because they were idle. */
    int expired() {
        return expired;
    }

    /** How many records were refused because they would have created a model too many. */
    int refused() {
        return refused;
    }

    /** How many alerts with advice were sent. */
    int advised() {
        return labels.advised();
    }

    /** What waits in the models, and their ids, as text. */
    Set<String> waiting() {
        return labels.waiting();
    }

    /** How often each case of late labels came, by name. */
    Map<String, Integer> cases() {
        return labels.cases();
    }

    /** How many models were replaced by imported ones. */
    int imports() {
        return imports.number();
    }

    /** Bytes of the largest snapshot, all its chunks together. */
    long largestSnapshot() {
        return largestSnapshot;
    }

    /** Has nothing but time pass: for a record whose refusal is nothing that this engine can know. */
    void skip(ConsumerRecord<byte[], byte[]> record) {
        streamTime = Math.max(streamTime, record.timestamp());
        expire(record);
    }

    void process(ConsumerRecord<byte[], byte[]> input) {
        ConsumerRecord<byte[], byte[]> record = at(input, ReferenceTime.of(input), input.value());
        streamTime = Math.max(streamTime, record.timestamp());
        try {
            use(record, input.timestamp());
        } catch (RejectedException e) {
            refuse(record, e);
        }
        catchUp.add(input);
        expire(record);
    }

    /** A record of the same place and key, with the headers. */
    private static ConsumerRecord<byte[], byte[]> at(
            ConsumerRecord<byte[], byte[]> record, long timestamp, byte[] value) {
        ConsumerRecord<byte[], byte[]> other = ReferenceInput.at(record, timestamp, record.key(), value);
        record.headers().forEach(other.headers()::add);
        return other;
    }

    private void expire(ConsumerRecord<byte[], byte[]> record) {
        if (idleMs == 0) {
            return;
        }
        List<String> idle = lastSeen.entrySet().stream()
                .filter(each -> streamTime - each.getValue() >= idleMs)
                .map(Map.Entry::getKey)
                .limit(100)
                .toList();
        for (String name : idle) {
            ConsumerRecord<byte[], byte[]> cause = ReferenceInput.at(record, streamTime, utf8(name), null);
            Model model = models.get(name);
            model.at(record.offset());
            model.delete();
            labels.forget(name);
            publish(cause, name, model, List.of());
            sendWindows(cause, model);
            sendStatus(cause, model, "EXPIRED");
            lastSeen.remove(name);
            expired++;
        }
    }

    private static final Map<String, String> CAUSES =
            Map.of("CHALLENGE", "CHALLENGED", "WITHDRAW", "WITHDRAWN", "PROMOTE", "PROMOTED");

    void keep(String name, Model model) {
        models.put(name, model);
        changedAt.put(name, eventTime);
        lastSeen.remove(name);
        if (model.state() != ModelState.DELETED) {
            lastSeen.put(name, streamTime);
        }
    }

    private void requireRoom(String name) {
        if (!lastSeen.containsKey(name) && lastSeen.size() >= maxModels) {
            refused++;
            throw new RejectedException(RejectReason.TOO_MANY_MODELS, null);
        }
    }

    void refuse(ConsumerRecord<byte[], byte[]> record, RejectedException why) {
        refuse(record, why, null);
    }

    /** @param parts numbers of examples of a record of several; null for a whole record */
    private void refuse(ConsumerRecord<byte[], byte[]> record, RejectedException why, String parts) {
        Headers headers = new RecordHeaders(record.headers());
        headers.add("perceptron-reason", utf8(why.reason().name()));
        headers.add("__streams.errors.exception", utf8(RejectedException.class.getName()));
        String message = why.getMessage();
        headers.add(
                "__streams.errors.message",
                message == null ? null : utf8(message.length() <= 500 ? message : message.substring(0, 500) + "…"));
        headers.add("__streams.errors.topic", utf8(record.topic()));
        headers.add("__streams.errors.partition", utf8("" + record.partition()));
        headers.add("__streams.errors.offset", utf8("" + record.offset()));
        if (parts != null) {
            headers.add("perceptron-batch-index", utf8(parts));
        }
        outputs.send(Topic.DEAD_LETTERS, new SentRecord(record.key(), record.value(), record.timestamp(), headers));
    }

    /** @param own timestamp in the log */
    private void use(ConsumerRecord<byte[], byte[]> record, long own) {
        if (record.key() == null) {
            throw new RejectedException(RejectReason.NULL_KEY, null);
        }
        String name = new String(record.key(), StandardCharsets.ISO_8859_1);
        if (name.equals("*")) {
            setDefaults(record);
            return;
        }
        if (!name.matches("[A-Za-z0-9._-]{1,128}")) {
            throw new RejectedException(RejectReason.INVALID_MODEL_NAME, null);
        }
        if (ReferenceTime.isInvalid(record.value(), own)) {
            throw new RejectedException(RejectReason.INVALID_TIMESTAMP, null);
        }
        boolean isRerouted = record.headers().lastHeader("perceptron-rerouted") != null;
        if (Utils.toPositive(Utils.murmur2(record.key())) % partitions != partition) {
            if (isRerouted) {
                throw new RejectedException(RejectReason.MISROUTED, null);
            }
            Headers headers = new RecordHeaders(record.headers());
            headers.add("perceptron-rerouted", utf8(record.partition() + "@" + record.offset()));
            outputs.send(Topic.EXAMPLES, new SentRecord(record.key(), record.value(), own, headers));
            return;
        }
        if (record.value() == null) {
            throw new RejectedException(RejectReason.NULL_VALUE, null);
        }
        labels.beginRecord();
        Model known = models.get(name);
        Model model = known == null ? newModel() : known;
        InputDecoder.Kind kind = decoder.decode(record.value(), hasher(name, model), example);
        AtomicBoolean rerouted = new AtomicBoolean(isRerouted);
        if (kind == InputDecoder.Kind.EXAMPLES) {
            requireRoom(name);
            useEach(record, own, name, model, rerouted);
        } else {
            use(kind, record, name, model, rerouted, InputRecord.WHOLE);
        }
    }

    private boolean isNew(String name) {
        Model known = models.get(name);
        return known == null || known.state() == ModelState.DELETED;
    }

    private FeatureHasher hasher(String name, Model model) {
        return isNew(name)
                ? new FeatureHasher(defaults.get(Settings.HASH_BITS))
                : model.pipeline().hasher();
    }

    /**
     * Uses each of several examples alone; refuses the record if none of them can be read, otherwise the first hundred
     * of these alone and the others together, by reason.
     */
    private void useEach(
            ConsumerRecord<byte[], byte[]> record, long own, String name, Model model, AtomicBoolean rerouted) {
        ExampleList examples = decoder.examples();
        List<Runnable> refusals = new ArrayList<>();
        Map<RejectReason, List<Integer>> together = new LinkedHashMap<>();
        RejectedException first = null;
        int unreadable = 0;
        for (int k = 0; k < examples.size(); k++) {
            OptionalLong time = ReferenceTime.ofPart(examples.value(k), own);
            ConsumerRecord<byte[], byte[]> part = at(record, time.orElse(own), examples.value(k));
            int number = k;
            boolean isRead = false;
            try {
                if (time.isEmpty()) {
                    throw new RejectedException(RejectReason.INVALID_TIMESTAMP, null);
                }
                examples.decode(k, hasher(name, model), example);
                isRead = true;
                refusals.forEach(Runnable::run);
                refusals.clear();
                use(InputDecoder.Kind.EXAMPLE, part, name, model, rerouted, k);
            } catch (RejectedException e) {
                first = first == null ? e : first;
                if (!isRead && ++unreadable > 100) {
                    together.computeIfAbsent(e.reason(), any -> new ArrayList<>())
                            .add(k);
                } else {
                    refusals.add(() -> refuse(part, e, "" + number));
                }
                if (unreadable <= k) {
                    refusals.forEach(Runnable::run);
                    refusals.clear();
                }
            }
        }
        if (unreadable == examples.size()) {
            throw examples.size() == 1 ? first : new RejectedException(first.reason(), null);
        }
        labels.endExamples(record);
        together.forEach((reason, numbers) -> {
            ConsumerRecord<byte[], byte[]> left = at(record, own, joined(examples, numbers));
            String text = numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
            refuse(left, new RejectedException(reason, null), text);
        });
    }

    /** A JSON array of examples, or an ExampleBatch of the current schema. */
    private static byte[] joined(ExampleList examples, List<Integer> numbers) {
        List<byte[]> alone = numbers.stream().map(examples::value).toList();
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        if (alone.get(0)[0] != 0) {
            alone.forEach(each -> {
                joined.write(joined.size() == 0 ? '[' : ',');
                joined.writeBytes(each);
            });
            joined.write(']');
        } else {
            // 5 bytes of the wire format, the number of examples, which takes two bytes from 64 on, and the end of the
            // array
            joined.write(alone.get(0), 0, 5);
            int count = 2 * alone.size();
            if (count < 128) {
                joined.write(count);
            } else {
                joined.write(128 + count % 128);
                joined.write(count / 128);
            }
            alone.forEach(each -> joined.write(each, 6, each.length - 7));
            joined.write(0);
        }
        return joined.toByteArray();
    }

    private void use(
            InputDecoder.Kind kind,
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            AtomicBoolean rerouted,
            int part) {
        eventTime = record.timestamp();
        model.at(record.offset());
        boolean isNew = isNew(name);
        if (isNew) {
            model.startWith(defaults);
        }
        ReferenceInput input = new ReferenceInput(record, name, model, rerouted, isNew, part);
        try {
            switch (kind) {
                case EXAMPLE -> {
                    requireRoom(name);
                    labels.example(input, example);
                }
                case COMMAND ->
                    labels.command(
                            input,
                            decoder.command().action() == ModelCommand.Action.TICK,
                            () -> obey(input, decoder.command()));
                case WEIGHTS -> gather(input, decoder.weights());
                case LABEL -> labels.label(input, decoder.label());
                case EXAMPLES -> throw new AssertionError("each example is used alone");
            }
        } finally {
            if (model.state() == ModelState.DELETED) {
                model.startWith(Settings.DEFAULTS);
            }
        }
    }

    private void setDefaults(ConsumerRecord<byte[], byte[]> record) {
        InputDecoder.Kind kind = decoder.decode(record.value(), new FeatureHasher(1), example);
        if (kind != InputDecoder.Kind.COMMAND) {
            throw new RejectedException(RejectReason.INVALID_MODEL_NAME, null);
        }
        if (decoder.command().action() != ModelCommand.Action.DEFAULTS) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, null);
        }
        try {
            defaults = defaults.with(decoder.command().settings());
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        Model model = new Model();
        model.configure(defaults.toMap());
        byte[] status = encoder.modelStatus(model, StatusCause.DEFAULTS, origin(record));
        outputs.send(
                Topic.MODELS, new SentRecord(utf8("*/" + partition), status, record.timestamp(), record.headers()));
    }

    private void obey(ReferenceInput input, ModelCommand command) {
        Model model = input.model();
        String name = input.name();
        ConsumerRecord<byte[], byte[]> record = input.record();
        boolean isDrop = command.action() == ModelCommand.Action.SNAPSHOT
                && command.settings().containsKey("drop")
                && models.containsKey(name);
        if (input.isNew() && command.action() != ModelCommand.Action.CONFIGURE && !isDrop) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, null);
        }
        if (input.isNew() && isDrop) {
            model.startWith(Settings.DEFAULTS);
        } else {
            requireRoom(name);
        }
        try {
            switch (command.action()) {
                case CONFIGURE -> model.configure(command.settings());
                case FREEZE -> model.freeze(true);
                case THAW -> model.freeze(false);
                case SNAPSHOT -> {
                    if (command.settings().isEmpty()) {
                        publish(record, name, model, encoder.weightsSnapshot(model, origin(record)));
                    } else {
                        version(record, name, model, command.settings());
                    }
                }
                case DEFAULTS, FENCE -> throw new RejectedException(RejectReason.INVALID_COMMAND, null);
                case TICK -> {}
                case CHALLENGE -> model.challenge(command.settings());
                case WITHDRAW -> model.withdraw(command.settings());
                case PROMOTE -> model.promote(command.settings());
                case RESET -> {
                    model.reset(Map.of());
                    imports.forget(name);
                }
                case DELETE -> {
                    model.delete();
                    labels.forget(name);
                    imports.forget(name);
                    publish(record, name, model, List.of());
                }
            }
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        keep(name, model);
        sendWindows(record, model);
        input.countRerouted();
        sendStatus(
                record,
                model,
                CAUSES.getOrDefault(command.action().name(), command.action().name()));
    }

    private void gather(ReferenceInput input, WeightsChunk chunk) {
        Model model = input.model();
        String name = input.name();
        ConsumerRecord<byte[], byte[]> record = input.record();
        Model imported = imports.gather(name, record.value(), chunk);
        if (imported == null) {
            return;
        }
        Header header = record.headers().lastHeader("perceptron-import-as");
        String purpose = header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
        boolean isComparator = purpose.equals("comparator");
        boolean isChallenger = purpose.startsWith("challenger ");
        if (isComparator) {
            compare(name, model, imported);
        } else if (isChallenger) {
            challenge(name, model, imported, purpose.substring("challenger ".length()));
        } else {
            if (purpose.startsWith("model@")) {
                boolean isThere = models.containsKey(name) && model.state() != ModelState.DELETED;
                catchUp.learn(record, isThere ? model : null, imported, Long.parseLong(purpose.substring(6)));
                replaced++;
            }
            requireRoom(name);
            model.replaceWith(imported);
        }
        keep(name, model);
        imports.count();
        if (!isComparator && !isChallenger) {
            sendWindows(record, model);
        }
        input.countRerouted();
        sendStatus(record, model, isComparator ? "COMPARATOR" : isChallenger ? "CHALLENGED" : "IMPORT");
    }

    private void challenge(String name, Model model, Model imported, String options) {
        if (!models.containsKey(name) || model.state() == ModelState.DELETED) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, null);
        }
        try {
            model.challenge(
                    Arrays.stream(options.split(" "))
                            .map(each -> each.split("="))
                            .collect(Collectors.toMap(each -> each[0], each -> each[1])),
                    imported);
            challenged++;
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, null);
        }
    }

    /** Number of imports for which the examples that they lacked were learned. */
    int replaced() {
        return replaced;
    }

    /** Number of challengers with imported weights. */
    int challenged() {
        return challenged;
    }

    private void compare(String name, Model model, Model imported) {
        if (!models.containsKey(name) || model.state() == ModelState.DELETED) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, null);
        }
        try {
            ReferenceImports.compare(model, imported);
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, null);
        }
    }

    /** Publishes or removes a named snapshot. */
    private void version(ConsumerRecord<byte[], byte[]> record, String name, Model model, Map<String, String> command) {
        String version = command.get("name");
        Versions versions = model.publications().versions();
        List<Versions.Version> others = versions.all().stream()
                .filter(each -> !each.name().equals(version))
                .toList();
        boolean isThere = others.size() < versions.all().size();
        List<byte[]> chunks;
        if (command.containsKey("drop")) {
            if (!isThere) {
                throw new RejectedException(RejectReason.INVALID_COMMAND, null);
            }
            chunks = Collections.nCopies(versions.find(version).chunks(), null);
            model.publications().setVersions(new Versions(others));
        } else {
            if (isThere || others.size() == 100 || model.state() == ModelState.QUARANTINED) {
                throw new RejectedException(RejectReason.INVALID_COMMAND, null);
            }
            chunks = new ArrayList<>();
            encoder.weightsSnapshot(model, origin(record), true, (chunk, number) -> chunks.add(chunk));
            List<Versions.Version> longer = new ArrayList<>(others);
            longer.add(new Versions.Version(
                    version, model.current().epoch(), model.current().version(), record.offset(), chunks.size()));
            model.publications().setVersions(new Versions(longer));
            named++;
        }
        for (int chunk = 0; chunk < chunks.size(); chunk++) {
            byte[] key = utf8(name + "@" + version + (chunk == 0 ? "" : "/" + chunk));
            outputs.send(Topic.WEIGHTS, new SentRecord(key, chunks.get(chunk), record.timestamp(), record.headers()));
        }
    }

    /** Number of named snapshots that were published. */
    int named() {
        return named;
    }

    /** Chunks, and tombstones for those of the last snapshot that there are no more. */
    void publish(ConsumerRecord<byte[], byte[]> record, String name, Model model, List<byte[]> chunks) {
        for (int chunk = 0; chunk < Math.max(chunks.size(), model.publications().chunks()); chunk++) {
            byte[] key = utf8(chunk == 0 ? name : name + "/" + chunk);
            byte[] value = chunk < chunks.size() ? chunks.get(chunk) : null;
            outputs.send(Topic.WEIGHTS, new SentRecord(key, value, record.timestamp(), record.headers()));
        }
        model.publications().markSnapshot(chunks.size());
        largestSnapshot = Math.max(
                largestSnapshot,
                chunks.stream().mapToLong(chunk -> chunk.length).sum());
    }

    /** The status of a model as of its last record. */
    SentRecord idleStatus(ConsumerRecord<byte[], byte[]> record) {
        String name = new String(record.key(), StandardCharsets.ISO_8859_1);
        byte[] value = encoder.modelStatus(models.get(name), StatusCause.IDLE, origin(record));
        return new SentRecord(record.key(), value, changedAt.get(name), new RecordHeaders());
    }

    void sendStatus(ConsumerRecord<byte[], byte[]> record, Model model, String cause) {
        send(record, Topic.MODELS, encoder.modelStatus(model, StatusCause.valueOf(cause), origin(record)));
        model.publications().markStatus();
    }

    Observed observed() {
        return observed;
    }

    private Model newModel() {
        Model model = Model.absent();
        model.listen(observed);
        return model;
    }

    /** Sends the closed windows; returns true if a status is due: the time of one is over, or there are challengers. */
    boolean sendWindows(ConsumerRecord<byte[], byte[]> record, Model model) {
        boolean isOver = false;
        for (Observed.Window next = observed.takeWindow(); next != null; next = observed.takeWindow()) {
            send(record, Topic.COUNTS, encoder.mistakeCount(next.window(), model));
            isOver |= !next.isFull() || !model.challengers().all().isEmpty();
            if (next.isFull()) {
                Counts counts = next.window().counts();
                assertThat(Math.max(counts.examples(), counts.labelled()))
                        .isGreaterThanOrEqualTo(ReferenceOutputs.enough(model));
            }
        }
        return isOver;
    }

    void send(ConsumerRecord<byte[], byte[]> record, Topic topic, byte[] value) {
        outputs.send(topic, new SentRecord(record.key(), value, record.timestamp(), record.headers()));
    }

    static EventEncoder.Origin origin(ConsumerRecord<byte[], byte[]> record) {
        return new EventEncoder.Origin(record.partition(), record.offset());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
