package io.perceptronstreams.topology;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Truth;
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
import java.util.List;
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
                && settings.get(Settings.CORRECTIONS_MS) == 0
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
        int ended = state.endCorrections(1000 - resolved);
        resolved += ended;
        isChanged |= ended > 0;
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
        long before = input.record().offset() - 1;
        settle(
                input,
                due.then(),
                example,
                outcome,
                new Truth(
                        null,
                        null,
                        true,
                        before,
                        before + 1,
                        Math.max(before, model.counts().since()),
                        0,
                        true,
                        true));
        show(input);
        sendLate(input, example, outcome, due, due.due(), null);
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

    private void sendLate(
            ReferenceInput input, Example example, Outcome outcome, Pending waited, long time, String source) {
        Lateness lateness =
                new Lateness(waited.then().version(), time - waited.record().timestamp(), source, null);
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
            var unused = use(input, example);
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
        Outcome outcome;
        RejectedException refused = null;
        boolean hasOwn = example.label() != null;
        String source = null;
        long from = input.record().offset();
        if (early != null && hasOwn) {
            outcome = use(input, example);
        } else if (early != null) {
            decoder.decode(early.record().value(), model.pipeline().hasher(), new Example());
            example.setLabel(decoder.label().label());
            example.setWeight(example.weight() * decoder.label().weight());
            source = decoder.label().source();
            from = early.record().offset();
            try {
                outcome = use(input, example);
                count("early label");
            } catch (RejectedException e) {
                if (model.state() == ModelState.QUARANTINED) {
                    throw e;
                }
                refused = e;
                used = decode(input.record().value(), id, model);
                outcome = use(input, used);
            }
        } else {
            outcome = use(input, example);
        }
        states.put(input.name(), state);
        state.moveTo(input.timestamp());
        state.labels.remove(id);
        state.settled.remove(id);
        if (used.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            awaitLabel(input, state, used, version);
        }
        state.add(id, used.label() != null, settings);
        if (used.label() != null && settings.hasSources()) {
            Waiting then = model.current().waiting(used, input.record().value(), place(input), version, List.of());
            long offset = input.record().offset();
            settle(input, then, used, outcome, new Truth(null, source, false, from, offset, offset, 0, true, false));
        }
        if (early != null && hasOwn) {
            refused = compareEarly(input, state, id, early);
        }
        if (refused != null) {
            refuse(early, refused);
        }
        show(input);
        outputs.adapt(input);
    }

    private void awaitLabel(ReferenceInput input, ReferencePending state, Example example, long version) {
        ConsumerRecord<byte[], byte[]> record = input.record();
        Model model = input.model();
        Waiting then = model.waiting(example, record.value(), place(input), version);
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

    private static InputRecord place(ReferenceInput input) {
        ConsumerRecord<byte[], byte[]> record = input.record();
        return new InputRecord(record.key(), record.offset(), record.timestamp(), 0, false, input.part());
    }

    /** Keeps an example with the label that it has had now. */
    private void settle(ReferenceInput input, Waiting then, Example example, Outcome emitted, Truth as) {
        Model model = input.model();
        Settings settings = model.pipeline().settings();
        boolean isAsked = as.isDefault() ? settings.correctionsMs() > 0 : settings.hasSources();
        if (!isAsked) {
            return;
        }
        Truth truth = new Truth(
                model.current().named(example.label()),
                as.source(),
                as.isDefault(),
                as.offset(),
                as.entered(),
                as.counted(),
                model.counts().totals().labelled(),
                model.state() == ModelState.LIVE
                        && (emitted.labelSet() == null || model.current().hasLearnedSet()),
                as.hasWaited());
        ReferencePending state = states.get(input.name());
        Waiting settled = then.with(
                truth,
                state.time() + settings.correctionsMs(),
                model.current().epoch(),
                new Waiting.Emitted(0, emitted.predicted(), Waiting.Forecast.of(emitted)),
                model.counted());
        if (settled.isKept()) {
            keepSettled(input, settled);
        }
    }

    private void keepSettled(ReferenceInput input, Waiting settled) {
        int left = states.get(input.name())
                .settle(settled, input.model().pipeline().settings().get(Settings.AWAIT_LABELS_MAX));
        for (int k = 0; k < left; k++) {
            count("left early");
            input.model().corrections().left();
        }
    }

    private RejectedException compareEarly(ReferenceInput input, ReferencePending state, String id, Pending early) {
        Waiting settled = state.settled.get(id);
        if (settled == null) {
            return new RejectedException(RejectReason.DUPLICATE_LABEL, null);
        }
        decoder.decode(early.record().value(), input.model().pipeline().hasher(), new Example());
        try {
            var unused = again(input, settled, decoder.label(), early.record().offset());
            return null;
        } catch (RejectedException e) {
            return e;
        }
    }

    private static int strength(Settings settings, String source) {
        List<String> names = settings.get(Settings.LABELS_SOURCES).names();
        return source != null && names.contains(source) ? 1 + names.size() - names.indexOf(source) : 1;
    }

    /** Another label of an example that has one; returns true if it takes the place of that one. */
    private boolean again(ReferenceInput input, Waiting settled, LabelEvent label, long offset) {
        Model model = input.model();
        if (model.state() == ModelState.QUARANTINED) {
            throw new RejectedException(RejectReason.MODEL_QUARANTINED, null);
        }
        Truth truth = settled.truth();
        Settings settings = model.pipeline().settings();
        int before = truth.isDefault() ? 0 : strength(settings, truth.source());
        int now = strength(settings, label.source());
        boolean isSame = model.current().isSame(truth.label(), label.label());
        if (before == now && (isSame || now == 1)) {
            throw new RejectedException(RejectReason.DUPLICATE_LABEL, null);
        }
        String id = settled.id().toString();
        Map<String, Waiting> all = states.get(input.name()).settled;
        boolean isCorrection = !isSame && now >= before;
        if (!isCorrection) {
            if (!isSame) {
                Example example = decode(settled.value(), settled.id().toString(), model);
                example.setLabel(label.label());
                var unused = model.current().evaluate(example);
            }
            count(isSame ? "agreed" : "weaker");
            if (now > before) {
                all.put(
                        id,
                        settled.with(truth.corrected(
                                truth.label(),
                                label.source(),
                                offset,
                                input.record().offset())));
            }
        } else {
            correct(input, settled, label, offset);
        }
        model.corrections().compare(truth, label.source(), isSame);
        return isCorrection;
    }

    private void correct(ReferenceInput input, Waiting settled, LabelEvent label, long offset) {
        Model model = input.model();
        Truth truth = settled.truth();
        String id = settled.id().toString();
        Example example = decode(settled.value(), id, model);
        example.setLabel(label.label());
        example.setWeight(example.weight() * label.weight());
        boolean wasQuarantined = model.state() == ModelState.QUARANTINED;
        Outcome outcome;
        try {
            outcome = model.correct(example, settled);
        } catch (RejectedException e) {
            quarantine(input, wasQuarantined, e);
            throw e;
        }
        count("corrected");
        Label named = model.current().named(label.label());
        states.get(input.name())
                .settled
                .put(
                        id,
                        settled.with(truth.corrected(
                                named, label.source(), offset, input.record().offset())));
        Lateness lateness = new Lateness(
                settled.version(),
                input.timestamp() - settled.time(),
                label.source(),
                new Lateness.Replaced(
                        truth.offset(), truth.label(), model.current().isWrong(settled.emitted(), truth.label())));
        outputs.mistake(input, example, outcome, lateness);
        outputs.learned(input, outcome);
    }

    private Outcome use(ReferenceInput input, Example example) {
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
        return outcome;
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
        Settings settings = input.model().pipeline().settings();
        if (label.source() != null
                && !settings.get(Settings.LABELS_SOURCES).isNone()
                && strength(settings, label.source()) == 1) {
            throw new RejectedException(RejectReason.INVALID_SOURCE, null);
        }
        Pending waiting = state.examples.get(id);
        Waiting settled = state.settled.get(id);
        if (waiting == null && settled != null && !state.labels.containsKey(id)) {
            boolean isCorrected = again(input, settled, label, input.record().offset());
            if (settled.truth().isDefault()) {
                state.addDelay(input.timestamp() - settled.time());
                state.markLabelled(id);
            }
            keep(input);
            outputs.progress(input);
            if (isCorrected) {
                // others change nothing of which a verdict could follow
                outputs.adapt(input);
            }
            return;
        }
        if (waiting == null) {
            awaitExample(input, state, label);
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
        long offset = input.record().offset();
        settle(
                input,
                waiting.then(),
                example,
                outcome,
                new Truth(null, label.source(), false, offset, offset, offset, 0, true, true));
        state.addDelay(input.timestamp() - waiting.record().timestamp());
        state.markLabelled(id);
        keep(input);
        sendLate(input, example, outcome, waiting, input.timestamp(), label.source());
        outputs.progress(input);
        outputs.adapt(input);
    }

    private void keep(ReferenceInput input) {
        engine.keep(input.name(), input.model());
        ReferenceOutputs.seen(input);
        input.countRerouted();
        show(input);
    }

    private void awaitExample(ReferenceInput input, ReferencePending state, LabelEvent label) {
        Settings settings = input.model().pipeline().settings();
        String id = label.id().toString();
        if (settings.get(Settings.AWAIT_LABELS_MS) == 0 && !(settings.hasSources() && state.isLabelled(id))) {
            throw new RejectedException(RejectReason.LATE_LABEL, null);
        }
        Pending earlier = state.labels.get(id);
        if (earlier != null) {
            if (!replaces(input, earlier, label)) {
                return;
            }
        } else if (state.isLabelled(id)) {
            throw new RejectedException(
                    settings.hasSources() ? RejectReason.LABEL_TOO_LATE : RejectReason.DUPLICATE_LABEL, null);
        } else if (state.hasSeen(id)) {
            throw new RejectedException(RejectReason.LABEL_TOO_LATE, null);
        } else if (settings.get(Settings.AWAIT_EXAMPLES_MS) == 0) {
            throw new RejectedException(RejectReason.LABEL_WITHOUT_EXAMPLE, null);
        } else {
            state.requireRoom(settings);
        }
        ConsumerRecord<byte[], byte[]> record = input.record();
        ConsumerRecord<byte[], byte[]> bare =
                ReferenceInput.at(record, record.timestamp(), record.key(), record.value());
        state.labels.put(
                id,
                new Pending(
                        bare, input.part(), id, record.timestamp() + settings.get(Settings.AWAIT_EXAMPLES_MS), null));
    }

    private boolean replaces(ReferenceInput input, Pending earlier, LabelEvent label) {
        Settings settings = input.model().pipeline().settings();
        InputDecoder other = decoder.another();
        other.decode(earlier.record().value(), input.model().pipeline().hasher(), new Example());
        LabelEvent first = other.label();
        int before = strength(settings, first.source());
        int now = strength(settings, label.source());
        boolean isSame = first.label().toString().equals(label.label().toString());
        if (!settings.hasSources() || (now == before && (isSame || now == 1))) {
            throw new RejectedException(RejectReason.DUPLICATE_LABEL, null);
        }
        count("early labels");
        input.model().corrections().compareEarly(first.source(), label.source(), isSame);
        return now >= before;
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
