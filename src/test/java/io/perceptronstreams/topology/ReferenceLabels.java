package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.LabelSettings;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Adaptation;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LabelEvent;
import io.perceptronstreams.model.LateState;
import io.perceptronstreams.model.Lateness;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingExample;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Examples and labels of {@link ReferenceEngine}, in any order: all that waits is in plain maps. */
final class ReferenceLabels {
    /** Something that waits: an example if {@code then} is not null, otherwise a label. */
    private record Waiting(ConsumerRecord<byte[], byte[]> record, String id, long due, PendingExample then) {}

    private record Id(String id, long number, boolean isLabelled) {}

    private static final class State {
        long time = -1;
        final Map<String, Waiting> examples = new HashMap<>();
        final Map<String, Waiting> labels = new HashMap<>();
        final List<Id> ids = new ArrayList<>();
        long nextId;
        final List<Long> delays = new ArrayList<>();

        Stream<Waiting> dueList() {
            return Stream.concat(examples.values().stream(), labels.values().stream())
                    .sorted(Comparator.comparingLong(Waiting::due)
                            .thenComparing(each -> each.record().offset()));
        }

        Waiting first() {
            return dueList().findFirst().filter(each -> time > each.due()).orElse(null);
        }

        /** Counts up to 1, 3, 10, 30, … ms and above 3e9 ms, without zeros at the end. */
        List<Long> histogram() {
            List<Long> counts = new ArrayList<>(Collections.nCopies(21, 0L));
            for (long delay : delays) {
                int bucket = 0;
                for (double limit = 1; bucket < 20 && delay > Math.floor(limit); bucket++) {
                    limit = bucket % 2 == 0 ? limit * 3 : limit / 3 * 10;
                }
                counts.set(bucket, counts.get(bucket) + 1);
            }
            while (!counts.isEmpty() && counts.get(counts.size() - 1) == 0) {
                counts.remove(counts.size() - 1);
            }
            return counts;
        }

        /** The last one of this id. */
        int find(String id) {
            int place = ids.size() - 1;
            while (place >= 0 && !ids.get(place).id().equals(id)) {
                place--;
            }
            return place;
        }
    }

    private final Map<String, State> states = new TreeMap<>();
    private final Map<String, Integer> cases = new TreeMap<>();
    private final ReferenceEngine engine;
    private final InputDecoder decoder;
    private final EventEncoder encoder;
    private boolean isWindowClosed;
    private int advised;

    ReferenceLabels(ReferenceEngine engine, InputDecoder decoder, EventEncoder encoder) {
        this.engine = engine;
        this.decoder = decoder;
        this.encoder = encoder;
    }

    int advised() {
        return advised;
    }

    Map<String, Integer> cases() {
        return cases;
    }

    void forget(String name) {
        states.remove(name);
    }

    private static boolean isOn(Model model) {
        return model.settings().late().awaitLabelsMs() > 0
                || model.settings().late().dedupeLast() > 0;
    }

