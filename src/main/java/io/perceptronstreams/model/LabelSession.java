package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;

/**
 * Labels that come after or before their examples, and ids that come twice; a part of {@link ModelSession}.
 *
 * <p>The time of a model is the largest timestamp of its examples, labels and commands. Before each of these is used, what
 * is due at its time is resolved. That stays so if the record itself is then rejected.
 */
final class LabelSession {
    /** Maximum number of due entries that are resolved before one record; limits the time for a record. */
    static final int MAX_RESOLVED = 1_000;

    /**
     * Work after which no more entries are resolved before one record: about a second, so that no transaction comes near
     * its timeout. An entry takes {@link #READING} steps for each of its bytes and features, and those of a prediction.
     */
    static final long MAX_WORK = 1 << 27;

    /** Steps to read a byte, or to hash or cross a feature. */
    private static final int READING = 16;

    /** Maximum number of bytes of a waiting record, which is stored with at most two predicted labels. */
    static final int MAX_BYTES = 256 * 1024;

    private final Models models;
    private final ModelEvents events;
    private final StoredEvents stored;
    private final Learning learning;

    LabelSession(Models models, ModelEvents events, StoredEvents stored, Learning learning) {
        this.models = models;
        this.events = events;
        this.stored = stored;
        this.learning = learning;
    }

    /** Returns true if records of the model must go through this class. */
    static boolean isOn(Model model) {
        return !model.late().isEmpty() || model.settings().hasLateLabels();
    }

    /** Moves the time of a model that exists to that of a record, resolves what is due, and uses the record. */
    void use(InputRecord record, LiveModel live, Runnable use) {
        begin(record, live);
        try {
            use.run();
        } catch (RejectedException e) {
            if (learning.publishProgress(record, live)) {
                // otherwise a restart would forget the time of the status, and publish another one
                models.changed(live, record);
            }
            throw e;
        } finally {
            learning.removeEndedEpochs(record, live);
        }
    }

    private void begin(InputRecord record, LiveModel live) {
        LateLabels late = live.model().late();
        boolean isChanged = late.passTime(record.timestamp());
        int resolved = 0;
        long work = 0;
        // the work depends on records and state alone, so that a replay stops at the same entry
        for (Due due = late.nextDue();
                due != null && resolved < MAX_RESOLVED && work < MAX_WORK;
                due = late.nextDue()) {
            work += resolve(record, live, late, due);
            resolved++;
        }
        if (isChanged || resolved > 0) {
            models.changed(live, record);
        }
    }

    /** Returns the work. */
    private long resolve(InputRecord record, LiveModel live, LateLabels late, Due due) {
        Waiting then = late.waiting(due.id());
        if (then == null || then.isLabel() != due.isLabel()) {
            late.dropEntry(due);
            return READING;
        }
        late.remove(then);
        if (then.isLabel()) {
            RejectedException why = new RejectedException(
                    RejectReason.LABEL_WITHOUT_EXAMPLE,
                    "a label must come at most await.examples.ms before its example, got none of its id within that time");
            events.labelRefused(record, then, why);
            return READING * (long) then.value().length;
        }
        Model model = live.model();
        Example example = toDefault(then, model);
        long work = READING * (long) then.value().length;
        if (example != null) {
            work += READING * example.features().count() + cost(example.features(), model);
        }
        if (example == null || !learnDefault(record, live, then, example)) {
            model.count(Counts.Counter.UNLABELLED, then.due());
            learning.publishWindows();
        }
        return work;
    }

    /** Steps to score features; those of the shadow, too. */
    private static long cost(Features x, Model model) {
        Model shadow = model.drift().shadow();
        return model.learner().cost(x) + (shadow == null ? 0 : shadow.learner().cost(x));
    }

