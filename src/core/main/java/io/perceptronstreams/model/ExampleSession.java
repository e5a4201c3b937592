package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.Due;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.LateLabels;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Truth;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.settings.LabelSources;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Uses the examples and labels of models and publishes what they change; also the labels that come after or before
 * their examples, and the ids that come twice. A part of {@link ModelSession}.
 *
 * <p>The time of a model is the largest timestamp of its examples, its labels and the commands TICK. Before each record
 * is used, what is due at that time is resolved. That stays so if the record itself is then rejected.
 *
 * <p>Each use of a record returns an {@link Applied}. Only {@link #predicted}, {@link #labelled}, {@link #noted} and
 * {@link #changed(StatusCause, Runnable)} give one, and {@link #apply} alone completes it: no use can leave out the
 * mark of the change, the status, the adaptation or the removal of ended epochs.
 */
final class ExampleSession {
    /**
     * Maximum number of due entries that are resolved before one record, or for all examples of it; limits the time for
     * a record.
     */
    static final int MAX_RESOLVED = 1_000;

    /**
     * Work after which no more entries are resolved before one record: about a second, and as long again for each
     * challenger of a command, so that no transaction comes near its timeout. An entry takes {@link #READING} steps for
     * each of its bytes and features, and the steps of a prediction.
     */
    static final long MAX_WORK = 1 << 27;

    /**
     * Entries that each of several examples of a record may resolve: one more than it adds, so that those that wait
     * become fewer.
     */
    static final int MIN_RESOLVED = 2;

    /**
     * Work of the examples of one record, and of the entries that they resolve, about four seconds, after which the
     * others are refused. A step is one as for {@link #MAX_WORK}.
     */
    static final long MAX_EXAMPLES_WORK = 1 << 29;

    /**
     * Bytes of predictions, mistakes and counts after which the examples left of a record are refused, and no more
     * entries are resolved before it. A thousand predictions with 1,000 scores each take less. A broker that takes 1
     * MB/s from a producer has them, also as JSON, which is up to four times as long, before the transaction times out
     * after a minute or the third record does.
     */
    static final long MAX_OUTPUT_BYTES = 1 << 25;

    /**
     * Number of chunks of snapshots in a record of several examples after which one more snapshot waits for its end.
     */
    static final int MAX_CHUNKS = 64;

    /** Steps to read a byte, or to hash or cross a feature. */
    private static final int READING = 16;

    /**
     * Maximum number of bytes of a waiting record, which is stored with the labels predicted by model and challengers.
     */
    static final int MAX_BYTES = 256 * 1024;

    /** A record that was used, and what must still be published and written for it; only {@link #apply} does that. */
    static final class Applied {
        private static final Applied NOTED = new Applied(() -> {});

        private final Runnable rest;

        private Applied(Runnable rest) {
            this.rest = rest;
        }
    }

    /** Effect of a record on the time of its model. */
    enum Time {
        /** No effect: what is due waits. */
        NONE,
        /**
         * What is due is resolved, but the time stays: a command other than TICK is of now also where the examples are
         * of the past.
         */
        STAYS,
        /** The time is that of the record if it is larger. */
        MOVES
    }

    private final Models models;
    private final ModelEvents events;
    private final StoredEvents stored;
    private final PendingStatuses pendingStatuses;

    private final Applied learned = new Applied(this::adapt);
    private final ModelListener listener = new ModelListener() {
        @Override
        public void windowClosed(CountingWindow.Closed window, boolean isFull) {
            windows.add(window);
            // no status follows a full window: there may be one in every record
            isWindowClosed |= !isFull;
        }

        @Override
        public void advised(Advice advice) {
            advices.add(advice);
        }

        @Override
        public void drifted(Alarm raised) {
            alarm = raised;
        }

        @Override
        public void judged(Judgement judgement) {
            judgements.add(judgement);
        }

        @Override
        public void epochEnded(long epoch) {
            ended.add(epoch);
        }
    };

    // The current record and its model.
    private InputRecord record;
    private LiveModel live;
    private Model model;

    // Of all examples of the current record: resolved entries and their work, work to learn, chunks of snapshots.
    private int resolved;
    private int parts;
    private long resolvedWork;
    private long work;
    private int chunks;
    private boolean isSnapshotDue;
    private boolean isReroutedCounted;

    // Found by the observers of the model and not sent yet: it has its place among the events of the record.
    private final List<CountingWindow.Closed> windows = new ArrayList<>();
    private final List<Advice> advices = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private final List<Judgement> judgements = new ArrayList<>();
    private Alarm alarm;

    // True if a window was closed that no status has followed.
    private boolean isWindowClosed;

    ExampleSession(Models models, ModelEvents events, StoredEvents stored, PendingStatuses pendingStatuses) {
        this.models = models;
        this.events = events;
        this.stored = stored;
        this.pendingStatuses = pendingStatuses;
    }

    /** Begins a record of several examples; {@link #example} follows for those that can be read. */
    void beginRecord() {
        beginRecord(true);
    }

    private void beginRecord(boolean isSeveral) {
        events.count(isSeveral);
        resolved = 0;
        parts = 0;
        resolvedWork = 0;
        work = 0;
        chunks = 0;
        isReroutedCounted = false;
    }

    /** Begins with a record of a model, or with one of its examples. */
    private void begin(InputRecord current, LiveModel itsModel) {
        if (!current.isPart()) {
            beginRecord(false);
        }
        record = current;
        live = itsModel;
        model = live.model();
        model.listen(listener);
        model.at(record.offset());
    }

    private boolean hasTime() {
        return hasTime(model);
    }

    /** Returns true if a model has a time: something waits, or may wait, or has an id. */
    static boolean hasTime(Model model) {
        return !model.late().isEmpty() || model.pipeline().settings().hasLateLabels();
    }

    /** Uses a record of a model. */
    void use(InputRecord current, LiveModel itsModel, Time time, Supplier<Applied> use) {
        begin(current, itsModel);
        apply(time, use);
    }

    /** Resolves what is due, uses the record, and completes it. */
    private void apply(Time time, Supplier<Applied> use) {
        boolean isInTime = time != Time.NONE && hasTime();
        if (isInTime) {
            resolveDue(time == Time.MOVES);
        }
        try {
            use.get().rest.run();
        } catch (RejectedException e) {
            if (isInTime && publishProgress()) {
                // otherwise a restart would forget the time of the status, and publish another one
                models.changed(live, record);
            }
            throw e;
        } finally {
            removeEndedEpochs();
        }
    }

    /**
     * Returns the end of a change of the whole model.
     *
     * @param cause of the status that is published
     * @param write stores the model, after the status
     */
    Applied changed(StatusCause cause, Runnable write) {
        return new Applied(() -> {
            countRerouted();
            publishStatus(cause);
            write.run();
        });
    }

    private void resolveDue(boolean isMovingTime) {
        LateLabels late = model.late();
        boolean isChanged = isMovingTime && late.passTime(record.timestamp());
        int before = resolved;
        Due first = late.nextDue();
        if (first != null && !record.isPart()) {
            events.count(true);
        }
        // work and bytes depend on records and state alone, so that a replay stops at the same entry
        for (Due due = first;
                due != null
                        && events.bytes() < MAX_OUTPUT_BYTES
                        && resolved < Math.max(MAX_RESOLVED, MIN_RESOLVED * parts)
                        && resolvedWork < Math.max(MAX_WORK, MIN_RESOLVED * work);
                due = late.nextDue()) {
            resolvedWork += resolve(due);
            resolved++;
        }
        isChanged |= endCorrections();
        if (isChanged || resolved > before) {
            models.changed(live, record);
            if (resolved > before || model.publications().isStatusPending()) {
                // also if the record is refused: the status of a silent model is that at its position
                pendingStatuses.changed(live, record);
            }
        }
    }

    /** Removes examples whose time for corrections is over; returns true if there were any. */
    private boolean endCorrections() {
        LateLabels late = model.late();
        boolean isAny = false;
        for (Due due = late.settledDue();
                due != null && resolved < Math.max(MAX_RESOLVED, MIN_RESOLVED * parts);
                due = late.settledDue()) {
            late.dropSettled(due);
            resolved++;
            isAny = true;
        }
        return isAny;
    }

    /** Returns the work. */
    private long resolve(Due due) {
        LateLabels late = model.late();
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
        Example example = toDefault(then);
        long work = READING * (long) then.value().length;
        if (example != null) {
            work += work(model, example.features());
        }
        if (example == null || !learnDefault(then, example)) {
            if (then.hasProbability()) {
                model.estimates().lost(then.offset(), then.forecast().millionths());
            }
            model.counts().add(Counts.Counter.UNLABELLED, then.due(), listener);
            publishWindows();
        }
        return work;
    }

    /** Steps to read features, and to score them, also by the shadow of a drift. */
    static long work(Model model, Features x) {
        // not by the challengers of commands, without which the same entries must be resolved
        Challenger shadow = model.challengers().find(Challenger.DRIFT);
        long ofShadow = shadow == null ? 0 : shadow.model().pipeline().learner().cost(x);
        return READING * x.count() + model.pipeline().learner().cost(x) + ofShadow;
    }

    /** Returns the example with {@code label.default}; null if there is none, or it cannot be decoded. */
    private Example toDefault(Waiting then) {
        String text = model.pipeline().settings().get(Settings.LABEL_DEFAULT);
        if (text.isEmpty() || model.state() == ModelState.QUARANTINED) {
            return null;
        }
        try {
            Example example = decoded(then.value(), then.id());
            example.setLabel(Label.parse(text));
            return example;
        } catch (RejectedException e) {
            return null;
        }
    }

    /** Returns false if the example was not learned. */
    private boolean learnDefault(Waiting then, Example example) {
        Outcome outcome;
        try {
            outcome = learnLate(example, then, Counts.Counter.DEFAULTED, then.due());
        } catch (RejectedException e) {
            return false;
        }
        compareEstimate(then, outcome);
        // before the record is used, which may reset the model
        settle(then, example, outcome, true, null, true, record.offset() - 1);
        publishLate(example, outcome, Lateness.of(then, then.due(), null));
        adapt();
        return true;
    }

    private Example decoded(byte[] value, Utf8Slice id) {
        Example example = stored.example(value, model.pipeline().hasher());
        example.id().set(id.bytes(), id.offset(), id.length());
        return example;
    }

    /**
     * Uses an example of a record.
     *
     * @param value its bytes
     * @param isNew true if the model begins with it
     * @throws RejectedException if it cannot be used
     */
    void example(InputRecord current, LiveModel itsModel, Example example, byte[] value, boolean isNew) {
        begin(current, itsModel);
        if (record.isPart()) {
            parts++;
            work += work(model, example.features()) + (value == null ? 0 : READING * (long) value.length);
        }
        boolean isInTime = hasTime();
        apply(isNew ? Time.NONE : Time.MOVES, () -> isInTime ? exampleInTime(example, value) : learn(example));
    }

    /**
     * Checks that one more example of the record may be decoded and used.
     *
     * @throws RejectedException if those before it have taken too much work, or have too large outputs
     */
    void requireWork() {
        if (work + resolvedWork >= MAX_EXAMPLES_WORK) {
            throw new RejectedException(
                    RejectReason.TOO_MUCH_WORK,
                    "the examples of a record must take at most " + MAX_EXAMPLES_WORK
                            + " steps, got more (send fewer in a record)");
        }
        if (events.bytes() >= MAX_OUTPUT_BYTES) {
            throw new RejectedException(
                    RejectReason.TOO_MUCH_WORK,
                    "predictions, mistakes and counts of the examples of a record must have less than "
                            + MAX_OUTPUT_BYTES + " bytes as Avro, got more (send fewer examples in a record)");
        }
    }

    /** Counts the work to make features, mostly crosses, of an example that is refused for them. */
    void unreadable(Features made) {
        work += READING * made.count();
    }

    private Applied exampleInTime(Example example, byte[] value) {
        Settings settings = model.pipeline().settings();
        Waiting early = model.late().waiting(example.id());
        refuseDuplicate(example, early);
        if (early != null) {
            return learnEarly(example, value, early);
        }
        if (example.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            requireRoom(value);
        }
        long version = model.current().version();
        Applied applied = learn(example);
        keep(example, value, version);
        if (example.label() != null) {
            settle(example, value, version, null, record.offset());
        }
        return applied;
    }

    /** Keeps an example that was used with its label, as long as another one can correct it. */
    private void settle(Example example, byte[] value, long version, String source, long offset) {
        if (model.pipeline().settings().hasSources()) {
            Waiting as = model.current().waiting(example, value, record, version, List.of());
            settle(as, example, model.current().outcome(), false, source, false, offset);
        }
    }

    /**
     * Keeps an example with the label that was learned for it, as long as another one can correct it.
     *
     * @param then the example
     * @param outcome as it was emitted
     * @param hasWaited true if the example had come without its label
     * @param offset of the record that brought the label
     */
    private void settle(
            Waiting then,
            Example example,
            Outcome outcome,
            boolean hasWaited,
            String source,
            boolean isDefault,
            long offset) {
        Settings settings = model.pipeline().settings();
        LateLabels late = model.late();
        long ms = settings.correctionsMs();
        if (ms == 0 || !(isDefault || settings.hasSources()) || then.value().length > MAX_BYTES) {
            return;
        }
        Truth truth = new Truth(
                model.current().truth(example),
                source,
                isDefault,
                offset,
                record.offset(),
                // the first record of the model may have several examples, the last of which tell that the first is due
                isDefault ? Math.max(offset, model.counts().since()) : record.offset(),
                model.counts().totals().labelled(),
                model.state() == ModelState.LIVE
                        && (outcome.labelSet() == null || model.current().hasLearnedSet()),
                hasWaited);
        Waiting.Emitted emitted = new Waiting.Emitted(then.epoch(), outcome.predicted(), Waiting.Forecast.of(outcome));
        Waiting settled =
                then.with(truth, late.streamTime() + ms, model.current().epoch(), emitted, model.counted());
        if (!settled.isKept()) {
            return;
        }
        unsettle(then.id());
        late.settle(settled);
        // a smaller maximum takes effect within as many labels
        for (int k = 0; k < 2 && late.settledCount() > settings.get(Settings.AWAIT_LABELS_MAX); k++) {
            late.dropSettled(late.firstSettled());
            model.corrections().left();
        }
    }

    private void unsettle(Utf8Slice id) {
        Waiting earlier = model.late().settled(id);
        if (earlier != null) {
            model.late().unsettle(earlier);
        }
    }

    private void refuseDuplicate(Example example, Waiting waiting) {
        LateLabels late = model.late();
        if (late.isEmpty()) {
            return;
        }
        int last = model.pipeline().settings().get(Settings.DEDUPE_LAST);
        boolean isPending = waiting != null && !waiting.isLabel();
        if (isPending || (last > 0 && late.ids().contains(example.id()))) {
            model.counts().add(Counts.Counter.DUPLICATES, record.timestamp(), listener);
            changed();
            publishWindows();
            throw new RejectedException(
                    RejectReason.DUPLICATE_EXAMPLE,
                    "the id of an example must be new "
                            + (isPending ? "while another waits for its label" : "among the last dedupe.last = " + last)
                            + ", got '" + Utf8Slice.shortened(example.id().toString(), 80) + "' again");
        }
    }

    private void requireRoom(byte[] value) {
        LateLabels late = model.late();
        int max = model.pipeline().settings().get(Settings.AWAIT_LABELS_MAX);
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
    private void keep(Example example, byte[] value, long version) {
        Settings settings = model.pipeline().settings();
        LateLabels late = model.late();
        late.passTime(record.timestamp());
        // of two examples with one id, labels are of the later one
        unsettle(example.id());
        if (example.label() == null && settings.get(Settings.AWAIT_LABELS_MS) > 0) {
            Waiting waiting = model.waiting(example, value, record, version);
            late.add(waiting);
            estimate(waiting);
        }
        if (settings.lastIds() > 0) {
            late.ids().add(example.id(), example.label() != null);
        }
        late.ids().limit(settings.lastIds());
    }

    private void estimate(Waiting waiting) {
        if (waiting.hasProbability()) {
            ErrorEstimates.Outlier outlier = model.estimates()
                    .predicted(
                            waiting.offset(),
                            waiting.time(),
                            waiting.forecast().millionths(),
                            model.counts().totals().labelled(),
                            model.pipeline().settings().get(Settings.ESTIMATE_ALERT));
            if (outlier != null) {
                events.estimated(model, outlier);
            }
        }
    }

    /** Compares an estimate with the label of a prediction that has waited. */
    private void compareEstimate(Waiting then, Outcome outcome) {
        if (then.hasProbability()) {
            model.estimates().labelled(then.offset(), then.forecast().millionths(), outcome.isError());
        }
    }

    /** Uses an example whose label is there already. */
    private Applied learnEarly(Example example, byte[] value, Waiting early) {
        long version = model.current().version();
        RejectedException refused = null;
        Example used = example;
        boolean hasOwn = example.label() != null;
        String source = null;
        Applied applied;
        if (hasOwn) {
            applied = learn(example);
        } else {
            try {
                LabelEvent label = stored.label(early);
                example.setLabel(label.label());
                example.setWeight(weight(example, label));
                applied = learn(example);
                source = label.source();
            } catch (RejectedException e) {
                if (model.state() == ModelState.QUARANTINED) {
                    throw e;
                }
                // if the example can be used alone, its label is at fault
                refused = e;
                requireSize(value);
                used = decoded(value, example.id().copy());
                applied = learn(used);
            }
        }
        model.late().remove(early);
        keep(used, value, version);
        if (used.label() != null) {
            settle(used, value, version, source, hasOwn ? record.offset() : early.offset());
        }
        if (hasOwn) {
            refused = compareEarly(example.id(), early);
        }
        if (refused != null) {
            events.labelRefused(record, early, refused);
        }
        return applied;
    }

    /** Compares a label that came before its example with that example's own; returns why it is refused, or null. */
    private RejectedException compareEarly(Utf8Slice id, Waiting early) {
        try {
            Waiting settled = model.late().settled(id);
            if (settled == null) {
                return duplicateLabel();
            }
            // what follows a correction follows the example, too
            var unused = labelAgain(stored.label(early), settled, early.offset());
            return null;
        } catch (RejectedException e) {
            return e;
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
     * Learns the label of a record, or keeps it until its example comes.
     *
     * @param value its bytes
     * @throws RejectedException if it cannot be used
     */
    void label(InputRecord current, LiveModel itsModel, LabelEvent label, byte[] value) {
        begin(current, itsModel);
        if (!hasTime()) {
            throw noLateLabels();
        }
        apply(Time.MOVES, () -> labelInTime(label, value));
    }

    private Applied labelInTime(LabelEvent label, byte[] value) {
        requireSource(label);
        LateLabels late = model.late();
        Waiting then = late.waiting(label.id());
        if (then == null || then.isLabel()) {
            Waiting settled = then == null ? late.settled(label.id()) : null;
            if (settled != null) {
                return labelAgain(label, settled);
            }
            await(label, value, then);
            return noted();
        }
        Example example = decoded(then.value(), then.id());
        example.setLabel(label.label());
        example.setWeight(weight(example, label));
        Outcome outcome = learnLate(example, then, Counts.Counter.LATE, record.timestamp());
        compareEstimate(then, outcome);
        late.remove(then);
        late.ids().markLabelled(label.id());
        settle(then, example, outcome, true, label.source(), false, record.offset());
        Lateness lateness = Lateness.of(then, record.timestamp(), label.source());
        late.delayed(lateness.delayMs());
        publishLate(example, outcome, lateness);
        return labelled();
    }

    private Applied labelAgain(LabelEvent label, Waiting settled) {
        boolean isLearned = labelAgain(label, settled, record.offset());
        if (settled.truth().isDefault()) {
            model.late().delayed(record.timestamp() - settled.time());
            model.late().ids().markLabelled(label.id());
        }
        return isLearned ? labelled() : noted();
    }

    private void requireSource(LabelEvent label) {
        if (label.knowableAt() != LabelEvent.UNKNOWN && label.knowableAt() > record.timestamp()) {
            throw new RejectedException(
                    RejectReason.INVALID_SOURCE,
                    "knowableAt must be at most the time of the label, " + record.timestamp() + ", got "
                            + label.knowableAt());
        }
        if (label.source() == null) {
            return;
        }
        LabelSources sources = model.pipeline().settings().get(Settings.LABELS_SOURCES);
        if (!sources.isNone() && sources.strength(label.source()) == LabelSources.UNNAMED) {
            throw new RejectedException(
                    RejectReason.INVALID_SOURCE,
                    "source must be one of labels.sources = " + sources + ", got '" + label.source()
                            + "' (add it where its strength belongs, and replay the dead letters)");
        }
    }

    /**
     * Uses a label of an example that has one already, or has had its default: that of a stronger source, and another
     * one of the same source, takes its place.
     *
     * @param offset of the label's record
     * @return true if the model has learned it
     * @throws RejectedException if nothing follows from it
     */
    private boolean labelAgain(LabelEvent label, Waiting settled, long offset) {
        model.requireUsable();
        LabelSources sources = model.pipeline().settings().get(Settings.LABELS_SOURCES);
        Truth truth = settled.truth();
        boolean isSame = model.current().isSame(truth.label(), label.label());
        // without labels.sources nobody has said which source is stronger
        int before = truth.isDefault() ? LabelSources.DEFAULT : sources.strength(truth.source());
        int now = sources.strength(label.source());
        if (now == before && (isSame || now == LabelSources.UNNAMED)) {
            throw duplicateLabel();
        }
        boolean isCorrected = !isSame && now >= before;
        if (isCorrected) {
            correct(label, settled, offset);
        } else if (!isSame) {
            requireUsable(label, settled);
        } else if (now > before) {
            settleAgain(settled, truth.corrected(truth.label(), label.source(), offset, record.offset()));
        }
        model.corrections().compare(truth, label.source(), isSame);
        return isCorrected;
    }

    /** @throws RejectedException if the model cannot use the label, which is not to be learned */
    private void requireUsable(LabelEvent label, Waiting settled) {
        Example example = decoded(settled.value(), settled.id());
        example.setLabel(label.label());
        var unused = model.current().evaluate(example);
    }

    private void settleAgain(Waiting settled, Truth truth) {
        model.late().unsettle(settled);
        Waiting again = settled.with(truth);
        if (again.isKept()) {
            model.late().settle(again);
        }
    }

    /** Replaces the label of an example in all figures and, unless its settings leave that out, in the weights. */
    private void correct(LabelEvent label, Waiting settled, long offset) {
        Example example = decoded(settled.value(), settled.id());
        example.setLabel(label.label());
        example.setWeight(weight(example, label));
        ModelState before = model.state();
        Outcome outcome;
        try {
            outcome = model.correct(example, settled);
        } catch (RejectedException e) {
            publishQuarantine(before, e);
            throw e;
        }
        Truth truth = settled.truth();
        settleAgain(
                settled,
                truth.corrected(model.current().named(label.label()), label.source(), offset, record.offset()));
        Lateness lateness = Lateness.of(settled, record.timestamp(), label.source())
                .replacing(new Lateness.Replaced(
                        truth.offset(), truth.label(), model.current().isWrong(settled.emitted(), truth.label())));
        events.mistaken(model, example, outcome, lateness);
        publishUpdate(outcome);
    }

    private void await(LabelEvent label, byte[] value, Waiting earlier) {
        LateLabels late = model.late();
        Settings settings = model.pipeline().settings();
        boolean isTooLate = settings.hasSources() && late.ids().isLabelled(label.id());
        if (settings.get(Settings.AWAIT_LABELS_MS) == 0 && !isTooLate) {
            throw noLateLabels();
        }
        if (earlier == null) {
            requireAwaited(label);
            requireRoom(value);
        } else {
            if (!replacesEarly(label, value, stored.label(earlier))) {
                return;
            }
            late.remove(earlier);
        }
        late.add(Waiting.label(
                label.id().keptIn(value),
                value,
                record.offset(),
                record.timestamp(),
                record.timestamp() + settings.get(Settings.AWAIT_EXAMPLES_MS)));
    }

    /**
     * Returns true if a label takes the place of one that waits for the same example; counts it otherwise.
     *
     * @throws RejectedException if nothing follows from it
     */
    private boolean replacesEarly(LabelEvent label, byte[] value, LabelEvent first) {
        Settings settings = model.pipeline().settings();
        LabelSources sources = settings.get(Settings.LABELS_SOURCES);
        int before = sources.strength(first.source());
        int now = sources.strength(label.source());
        // the learner that will have the label may not be known yet
        boolean isSame = first.label().toString().equals(label.label().toString());
        if (!settings.hasSources() || (now == before && (isSame || now == LabelSources.UNNAMED))) {
            throw duplicateLabel();
        }
        if (now >= before) {
            requireSize(value);
        }
        model.corrections().compareEarly(first.source(), label.source(), isSame);
        return now >= before;
    }

    private void requireAwaited(LabelEvent label) {
        LateLabels late = model.late();
        Settings settings = model.pipeline().settings();
        if (late.ids().isLabelled(label.id()) && !settings.hasSources()) {
            throw duplicateLabel();
        }
        if (late.ids().isLabelled(label.id())) {
            throw new RejectedException(
                    RejectReason.LABEL_TOO_LATE,
                    "a label of an example that has one must come at most corrections.ms = "
                            + settings.correctionsMs()
                            + " after that, in event time of the model, and before await.labels.max others, got it later"
                            + " (raise corrections.ms)");
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
    }

    private static RejectedException noLateLabels() {
        return new RejectedException(
                RejectReason.LATE_LABEL,
                "a model must have await.labels.ms > 0 to use a label without its example, got 0 (models set M"
                        + " await.labels.ms=…, or send the label with its example)");
    }

    static RejectedException withoutExample(String got) {
        return new RejectedException(
                RejectReason.LABEL_WITHOUT_EXAMPLE, "a label must be of an example that has come, " + got);
    }

    /** Scores an example, learns from it if it has a label, and publishes both. */
    private Applied learn(Example example) {
        ModelState before = model.state();
        long version = model.current().version();
        Outcome outcome;
        try {
            outcome = model.use(example, record.timestamp(), null, null);
        } catch (RejectedException e) {
            publishQuarantine(before, e);
            throw e;
        }
        events.predicted(model, example, outcome, version);
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome, null);
        }
        if (example.label() != null) {
            events.labelled(model, example, outcome);
        }
        publishWindows();
        return predicted(outcome);
    }

    private Applied predicted(Outcome outcome) {
        changed();
        if (model.counts().totals().examples() == 1) {
            publishStatus(StatusCause.FIRST_EXAMPLE);
        } else {
            publishProgress();
        }
        publishUpdate(outcome);
        return learned;
    }

    /** Returns the end of a label that was learned. */
    private Applied labelled() {
        note();
        return learned;
    }

    /** Returns the end of a label that was not learned, or not yet. */
    private Applied noted() {
        note();
        return Applied.NOTED;
    }

    private void note() {
        changed();
        publishProgress();
    }

    /**
     * Learns the label of an example that was predicted earlier; {@link #publishLate} must follow.
     *
     * @param way counter of the way on which the label came
     * @param time of the label, in ms
     */
    private Outcome learnLate(Example example, Waiting then, Counts.Counter way, long time) {
        ModelState before = model.state();
        try {
            return model.use(example, time, then, way);
        } catch (RejectedException e) {
            publishQuarantine(before, e);
            throw e;
        }
    }

    private void publishLate(Example example, Outcome outcome, Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome, lateness);
        }
        events.labelled(model, example, outcome);
        publishWindows();
        publishUpdate(outcome);
    }

    private void publishQuarantine(ModelState before, RejectedException why) {
        if (model.state() != before && model.state() == ModelState.QUARANTINED) {
            models.changed(live, record);
            events.quarantined(model, why.getMessage());
            publishStatus(StatusCause.QUARANTINED);
        }
    }

    private void publishUpdate(Outcome outcome) {
        long every = model.pipeline().settings().get(Settings.SNAPSHOT_EVERY);
        if (every > 0 && outcome.isUpdated() && model.current().version() % every == 0) {
            if (record.isPart() && chunks >= MAX_CHUNKS) {
                isSnapshotDue = true;
            } else {
                publishSnapshot();
            }
        }
        if (!advices.isEmpty()) {
            advices.forEach(advice -> events.advised(model, advice));
            advices.clear();
        }
    }

    /** Adapts the model to a drift or a verdict; comes last, because that changes all that was published before. */
    private void adapt() {
        if (alarm != null) {
            events.drifted(model, alarm);
            alarm = null;
        }
        if (!judgements.isEmpty()) {
            boolean isOver = false;
            for (Judgement each : judgements) {
                events.judged(model, each);
                isOver |= each.isOver();
            }
            judgements.clear();
            if (isOver) {
                publishStatus(StatusCause.WITHDRAWN);
            }
        }
        StatusCause adaptation = model.adapt();
        if (adaptation != null) {
            publishStatus(adaptation);
        }
    }

    /** Does nothing yet if more examples of the record may follow. */
    private void removeEndedEpochs() {
        if (!record.isPart()) {
            endRecord();
        }
    }

    /** To be called when the record is completely applied: it writes the model with the position of the record. */
    void endRecord() {
        if (isSnapshotDue) {
            isSnapshotDue = false;
            if (model.state() != ModelState.QUARANTINED) {
                publishSnapshot();
            }
        }
        if (!ended.isEmpty()) {
            ended.forEach(epoch -> models.removeEpoch(live, epoch, record));
            ended.clear();
        }
    }

    /** Removes the deleted model. */
    void end() {
        models.end(live, ended, record);
        ended.clear();
    }

    private void changed() {
        model.publications().markExample(record.timestamp());
        models.changed(live, record);
        pendingStatuses.changed(live, record);
        countRerouted();
    }

    private void countRerouted() {
        if (record.isRerouted() && !isReroutedCounted) {
            isReroutedCounted = true;
            model.publications().countRerouted();
        }
    }

    /**
     * Publishes a status if a window was closed, or if one is due by event time and the number of records.
     *
     * @return true if it was published, which changes the model
     */
    private boolean publishProgress() {
        if (isWindowClosed) {
            publishStatus(StatusCause.WINDOW);
            return true;
        }
        Counts totals = model.counts().totals();
        boolean isDue = model.publications()
                .isStatusDue(record.timestamp(), totals.examples() + totals.of(Counts.Counter.LATE));
        if (isDue) {
            publishStatus(StatusCause.TIME);
        }
        return isDue;
    }

    private void publishWindows() {
        if (!windows.isEmpty()) {
            windows.forEach(window -> events.windowClosed(model, window));
            windows.clear();
            // a status shows the course of the trials, which windows do not have
            isWindowClosed |= !model.challengers().all().isEmpty();
        }
    }

    /** Publishes the windows that were closed, and the status. */
    private void publishStatus(StatusCause cause) {
        publishWindows();
        events.status(model, cause);
        model.publications().markStatus();
        pendingStatuses.published(live);
        isWindowClosed = false;
    }

    private void publishSnapshot() {
        int sent = events.snapshot(model, null);
        chunks += sent;
        removeChunks(sent);
    }

    /**
     * Executes a command SNAPSHOT.
     *
     * @throws IllegalArgumentException if it cannot be executed; then nothing has changed
     */
    void snapshot(Versions.Command command) {
        if (command.name() == null) {
            publishSnapshot();
            return;
        }
        Versions versions = model.publications().versions();
        if (command.isDrop()) {
            Versions.Version dropped = versions.require(command.name());
            events.chunksRemoved(model, dropped.name(), 0, dropped.chunks());
            model.publications().setVersions(versions.without(dropped));
            return;
        }
        if (model.state() == ModelState.QUARANTINED) {
            // a part of the weights may be missing, which an import of the snapshot could not know
            throw new IllegalArgumentException(
                    "a named snapshot must be of a model that predicts, got a quarantined one");
        }
        versions.requireRoom(command.name(), new String(record.name(), StandardCharsets.UTF_8));
        int sent = events.snapshot(model, command.name());
        model.publications()
                .setVersions(versions.with(new Versions.Version(
                        command.name(), model.current().epoch(), model.current().version(), record.offset(), sent)));
    }

    /** Removes the chunks of the last snapshot from {@code first} on. */
    void removeChunks(int first) {
        int end = model.publications().chunks();
        if (first < end) {
            events.chunksRemoved(model, null, first, end);
        }
        model.publications().markSnapshot(first);
    }
}
