package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.NegativeLabel;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;
import java.util.Map;

/**
 * One model of a stream: settings, learner, counts, and the open window of event time.
 *
 * <p>The same sequence of examples and commands gives the same bits. A rejected example changes nothing, with one
 * exception: if its update would overflow, the model is quarantined. Not thread-safe.
 */
public final class Model {
    /** Number of the set of blocks with the statistics of scale=standard; learners number their sets from 0. */
    public static final int STATISTICS = -1;

    // Heap of the objects of a two-class model without weights, and of its entry in a store; measured.
    private static final long FIXED_BYTES = 1280;

    private final Outcome outcome = new Outcome();
    private final Counts totals = new Counts();
    private final ConfusionMatrix confusion = new ConfusionMatrix();
    private final CountingWindow window = new CountingWindow();
    private LearningPipeline pipeline = LearningPipeline.of(Settings.DEFAULTS);
    private ModelState state = ModelState.LIVE;
    private long epoch;
    private long rerouted;
    private final Publications publications = new Publications();
    private final Epochs epochs = new Epochs();
    private final DriftMonitor watch = new DriftMonitor(epochs);
    private final Advisor advisor = new Advisor();

    // Null until the settings require it.
    private LateLabels late;

    /** Creates a new model. */
    public Model() {}

    /** Creates a new model whose blocks are stored under {@code epoch}. */
    Model(long epoch) {
        this.epoch = epoch;
    }

    /**
     * Predicts and, if the example has a label, compares, learns and counts.
     *
     * <p>A deleted model becomes a new one with its first example. Scales the example's features in place. If the
     * example closed a counting window, {@link CountingWindow#pollClosed} returns it afterwards; the example counts in
     * the next one.
     *
     * @param timestamp event time in ms
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome process(Example example, long timestamp) {
        return use(example, timestamp, null);
    }

    /**
     * As {@link #process}, for an example that was predicted earlier: mistake and update are decided by the present
     * weights, and the error by the label that was emitted then.
     *
     * <p>The example counts and is part of the statistics already, unless a new epoch has begun.
     *
     * @param example with its label
     * @throws RejectedException if the label cannot be used
     */
    public Outcome learnLate(Example example, long timestamp, PendingExample then) {
        return use(example, timestamp, then);
    }