    /** Returns the example with {@code label.default}; null if there is none, or it cannot be decoded. */
    private Example toDefault(Waiting then, Model model) {
        String text = model.settings().get(Settings.LABEL_DEFAULT);
        if (text.isEmpty() || model.state() == ModelState.QUARANTINED) {
            return null;
        }
        try {
            Example example = decoded(then, model);
            example.setLabel(Label.parse(text));
            return example;
        } catch (RejectedException e) {
            return null;
        }
    }

    /** Returns false if the example was not learned. */
    private boolean learnDefault(InputRecord record, LiveModel live, Waiting then, Example example) {
        Outcome outcome;
        try {
            outcome = learning.label(record, live, example, then, Counts.Counter.DEFAULTED, then.due());
        } catch (RejectedException e) {
            return false;
        }
        learning.publishLate(example, outcome, Lateness.of(then, then.due()));
        learning.adapt(record, live);
        return true;
    }

    private Example decoded(Waiting then, Model model) {
        return decoded(then.value(), then.id(), model);
    }

    private Example decoded(byte[] value, Utf8Slice id, Model model) {
        Example example = stored.example(value, model.hasher());
        example.id().set(id.bytes(), id.offset(), id.length());
        return example;
    }

    /**
     * Uses an example of a new model, or of one whose time is that of the record.
     *
     * @param value its bytes
     */
    void example(InputRecord record, LiveModel live, Example example, byte[] value) {
        Model model = live.model();
        Settings settings = model.settings();
        Waiting early = model.late().waiting(example.id());
        refuseDuplicate(record, live, example, early);
        if (early != null) {
            example(record, live, example, value, early);
        } else {
            if (example.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
                requireRoom(model, value);
            }
            long version = model.version();
            learning.example(record, live, example);
            keep(record, model, example, value, version);
        }
        learning.adapt(record, live);
    }

    private void refuseDuplicate(InputRecord record, LiveModel live, Example example, Waiting waiting) {
        Model model = live.model();
        LateLabels late = model.late();
        if (late.isEmpty()) {
            return;
        }
        int last = model.settings().get(Settings.DEDUPE_LAST);
        boolean isPending = waiting != null && !waiting.isLabel();
        if (isPending || (last > 0 && late.ids().contains(example.id()))) {
            model.count(Counts.Counter.DUPLICATES, record.timestamp());
            learning.changed(record, live);
            learning.publishWindows();
            throw new RejectedException(
                    RejectReason.DUPLICATE_EXAMPLE,
                    "the id of an example must be new "
                            + (isPending ? "while another waits for its label" : "among the last dedupe.last = " + last)
                            + ", got '" + Utf8Slice.shortened(example.id().toString(), 80) + "' again");
        }
    }

    private static void requireRoom(Model model, byte[] value) {
        LateLabels late = model.late();
        int max = model.settings().get(Settings.AWAIT_LABELS_MAX);
        if (late.pending() + late.waitingLabels() >= max) {
            throw new RejectedException(
                    RejectReason.PENDING_FULL,
                    "at most await.labels.max = " + max
                            + " examples and labels of a model must wait, got one more (send the labels, raise"
                            + " await.labels.max, or lower await.labels.ms)");
        }
        requireSize(value);
    }

    private static void requireSize(byte[] value) {
        if (value.length > MAX_BYTES) {
            throw new RejectedException(
                    RejectReason.PENDING_FULL,
                    "an example or label that waits must have at most " + MAX_BYTES + " bytes, got " + value.length
                            + " (send the example with its label)");
        }
    }

    /** Notes a used example: its id and, if it has no label, that it waits. */
    private static void keep(InputRecord record, Model model, Example example, byte[] value, long version) {
        Settings settings = model.settings();
        LateLabels late = model.late();
        late.passTime(record.timestamp());
        if (example.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            late.add(model.waiting(example, value, record, version));
        }
        if (settings.lastIds() > 0) {
            late.ids().add(example.id(), example.label() != null);
        }
        late.ids().limit(settings.lastIds());
    }

