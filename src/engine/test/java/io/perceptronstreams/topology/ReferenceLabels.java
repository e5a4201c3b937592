package io.perceptronstreams.topology;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.topology.ReferencePending.Pending;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Examples and labels of {@link ReferenceEngine}, in any order. */
final class ReferenceLabels {
    private final Map<String, ReferencePending> states = new TreeMap<>();

    // by model, how many of its name have waited for something and are deleted
    private final Map<String, Long> generations = new HashMap<>();
    private final Map<String, Integer> cases = new TreeMap<>();
    private final ReferenceEngine engine;
    private final InputDecoder decoder;
    private final ReferenceOutputs outputs;
    // by the current record, all its examples together
    private int resolved;

    ReferenceLabels(ReferenceEngine engine, InputDecoder decoder, EventEncoder encoder) {
        this.engine = engine;
        this.decoder = decoder;
        this.outputs = new ReferenceOutputs(engine, encoder);
    }

    int advised() {
        return outputs.advised();
    }

    Map<String, Integer> cases() {
        return cases;
    }

    /** Before the first event of a record, and before its first example. */
    void beginRecord() {
        resolved = 0;
    }

    void forget(String name) {
        if (states.remove(name) != null) {
            generations.merge(name, 1L, Long::sum);
        }
    }

    /** Everything that must be stored. */
    Set<String> waiting() {
        Set<String> all = new TreeSet<>();
        states.forEach((name, state) -> state.describe(name, all));
        return all;
    }

    /** Whether nothing of the model waits, or ever will. */
    private boolean isOff(ReferenceInput input) {
        Settings settings = input.model().pipeline().settings();
        return settings.get(Settings.AWAIT_LABELS_MS) == 0
                && settings.get(Settings.DEDUPE_LAST) == 0
                && !states.containsKey(input.name());
    }

    private void begin(ReferenceInput input) {
        begin(input, input.timestamp());
    }

    /** Resolves what is due at a time of the model, or earlier than it is already. */
    private void begin(ReferenceInput input, long time) {
        outputs.begin();
        ReferencePending state = states.computeIfAbsent(input.name(), any -> new ReferencePending());
        boolean isChanged = state.moveTo(time);
        for (; resolved < 1000; resolved++) {
            Pending due = state.first();
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
            show(input);
            if (!learnDefault(input, due)) {
                count("unlabelled");
                if (due.then().hasProbability()) {
                    input.model()
                            .estimates()
                            .lost(due.then().offset(), due.then().forecast().millionths());
                }
                input.model().counts().add(Counter.UNLABELLED, due.due(), engine.observed());
                outputs.window(input);
            }
        }
        show(input);
        if (isChanged) {
            engine.keep(input.name(), input.model());
        }
    }

    private void refuse(Pending label, RejectedException why) {
        count("waiting label " + why.reason());
        engine.refuse(label.record(), why);
    }

    private boolean learnDefault(ReferenceInput input, Pending due) {
        Model model = input.model();
        String text = model.pipeline().settings().get(Settings.LABEL_DEFAULT);
        if (text.isEmpty() || model.state() == ModelState.QUARANTINED) {
            return false;
        }
        Example example = decode(due.record().value(), due.id(), model);
        example.setLabel(
                text.matches("-?[1-9][0-9]{0,8}|0") ? Label.of(Integer.parseInt(text)) : new Label.ClassName(text));
        Outcome outcome;
        try {
            outcome = learnLate(input, example, due.then(), Counter.DEFAULTED, due.due());
        } catch (RejectedException e) {
            return false;
        }
        count("defaulted");
        estimated(input, due, outcome);
        sendLate(input, example, outcome, due, due.due());
        outputs.adapt(input);
        return true;
    }

    private static void estimated(ReferenceInput input, Pending label, Outcome outcome) {
        Waiting then = label.then();
        if (then.hasProbability()) {
            input.model().estimates().labelled(then.offset(), then.forecast().millionths(), outcome.isError());
        }
    }

    private Outcome learnLate(ReferenceInput input, Example example, Waiting then, Counter way, long time) {
        boolean wasQuarantined = input.model().state() == ModelState.QUARANTINED;
        try {
            return input.model().use(example, time, then, way);
        } catch (RejectedException e) {
            quarantine(input, wasQuarantined, e);
            throw e;
        }
    }