    private void begin(ConsumerRecord<byte[], byte[]> record, String name, Model model) {
        isWindowClosed = false;
        State state = states.computeIfAbsent(name, any -> new State());
        boolean isChanged = record.timestamp() > state.time;
        state.time = Math.max(state.time, record.timestamp());
        for (int count = 0; count < 1000; count++) {
            Waiting due = state.first();
            if (due == null) {
                break;
            }
            isChanged = true;
            if (due.then() == null) {
                state.labels.remove(due.id());
                refuse(due, new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null));
                continue;
            }
            state.examples.remove(due.id());
            show(name, model);
            if (!learnDefault(record, name, model, due)) {
                count("unlabelled");
                model.count(Counter.UNLABELLED, due.due());
                sendWindow(record, model);
            }
        }
        show(name, model);
        if (isChanged) {
            engine.keep(name, model);
        }
    }

    private void refuse(Waiting label, RejectedException why) {
        count("waiting label " + why.reason());
        engine.refuse(label.record(), why);
    }

    private boolean learnDefault(ConsumerRecord<byte[], byte[]> record, String name, Model model, Waiting due) {
        String text = model.settings().late().labelDefault();
        if (text.isEmpty() || model.state() == ModelState.QUARANTINED) {
            return false;
        }
        Example example = decode(due.record().value(), due.id(), model);
        example.setLabel(
                text.matches("-?[1-9][0-9]{0,8}|0") ? Label.of(Integer.parseInt(text)) : new Label.ClassName(text));
        Outcome outcome;
        try {
            outcome = learnLate(record, name, model, example, due.then(), due.due());
        } catch (RejectedException e) {
            return false;
        }
        count("defaulted");
        model.count(Counter.DEFAULTED, due.due());
        sendLate(
                record,
                name,
                model,
                example,
                outcome,
                new Lateness(due.then().version(), due.due() - due.then().time()));
        adapt(record, model);
        return true;
    }

    private Outcome learnLate(
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            Example example,
            PendingExample then,
            long time) {
        boolean wasQuarantined = model.state() == ModelState.QUARANTINED;
        try {
            return model.learnLate(example, time, then);
        } catch (RejectedException e) {
            quarantine(record, name, model, wasQuarantined, e);
            throw e;
        }
    }

    private void quarantine(
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            boolean wasQuarantined,
            RejectedException why) {
        if (model.state() == ModelState.QUARANTINED && !wasQuarantined) {
            engine.keep(name, model);
            show(name, model);
            engine.send(
                    record,
                    Topic.ALERTS,
                    encoder.quarantineAlert(model, why.getMessage(), ReferenceEngine.origin(record)));
            sendStatus(record, model, "QUARANTINED");
        }
    }

    private Example decode(byte[] value, String id, Model model) {
        Example example = new Example();
        FeatureHasher hasher = model.hasher();
        decoder.decode(value, hasher, example);
        example.id().set(id);
        return example;
    }

    private void sendLate(
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            Example example,
            Outcome outcome,
            Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            engine.send(record, Topic.MISTAKES, encoder.mistake(example, outcome, model, lateness));
        }
        sendWindow(record, model);
        sendLearned(record, name, model);
    }

    private void sendWindow(ConsumerRecord<byte[], byte[]> record, Model model) {
        CountingWindow.Closed window = model.window().pollClosed();
        if (window != null) {
            engine.send(
                    record,
                    Topic.COUNTS,
                    encoder.mistakeCount(window, model.late().pending()));
            isWindowClosed = true;
        }
    }

    private void sendLearned(ConsumerRecord<byte[], byte[]> record, String name, Model model) {
        if (model.isSnapshotDue()) {
            engine.publish(record, name, model, encoder.weightsSnapshot(model, ReferenceEngine.origin(record)));
        }
        for (Advice advice : model.advisor().poll()) {
            advised++;
            engine.send(record, Topic.ALERTS, encoder.adviceAlert(model, name, advice, ReferenceEngine.origin(record)));
        }
    }

    private void adapt(ConsumerRecord<byte[], byte[]> record, Model model) {
        if (model.drift().alarm() != null) {
            engine.send(record, Topic.ALERTS, encoder.driftAlert(model, ReferenceEngine.origin(record)));
        }
        Adaptation adaptation = model.adapt();
        if (adaptation != Adaptation.NONE) {
            sendWindow(record, model);
            sendStatus(record, model, adaptation.name());
        }
    }

    private void sendProgress(ConsumerRecord<byte[], byte[]> record, Model model) {
        if (isWindowClosed || record.timestamp() - model.publications().statusTime() >= 1000) {
            sendStatus(record, model, isWindowClosed ? "WINDOW" : "TIME");
        }
    }

    private void sendStatus(ConsumerRecord<byte[], byte[]> record, Model model, String cause) {
        engine.sendStatus(record, model, cause);
        isWindowClosed = false;
    }

    /** Executes a command after what is due. */
    void command(ConsumerRecord<byte[], byte[]> record, String name, Model model, boolean isNew, Runnable command) {
        if (isNew || (!isOn(model) && !states.containsKey(name))) {
            command.run();
            return;
        }
        begin(record, name, model);
        try {
            command.run();
        } catch (RejectedException e) {
            sendProgress(record, model);
            throw e;
        }
    }

    void example(
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            Example example,
            boolean isRerouted,
            boolean isNew) {
        isWindowClosed = false;
        if (example.id().length() == 0) {
            example.id().set(record.partition() + "@" + record.offset());
        }
        if (!isOn(model) && !states.containsKey(name)) {
            use(record, name, model, example, isRerouted);
            adapt(record, model);
            return;
        }
        if (!isNew) {
            begin(record, name, model);
        }
        try {
            exampleNow(record, name, model, example, isRerouted);
        } catch (RejectedException e) {
            if (!isNew) {
                sendProgress(record, model);
            }
            throw e;
        }
    }

    private void exampleNow(
            ConsumerRecord<byte[], byte[]> record, String name, Model model, Example example, boolean isRerouted) {
        State state = states.getOrDefault(name, new State());
        LabelSettings settings = model.settings().late();
        String id = example.id().toString();
        if (state.examples.containsKey(id) || (settings.dedupeLast() > 0 && state.find(id) >= 0)) {
            count("duplicate example");
            model.count(Counter.DUPLICATES, record.timestamp());
            engine.keep(name, model);
            reroute(model, isRerouted);
            sendWindow(record, model);
            throw new RejectedException(RejectReason.DUPLICATE_EXAMPLE, null);
        }
        Waiting early = state.labels.get(id);
        if (early == null && example.label() == null && settings.awaitLabelsMs() > 0) {
            requireRoom(state, settings);
        }
        long version = model.version();
        Example used = example;
        RejectedException refused = null;
        if (early != null && example.label() != null) {
            refused = new RejectedException(RejectReason.DUPLICATE_LABEL, null);
            use(record, name, model, example, isRerouted);
        } else if (early != null) {
            decoder.decode(early.record().value(), model.hasher(), new Example());
            example.setLabel(decoder.label().label());
            example.setWeight(example.weight() * decoder.label().weight());
            try {
                use(record, name, model, example, isRerouted);
                count("early label");
            } catch (RejectedException e) {
                if (model.state() == ModelState.QUARANTINED) {
                    throw e;
                }
                refused = e;
                used = decode(record.value(), id, model);
                use(record, name, model, used, isRerouted);
            }
        } else {
            use(record, name, model, example, isRerouted);
        }
        states.put(name, state);
        state.time = Math.max(state.time, record.timestamp());
        state.labels.remove(id);
        if (used.label() == null && settings.awaitLabelsMs() > 0) {
            PendingExample then = PendingExample.of(
                    model,
                    used,
                    record.value(),
                    new InputRecord(record.key(), record.offset(), record.timestamp(), 0, false),
                    version);
            state.examples.put(id, new Waiting(record, id, record.timestamp() + settings.awaitLabelsMs(), then));
        }
        int limit = settings.dedupeLast() > 0 ? settings.dedupeLast() : settings.awaitLabelsMs() > 0 ? 10_000 : 0;
        if (limit > 0) {
            state.ids.add(new Id(id, state.nextId++, used.label() != null));
        }
        while (state.ids.size() > limit) {
            state.ids.remove(0);
        }
        if (refused != null) {
            refuse(early, refused);
        }
        show(name, model);
        adapt(record, model);
    }

    private static void requireRoom(State state, LabelSettings settings) {
        if (state.examples.size() + state.labels.size() >= settings.awaitLabelsMax()) {
            throw new RejectedException(RejectReason.PENDING_FULL, null);
        }
    }

    private static void reroute(Model model, boolean isRerouted) {
        if (isRerouted) {
            model.countRerouted();
        }
    }

    private void use(
            ConsumerRecord<byte[], byte[]> record, String name, Model model, Example example, boolean isRerouted) {
        long version = model.version();
        boolean wasQuarantined = model.state() == ModelState.QUARANTINED;
        Outcome outcome;
        try {
            outcome = model.process(example, record.timestamp());
        } catch (RejectedException e) {
            quarantine(record, name, model, wasQuarantined, e);
            throw e;
        }
        engine.keep(name, model);
        reroute(model, isRerouted);
        long seen = model.totals().examples();
        engine.send(record, Topic.PREDICTIONS, encoder.prediction(example, outcome, version, seen));
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            engine.send(record, Topic.MISTAKES, encoder.mistake(example, outcome, model, null));
        }
        sendWindow(record, model);
        if (seen == 1) {
            sendStatus(record, model, "FIRST_EXAMPLE");
        } else {
            sendProgress(record, model);
        }
        sendLearned(record, name, model);
    }

    void label(
            ConsumerRecord<byte[], byte[]> record,
            String name,
            Model model,
            LabelEvent label,
            boolean isRerouted,
            boolean isNew) {
        if (isNew) {
            throw new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null);
        }
        if (!isOn(model) && !states.containsKey(name)) {
            throw new RejectedException(RejectReason.LATE_LABEL, null);
        }
        begin(record, name, model);
        try {
            labelNow(record, name, model, label, isRerouted);
        } catch (RejectedException e) {
            count("label " + e.reason());
            sendProgress(record, model);
            throw e;
        }
    }

    private void labelNow(
            ConsumerRecord<byte[], byte[]> record, String name, Model model, LabelEvent label, boolean isRerouted) {
        State state = states.get(name);
        String id = label.id().toString();
        Waiting waiting = state.examples.get(id);
        int place = state.find(id);
        if (waiting == null) {
            await(record, model, state, id, place);
            engine.keep(name, model);
            reroute(model, isRerouted);
            show(name, model);
            sendProgress(record, model);
            return;
        }
        Example example = decode(waiting.record().value(), id, model);
        example.setLabel(label.label());
        example.setWeight(example.weight() * label.weight());
        Outcome outcome = learnLate(record, name, model, example, waiting.then(), record.timestamp());
        count("late");
        state.examples.remove(id);
        state.delays.add(record.timestamp() - waiting.record().timestamp());
        if (place >= 0) {
            state.ids.set(place, new Id(id, state.ids.get(place).number(), true));
        }
        model.count(Counter.LATE, record.timestamp());
        engine.keep(name, model);
        reroute(model, isRerouted);
        show(name, model);
        sendLate(
                record,
                name,
                model,
                example,
                outcome,
                new Lateness(
                        waiting.then().version(),
                        record.timestamp() - waiting.record().timestamp()));
        sendProgress(record, model);
        adapt(record, model);
    }

    private void await(ConsumerRecord<byte[], byte[]> record, Model model, State state, String id, int place) {
        LabelSettings settings = model.settings().late();
        if (settings.awaitLabelsMs() == 0) {
            throw new RejectedException(RejectReason.LATE_LABEL, null);
        }
        if (state.labels.containsKey(id) || (place >= 0 && state.ids.get(place).isLabelled())) {
            throw new RejectedException(RejectReason.DUPLICATE_LABEL, null);
        }
        if (place >= 0) {
            throw new RejectedException(RejectReason.LABEL_TOO_LATE, null);
        }
        if (settings.awaitExamplesMs() == 0) {
            throw new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null);
        }
        requireRoom(state, settings);
        ConsumerRecord<byte[], byte[]> bare = new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                0,
                0,
                record.key(),
                record.value(),
                new RecordHeaders(),
                record.leaderEpoch());
        state.labels.put(id, new Waiting(bare, id, record.timestamp() + settings.awaitExamplesMs(), null));
    }

    /** Lets statuses and stored headers show what waits. */
    private void show(String name, Model model) {
        State state = states.get(name);
        if (state != null) {
            model.late()
                    .restore(new LateState(
                            state.time,
                            state.examples.size(),
                            state.labels.size(),
                            state.nextId - state.ids.size(),
                            state.nextId,
                            state.histogram(),
                            state.dueList().map(Waiting::due).findFirst().orElse(LateState.NO_TIME),
                            state.dueList()
                                    .limit(1000)
                                    .filter(each -> each.then() != null)
                                    .map(each -> each.record().timestamp())
                                    .findFirst()
                                    .orElse(LateState.NO_TIME)));
        }
    }

    private void count(String what) {
        cases.merge(what, 1, Integer::sum);
    }

    /** Everything that must be stored. */
    Set<String> waiting() {
        Set<String> all = new TreeSet<>();
        states.forEach((name, state) -> {
            for (Id id : state.ids) {
                all.add(name + " id " + id.number() + " " + (hash(id.id()) | (id.isLabelled() ? 1 : 0)));
            }
            state.labels.forEach((id, each) -> {
                all.add(name + " label " + id + " " + text(each));
                all.add(name + " due " + each.due() + " " + each.record().offset() + " true " + id);
            });
            state.examples.forEach((id, each) -> {
                PendingExample then = each.then();
                all.add(name + " example " + id + " " + text(each) + " " + then.epoch() + " " + then.version() + " "
                        + then.emitted() + " " + then.shadowEpoch() + " " + then.shadowEmitted());
                all.add(name + " due " + each.due() + " " + each.record().offset() + " false " + id);
            });
        });
        return all;
    }

    private static String text(Waiting each) {
        return each.record().offset() + " " + each.record().timestamp() + " " + each.due() + " "
                + Arrays.hashCode(each.record().value());
    }

    /** FNV-1a with the last steps of MurmurHash3, without its lowest bit. */
    private static long hash(String id) {
        long hash = Long.parseUnsignedLong("14695981039346656037");
        for (byte each : id.getBytes(StandardCharsets.UTF_8)) {
            hash ^= each & 0xff;
            hash *= 1_099_511_628_211L;
        }
        hash ^= hash >>> 33;
        hash *= 0xff51afd7ed558ccdL;
        hash ^= hash >>> 33;
        hash *= 0xc4ceb9fe1a85ec53L;
        hash ^= hash >>> 33;
        return hash & ~1L;
    }
}