    /** @param then the earlier prediction of the example, or null */
    private Outcome use(Example example, long timestamp, PendingExample then) {
        if (state == ModelState.QUARANTINED) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED, "the model is quarantined (see the alerts; reset or delete it)");
        }
        watch.remember(example.features());
        boolean isNew = then == null || !then.isSeenIn(epoch);
        if (isNew) {
            pipeline.scale(example.features(), state != ModelState.FROZEN);
        } else {
            pipeline.rescale(example.features());
        }
        boolean isLabelled = example.label() != null;
        if (state == ModelState.FROZEN) {
            pipeline.compare(example, totals.labelled() == 0, outcome);
        } else {
            learn(example, isNew);
        }
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
        window.moveTo(timestamp, settings().windowMs(), totals);
        boolean isWrongNow = outcome.isError();
        if (then != null) {
            outcome.emittedEarlier(
                    then.emittedOr(outcome.predicted()),
                    ConfusionMatrix.isWrong(
                            then.emittedOr(outcome.predicted()), example.label(), outcome, algorithm(), settings()));
        }
        if (isNew) {
            window.counts().add(isLabelled, outcome);
            totals.add(isLabelled, outcome);
        } else {
            window.counts().addLabel(outcome);
            totals.addLabel(outcome);
        }
        confusion.add(example.label(), outcome, algorithm(), settings());
        if (isLabelled && state == ModelState.LIVE) {
            advisor.observe(example, this, isWrongNow);
        }
        if (watch.isOn() && watch.observe(example, timestamp, outcome.isError(), state == ModelState.LIVE, then)) {
            watch.beginShadow(settings(), algorithm());
        }
        return outcome;
    }

    /** Counts an event of the model at a time, in its window and in total. */
    public void count(Counts.Counter counter, long timestamp) {
        window.moveTo(timestamp, settings().windowMs(), totals);
        window.counts().increment(counter);
        totals.increment(counter);
    }

    /**
     * Describes the last processed example, which had no label and now waits for it.
     *
     * @param seenVersion the model's version at its prediction
     */
    public PendingExample pending(Example example, byte[] value, InputRecord record, long seenVersion) {
        // a shadow waits while the model is frozen
        Model shadow = state == ModelState.LIVE ? watch.shadow() : null;
        return new PendingExample(
                example.id().copy(),
                value,
                record.offset(),
                record.timestamp(),
                record.timestamp() + settings().late().awaitLabelsMs(),
                epoch,
                seenVersion,
                PendingExample.kept(outcome.predicted()),
                shadow == null ? PendingExample.NO_SHADOW : shadow.epoch,
                shadow == null ? null : PendingExample.kept(shadow.outcome.predicted()));
    }

    /** What waits in the model; null if its settings have never required it. */
    public LateLabels late() {
        return late;
    }

    /** What waits in the model; created if there is nothing yet. */
    LateLabels requireLate() {
        if (late == null) {
            late = new LateLabels();
        }
        return late;
    }

    /** Restores what waits in the model, after {@link #restore}; {@link #restoreWaiting} must follow. */
    public void restore(LateState lateState) {
        late = new LateLabels(lateState);
    }

    /**
     * Connects the model with the stored records of what waits in it.
     *
     * @return false if some are missing
     */
    public boolean restoreWaiting(WaitingStore store) {
        return late == null || late.restore(store);
    }

    /** Number of examples that wait for their labels. */
    public long pending() {
        return late == null ? 0 : late.pending();
    }

    /** Returns the advice of the last processed example, once; mostly none. */
    public List<Advice> pollAdvice() {
        return advisor.poll();
    }

    /** The alarm of the last processed example, or null. */
    public Alarm alarm() {
        return watch.alarm();
    }

    /**
     * Adapts the model to a drift; must be called after every example if {@link #isWatched}, when the outcome has been
     * read.
     *
     * <p>A reset or a takeover begins a new epoch. After a takeover the totals are those of the shadow since its first
     * example.
     */
    public Adaptation adapt() {
        if (watch.isShadowBetter()) {
            Model shadow = watch.takeShadow();
            Settings kept = settings();
            moveIn(shadow, shadow.epoch, kept);
            pipeline.adopt(kept, version());
            return Adaptation.TAKEOVER;
        }
        if (watch.isResetDue() && state == ModelState.LIVE) {
            // the labels of the stream remain what they are
            forget(LearnerSlot.afterReset(settings()), ModelState.LIVE);
            return Adaptation.DRIFT;
        }
        return Adaptation.NONE;
    }

    /** Returns true if a detector watches the errors of the model. */
    public boolean isWatched() {
        return watch.isOn();
    }

    /** The shadow on trial, or null; its blocks are stored under its own epoch. */
    public Model shadow() {
        return watch.shadow();
    }

    /** Returns the epochs that ended since the last call; their blocks can be removed. */
    public List<Long> pollEndedEpochs() {
        return epochs.takeEnded();
    }

    /**
     * Predicts and compares; changes neither weights nor statistics nor counts.
     *
     * <p>Scales the example's features in place.
     *
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome evaluate(Example example) {
        pipeline.evaluate(example, outcome);
        return outcome;
    }

    private void learn(Example example, boolean isNew) {
        try {
            if (example.label() != null) {
                advisor.compare(learner(), algorithm(), settings(), totals.labelled(), example);
            }
            pipeline.learn(example, isNew, totals.labelled() == 0, version(), outcome);
        } catch (RejectedException e) {
            if (e.reason() == RejectReason.MODEL_QUARANTINED) {
                state = ModelState.QUARANTINED;
            }
            throw e;
        }
    }

    /**
     * Changes settings; a deleted model becomes a new one.
     *
     * @throws IllegalArgumentException if a setting is unknown, wrong, or cannot change any more; then none is changed
     */
    public void configure(Map<String, String> changes) {
        pipeline.configure(settings().with(changes), totals);
        watch.configure(settings(), algorithm());
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
    }

    /** Sets the settings of a model that is new or {@link ModelState#DELETED}, and stays so. */
    public void startWith(Settings defaults) {
        if (!defaults.equals(settings())) {
            pipeline = LearningPipeline.of(defaults);
            watch.restart(defaults.drift());
        }
    }

    /**
     * Compares the model with other weights from now on; sets {@link Settings#comparator} to {@link Settings#IMPORTED}.
     *
     * @param weights in one lane; copied
     * @throws IllegalArgumentException if the learner does not support it, or there is no room; then nothing has
     *     changed
     */
    public void compareWith(BlockVector weights, double bias) {
        pipeline.compareWith(weights, bias);
    }

    /** Forgets weights and counts, keeps the settings, and begins a new epoch. */
    public void reset() {
        forget(LearnerSlot.afterReset(NegativeLabel.undecided(settings())), ModelState.LIVE);
    }

    private void forget(Settings settings, ModelState newState) {
        window.close(totals);
        totals.clear();
        confusion.clear();
        advisor.restart(newState == ModelState.DELETED);
        begin(LearningPipeline.of(settings), settings, newState, epochs.next());
    }

    private void begin(LearningPipeline next, Settings settings, ModelState newState, long newEpoch) {
        pipeline = next;
        state = newState;
        rerouted = 0;
        watch.restart(settings.drift());
        epochs.end(epoch);
        epoch = newEpoch;
    }

    /**
     * Takes over weights, counts and settings of another model, in a new epoch.
     *
     * @param other must not be used afterwards
     */
    public void replaceWith(Model other) {
        moveIn(other, epochs.next(), other.settings());
    }

    private void moveIn(Model other, long newEpoch, Settings settings) {
        window.close(totals);
        totals.restore(other.totals);
        confusion.restore(other.confusion);
        advisor.restart(false);
        begin(other.pipeline, settings, ModelState.LIVE, newEpoch);
    }

    /** Deletes the model: forgets everything except the epoch, which it increases. */
    public void delete() {
        forget(Settings.DEFAULTS, ModelState.DELETED);
        if (late != null) {
            late.clear();
        }
    }

    /**
     * Stops or resumes learning.
     *
     * @throws IllegalArgumentException if the model is quarantined
     */
    public void freeze(boolean isFrozen) {
        if (state == ModelState.QUARANTINED) {
            throw new IllegalArgumentException("a quarantined model must be reset or deleted first");
        }
        state = isFrozen ? ModelState.FROZEN : ModelState.LIVE;
    }

    /** Returns true if the weights must be published after the present example. */
    public boolean isSnapshotDue() {
        long every = settings().snapshotEvery();
        return every > 0 && outcome.isUpdated() && totals.updates() % every == 0;
    }

    /** Rejects examples until a reset, an import or a delete: a part of the model's state was lost. */
    public void quarantine() {
        state = ModelState.QUARANTINED;
    }

    /** Counts a record that was sent on from a wrong partition. */
    public void countRerouted() {
        rerouted++;
    }

    /** Number of records that were sent on from a wrong partition. */
    public long rerouted() {
        return rerouted;
    }

    /** The model's published status and snapshots. */
    public Publications publications() {
        return publications;
    }

    public ModelState state() {
        return state;
    }

    /** Increased by every reset, delete, import and takeover. */
    public long epoch() {
        return epoch;
    }

    /** Number of updates in this epoch. */
    public long version() {
        return totals.updates();
    }

    public Settings settings() {
        return pipeline.settings();
    }

    /** Hashes feature names into the model's {@code hash.bits}. */
    public FeatureHasher hasher() {
        return pipeline.hasher();
    }

    /** The names of features from which the model has learned. */
    public FeatureNameTable names() {
        return pipeline.names();
    }

    /** The learner's algorithm; {@link Algorithm#AUTO} until a first label decides. */
    public Algorithm algorithm() {
        return pipeline.algorithm();
    }

    public Learner learner() {
        return pipeline.learner();
    }

    /** The pinned weights, or null. */
    public ComparatorWeights comparator() {
        return learner() instanceof HasComparator comparing ? comparing.pinned() : null;
    }

    /** Counts of this epoch. */
    public Counts totals() {
        return totals;
    }

    /** True and emitted labels of this epoch, as far as they were counted. */
    public ConfusionMatrix confusion() {
        return confusion;
    }

    public CountingWindow window() {
        return window;
    }

    /** Number of the learner's sets of blocks, without {@link #STATISTICS}. */
    public int vectors() {
        return pipeline.vectors();
    }

    /** A set of blocks: one of the learner's, or {@link #STATISTICS}. */
    public Blocks vector(int number) {
        return pipeline.vector(number);
    }

    /** Estimated heap of the model, in bytes. */
    public long heapBytes() {
        long bytes = FIXED_BYTES + confusion.heapBytes() + pipeline.heapBytes() + (late == null ? 0 : late.heapBytes());
        return watch.shadow() == null ? bytes : bytes + watch.shadow().heapBytes();
    }

    /** Restores the stored state except window, totals and blocks; must be called on a new model. */
    public void restore(
            ModelState state,
            long epoch,
            long rerouted,
            Settings settings,
            Algorithm algorithm,
            LearnerState learnerState) {
        this.state = state;
        this.epoch = epoch;
        epochs.restore(epoch);
        this.rerouted = rerouted;
        pipeline = LearningPipeline.restored(settings, algorithm, learnerState);
        watch.restart(settings.drift());
    }

    /** State of the drift monitor, without the {@link #shadow}. */
    public DriftState driftState() {
        return watch.state();
    }

    /** State of the advisor. */
    public AdviceState adviceState() {
        return advisor.state();
    }

    /** Restores the advisor, after {@link #restore}. */
    public void restore(AdviceState adviceState) {
        advisor.restore(adviceState);
    }

    /** Makes this a shadow, which gives no advice. */
    void becomeShadow() {
        advisor.turnOff();
    }

    /**
     * Restores the drift monitor, after {@link #restore}.
     *
     * @param shadow without its blocks, or null
     */
    public void restore(DriftState driftState, Model shadow) {
        watch.restore(driftState, shadow);
    }
}