    private void quarantine(ReferenceInput input, boolean wasQuarantined, RejectedException why) {
        if (input.model().state() == ModelState.QUARANTINED && !wasQuarantined) {
            engine.keep(input.name(), input.model());
            show(input);
            outputs.quarantine(input, why);
        }
    }

    private Example decode(byte[] value, String id, Model model) {
        Example example = new Example();
        if (decoder.decode(value, model.pipeline().hasher(), example) == InputDecoder.Kind.EXAMPLES) {
            decoder.examples().decode(0, model.pipeline().hasher(), example);
        }
        example.id().set(id);
        return example;
    }

    private void sendLate(ReferenceInput input, Example example, Outcome outcome, Pending waited, long time) {
        Lateness lateness =
                new Lateness(waited.then().version(), time - waited.record().timestamp());
        outputs.mistake(input, example, outcome, lateness);
        outputs.window(input);
        outputs.learned(input, outcome);
    }

    /** Executes a command after what is due. */
    void command(ReferenceInput input, boolean isTick, Runnable command) {
        if (input.isNew() || isOff(input)) {
            command.run();
            return;
        }
        begin(input, isTick ? input.timestamp() : Long.MIN_VALUE);
        try {
            command.run();
        } catch (RejectedException e) {
            outputs.progress(input);
            throw e;
        }
    }

    void example(ReferenceInput input, Example example) {
        outputs.begin();
        if (example.id().length() == 0) {
            example.id().set(input.place());
        }
        if (isOff(input)) {
            use(input, example);
            outputs.adapt(input);
            return;
        }
        if (!input.isNew()) {
            begin(input);
        }
        try {
            exampleNow(input, example);
        } catch (RejectedException e) {
            if (!input.isNew()) {
                outputs.progress(input);
            }
            throw e;
        }
    }

    private void exampleNow(ReferenceInput input, Example example) {
        Model model = input.model();
        ReferencePending state = states.getOrDefault(input.name(), new ReferencePending());
        Settings settings = model.pipeline().settings();
        String id = example.id().toString();
        if (state.examples.containsKey(id) || (settings.get(Settings.DEDUPE_LAST) > 0 && state.hasSeen(id))) {
            count("duplicate example");
            model.counts().add(Counter.DUPLICATES, input.timestamp(), engine.observed());
            ReferenceOutputs.seen(input);
            engine.keep(input.name(), model);
            input.countRerouted();
            outputs.window(input);
            throw new RejectedException(RejectReason.DUPLICATE_EXAMPLE, null);
        }
        Pending early = state.labels.get(id);
        if (early == null && example.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            state.requireRoom(settings);
        }
        long version = model.current().version();
        Example used = example;
        RejectedException refused = null;
        if (early != null && example.label() != null) {
            refused = new RejectedException(RejectReason.DUPLICATE_LABEL, null);
            use(input, example);
        } else if (early != null) {
            decoder.decode(early.record().value(), model.pipeline().hasher(), new Example());
            example.setLabel(decoder.label().label());
            example.setWeight(example.weight() * decoder.label().weight());
            try {
                use(input, example);
                count("early label");
            } catch (RejectedException e) {
                if (model.state() == ModelState.QUARANTINED) {
                    throw e;
                }
                refused = e;
                used = decode(input.record().value(), id, model);
                use(input, used);
            }
        } else {
            use(input, example);
        }
        states.put(input.name(), state);
        state.moveTo(input.timestamp());
        state.labels.remove(id);
        if (used.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            awaitLabel(input, state, used, version);
        }
        state.add(id, used.label() != null, settings);
        if (refused != null) {
            refuse(early, refused);
        }
        show(input);
        outputs.adapt(input);
    }

    private void awaitLabel(ReferenceInput input, ReferencePending state, Example example, long version) {
        ConsumerRecord<byte[], byte[]> record = input.record();
        Model model = input.model();
        Waiting then = model.current()
                .waiting(
                        example,
                        record.value(),
                        new InputRecord(record.key(), record.offset(), record.timestamp(), 0, false, input.part()),
                        version,
                        model.emittedByChallengers());
        long due = record.timestamp() + input.model().pipeline().settings().get(Settings.AWAIT_LABELS_MS);
        String id = example.id().toString();
        state.examples.put(id, new Pending(record, input.part(), id, due, then));
        if (then.hasProbability()) {
            double tolerance = model.pipeline().settings().get(Settings.ESTIMATE_ALERT);
            outputs.estimate(
                    input,
                    model.estimates()
                            .predicted(
                                    then.offset(),
                                    then.time(),
                                    then.forecast().millionths(),
                                    model.counts().totals().labelled(),
                                    tolerance));
        }
    }

