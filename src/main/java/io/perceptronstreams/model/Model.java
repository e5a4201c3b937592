package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Features;
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
    private Settings settings = Settings.DEFAULTS;
    private FeatureHasher hasher = new FeatureHasher(settings.hashBits());
    private LearnerSlot choice = LearnerSlot.of(settings);
    private Scaler scaling = new Scaler();
    private FeatureNameTable names = new FeatureNameTable(settings.namesMax());
    private ModelState state = ModelState.LIVE;
    private long epoch;
    private long rerouted;

    private final Publications publications = new Publications();
    private final Epochs epochs = new Epochs();
    private final DriftMonitor watch = new DriftMonitor(epochs);
    private final Advisor advisor = new Advisor();

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
        if (state == ModelState.QUARANTINED) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED, "the model is quarantined (see the alerts; reset or delete it)");
        }
        Features x = example.features();
        watch.remember(x);
        scaling.scale(x, settings);
        if (state != ModelState.FROZEN) {
            scaling.requireRoom(x, settings);
        }
        boolean isLabelled = example.label() != null;
        if (!isLabelled) {
            learner().predict(x, outcome);
        } else if (state == ModelState.FROZEN) {
            settings = choice.evaluate(example, settings, totals.labelled() == 0, outcome);
        } else {
            learn(example);
        }
        if (state != ModelState.FROZEN) {
            scaling.keep(x, settings);
        }
        if (outcome.isUpdated() && names.hasRoom() && example.names() != null) {
            names.learn(example, hasher, algorithm() == Algorithm.KERNEL ? null : vector(0), version());
        }
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
        window.moveTo(timestamp, settings.windowMs(), totals);
        window.counts().add(isLabelled, outcome);
        totals.add(isLabelled, outcome);
        confusion.add(example.label(), outcome, algorithm(), settings);
        if (isLabelled && state == ModelState.LIVE) {
            advisor.observe(example, this, outcome.isError());
        }
        if (watch.isOn() && watch.observe(example, timestamp, outcome.isError(), state == ModelState.LIVE)) {
            watch.beginShadow(settings, algorithm());
        }
        return outcome;
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
            takeOver();
            return Adaptation.TAKEOVER;
        }
        if (watch.isResetDue() && state == ModelState.LIVE) {
            // the labels of the stream remain what they are
            restart(settings);
            return Adaptation.DRIFT;
        }
        return Adaptation.NONE;
    }

    private void takeOver() {
        Model shadow = watch.takeShadow();
        moveIn(shadow, shadow.epoch);
        use(choice.adopt(settings, version()));
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
        Features x = example.features();
        scaling.scale(x, settings);
        if (example.label() == null) {
            learner().predict(x, outcome);
        } else {
            learner().evaluate(x, example.label(), outcome);
        }
        return outcome;
    }

    private void learn(Example example) {
        try {
            advisor.compare(choice.learner(), choice.algorithm(), settings, totals.labelled(), example);
            settings = choice.learn(example, settings, totals.labelled() == 0, version(), outcome);
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
        Settings changed = settings.with(changes);
        if (totals.examples() > 0 && changed.hashBits() != settings.hashBits()) {
            throw new IllegalArgumentException("hash.bits must stay " + settings.hashBits()
                    + " once a model has seen examples, got " + changed.hashBits() + " (reset the model first)");
        }
        choice.configure(settings, changed, totals.labelled() > 0, version());
        use(changed);
        watch.configure(settings, algorithm());
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
    }

    /** Sets the settings of a model that is new or {@link ModelState#DELETED}, and stays so. */
    public void startWith(Settings defaults) {
        if (!defaults.equals(settings)) {
            use(defaults);
            choice = LearnerSlot.of(defaults);
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
        choice.pin(weights, bias);
        Map<String, String> all = settings.toMap();
        all.put("comparator", Settings.IMPORTED);
        use(Settings.DEFAULTS.with(all));
    }

    private void use(Settings changed) {
        settings = changed;
        hasher = new FeatureHasher(settings.hashBits());
        names.limit(settings.namesMax(), hasher);
    }

    /** Forgets weights and counts, keeps the settings, and begins a new epoch. */
    public void reset() {
        restart(NegativeLabel.undecided(settings));
    }

    private void restart(Settings wanted) {
        Settings kept = LearnerSlot.afterReset(wanted);
        begin(kept, LearnerSlot.of(kept), ModelState.LIVE);
    }

    private void begin(Settings newSettings, LearnerSlot newChoice, ModelState newState) {
        window.close(totals);
        totals.clear();
        confusion.clear();
        use(newSettings);
        choice = newChoice;
        scaling = new Scaler();
        names = new FeatureNameTable(settings.namesMax());
        state = newState;
        rerouted = 0;
        watch.restart(settings.drift());
        advisor.restart(newState == ModelState.DELETED);
        epochs.end(epoch);
        epoch = epochs.next();
    }

    /**
     * Takes over weights, counts and settings of another model, in a new epoch.
     *
     * @param other must not be used afterwards
     */
    public void replaceWith(Model other) {
        use(other.settings);
        moveIn(other, epochs.next());
    }

    private void moveIn(Model other, long newEpoch) {
        window.close(totals);
        choice = other.choice;
        scaling = other.scaling;
        names = other.names;
        totals.restore(other.totals);
        confusion.restore(other.confusion);
        state = ModelState.LIVE;
        rerouted = 0;
        watch.restart(settings.drift());
        advisor.restart(false);
        epochs.end(epoch);
        epoch = newEpoch;
    }

    /** Deletes the model: forgets everything except the epoch, which it increases. */
    public void delete() {
        begin(Settings.DEFAULTS, LearnerSlot.of(Settings.DEFAULTS), ModelState.DELETED);
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
        return settings.snapshotEvery() > 0 && outcome.isUpdated() && totals.updates() % settings.snapshotEvery() == 0;
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
        return settings;
    }

    /** Hashes feature names into the model's {@code hash.bits}. */
    public FeatureHasher hasher() {
        return hasher;
    }

    /** The names of features from which the model has learned. */
    public FeatureNameTable names() {
        return names;
    }

    /** The learner's algorithm; {@link Algorithm#AUTO} until a first label decides. */
    public Algorithm algorithm() {
        return choice.algorithm();
    }

    public Learner learner() {
        return choice.learner();
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
        return learner().blocks().size();
    }

    /** A set of blocks: one of the learner's, or {@link #STATISTICS}. */
    public Blocks vector(int number) {
        if (number == STATISTICS) {
            return scaling.statistics();
        }
        if (number < 0 || number >= vectors()) {
            throw new IllegalArgumentException("a model with algorithm=" + algorithm() + " must have vectors below "
                    + vectors() + ", got " + number);
        }
        return learner().blocks().get(number);
    }

    /** Estimated heap of the model, in bytes. */
    public long heapBytes() {
        long bytes = FIXED_BYTES
                + confusion.heapBytes()
                + scaling.statistics().heapBytes()
                + names.heapBytes()
                + learner().heapBytes();
        for (Blocks blocks : learner().blocks()) {
            bytes += blocks.heapBytes();
        }
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
        use(settings);
        choice = LearnerSlot.restored(settings, algorithm, learnerState);
        watch.restart(settings.drift());
    }

    /** ModelState of the drift monitor, without the {@link #shadow}. */
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