    /** Uses an example whose label is there already. */
    private void example(InputRecord record, LiveModel live, Example example, byte[] value, Waiting early) {
        Model model = live.model();
        long version = model.version();
        RejectedException refused = null;
        Example used = example;
        if (example.label() == null) {
            try {
                LabelEvent label = stored.label(early.value());
                example.setLabel(label.label());
                example.setWeight(weight(example, label));
                learning.example(record, live, example);
            } catch (RejectedException e) {
                if (model.state() == ModelState.QUARANTINED) {
                    throw e;
                }
                // if the example can be used alone, its label is at fault
                refused = e;
                requireSize(value);
                used = decoded(value, example.id().copy(), model);
                learning.example(record, live, used);
            }
        } else {
            learning.example(record, live, example);
            refused = duplicateLabel();
        }
        model.late().remove(early);
        keep(record, model, used, value, version);
        if (refused != null) {
            events.labelRefused(record, early, refused);
        }
    }

    private static double weight(Example example, LabelEvent label) {
        double weight = example.weight() * label.weight();
        if (weight > 0 && weight < Double.POSITIVE_INFINITY) {
            return weight;
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHT,
                "the product of the weights of example and label must be a positive finite number, got " + weight);
    }

    private static RejectedException duplicateLabel() {
        return new RejectedException(
                RejectReason.DUPLICATE_LABEL, "an example must have one label, got a second one (the first counts)");
    }

    /**
     * Learns a label, or keeps it until its example comes.
     *
     * @param value its bytes
     */
    void label(InputRecord record, LiveModel live, LabelEvent label, byte[] value) {
        Model model = live.model();
        LateLabels late = model.late();
        Waiting then = late.waiting(label.id());
        if (then == null || then.isLabel()) {
            await(record, model, label, value, then);
            learning.changed(record, live);
            learning.publishProgress(record, live);
            return;
        }
        Example example = decoded(then, model);
        example.setLabel(label.label());
        example.setWeight(weight(example, label));
        Outcome outcome = learning.label(record, live, example, then, Counts.Counter.LATE, record.timestamp());
        late.remove(then);
        late.ids().markLabelled(label.id());
        Lateness lateness = Lateness.of(then, record.timestamp());
        late.delayed(lateness.delayMs());
        learning.changed(record, live);
        learning.publishLate(example, outcome, lateness);
        learning.publishProgress(record, live);
        learning.adapt(record, live);
    }

    private static void await(InputRecord record, Model model, LabelEvent label, byte[] value, Waiting earlier) {
        LateLabels late = model.late();
        Settings settings = model.settings();
        if (settings.get(Settings.AWAIT_LABELS_MS) == 0) {
            throw noLateLabels();
        }
        if (earlier != null || late.ids().isLabelled(label.id())) {
            throw duplicateLabel();
        }
        if (late.ids().contains(label.id())) {
            throw new RejectedException(
                    RejectReason.LABEL_TOO_LATE,
                    "a label must come at most await.labels.ms = " + settings.get(Settings.AWAIT_LABELS_MS)
                            + " after its example, in event time of the model, got it later (raise await.labels.ms)");
        }
        if (settings.get(Settings.AWAIT_EXAMPLES_MS) == 0) {
            throw withoutExample("got another id (set await.examples.ms if labels come before their examples)");
        }
        requireRoom(model, value);
        late.add(Waiting.label(
                label.id().copy(),
                value,
                record.offset(),
                record.timestamp(),
                record.timestamp() + settings.get(Settings.AWAIT_EXAMPLES_MS)));
    }

    static RejectedException noLateLabels() {
        return new RejectedException(
                RejectReason.LATE_LABEL,
                "a model must have await.labels.ms > 0 to use a label without its example, got 0 (models set M"
                        + " await.labels.ms=…, or send the label with its example)");
    }

    static RejectedException withoutExample(String got) {
        return new RejectedException(
                RejectReason.LABEL_WITHOUT_EXAMPLE, "a label must be of an example that has come, " + got);
    }
}