    private void use(ReferenceInput input, Example example) {
        Model model = input.model();
        long version = model.current().version();
        boolean wasQuarantined = model.state() == ModelState.QUARANTINED;
        Outcome outcome;
        try {
            outcome = model.use(example, input.timestamp(), null, null);
        } catch (RejectedException e) {
            quarantine(input, wasQuarantined, e);
            throw e;
        }
        engine.keep(input.name(), model);
        ReferenceOutputs.seen(input);
        input.countRerouted();
        outputs.prediction(input, example, outcome, version);
        outputs.mistake(input, example, outcome, null);
        outputs.window(input);
        if (model.counts().totals().examples() == 1) {
            outputs.status(input, "FIRST_EXAMPLE");
        } else {
            outputs.progress(input);
        }
        outputs.learned(input, outcome);
    }

    /** After the last of several examples of a record. */
    void endExamples(ConsumerRecord<byte[], byte[]> record) {
        outputs.predictions(record);
    }

    void label(ReferenceInput input, LabelEvent label) {
        if (input.isNew()) {
            throw new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null);
        }
        if (isOff(input)) {
            throw new RejectedException(RejectReason.LATE_LABEL, null);
        }
        begin(input);
        try {
            labelNow(input, label);
        } catch (RejectedException e) {
            count("label " + e.reason());
            outputs.progress(input);
            throw e;
        }
    }

    private void labelNow(ReferenceInput input, LabelEvent label) {
        ReferencePending state = states.get(input.name());
        String id = label.id().toString();
        Pending waiting = state.examples.get(id);
        if (waiting == null) {
            awaitExample(input, state, id);
            keep(input);
            outputs.progress(input);
            return;
        }
        Example example = decode(waiting.record().value(), id, input.model());
        example.setLabel(label.label());
        example.setWeight(example.weight() * label.weight());
        Outcome outcome = learnLate(input, example, waiting.then(), Counter.LATE, input.timestamp());
        count("late");
        estimated(input, waiting, outcome);
        state.examples.remove(id);
        state.addDelay(input.timestamp() - waiting.record().timestamp());
        state.markLabelled(id);
        keep(input);
        sendLate(input, example, outcome, waiting, input.timestamp());
        outputs.progress(input);
        outputs.adapt(input);
    }

    private void keep(ReferenceInput input) {
        engine.keep(input.name(), input.model());
        ReferenceOutputs.seen(input);
        input.countRerouted();
        show(input);
    }

    private static void awaitExample(ReferenceInput input, ReferencePending state, String id) {
        Settings settings = input.model().pipeline().settings();
        if (settings.get(Settings.AWAIT_LABELS_MS) == 0) {
            throw new RejectedException(RejectReason.LATE_LABEL, null);
        }
        if (state.labels.containsKey(id) || state.isLabelled(id)) {
            throw new RejectedException(RejectReason.DUPLICATE_LABEL, null);
        }
        if (state.hasSeen(id)) {
            throw new RejectedException(RejectReason.LABEL_TOO_LATE, null);
        }
        if (settings.get(Settings.AWAIT_EXAMPLES_MS) == 0) {
            throw new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null);
        }
        state.requireRoom(settings);
        ConsumerRecord<byte[], byte[]> record = input.record();
        ConsumerRecord<byte[], byte[]> bare =
                ReferenceInput.at(record, record.timestamp(), record.key(), record.value());
        state.labels.put(
                id,
                new Pending(
                        bare, input.part(), id, record.timestamp() + settings.get(Settings.AWAIT_EXAMPLES_MS), null));
    }

    /** Lets statuses and stored headers show what waits. */
    private void show(ReferenceInput input) {
        ReferencePending state = states.get(input.name());
        if (state != null) {
            input.model().late().restore(state.lateState(generations.getOrDefault(input.name(), 0L)));
        }
    }

    private void count(String what) {
        cases.merge(what, 1, Integer::sum);
    }
}
