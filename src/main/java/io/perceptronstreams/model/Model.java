package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.ComparatorSetting;
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
 * One model of a stream: its settings, its learner, what it has counted, and the window of event time it is counting in.
 *
 * <p>The same sequence of examples and commands gives the same bits, wherever the model lives. An example that is rejected
 * leaves no trace, except that one whose update would overflow puts the model into quarantine. Not thread-safe.
 */
public final class Model {
    /** What a model does with examples. */
    public enum State {
        /** Predicts and learns. */
        LIVE,
        /** Predicts and counts, and changes no weight. */
        FROZEN,
        /** Its weights cannot be trusted or moved on: refuses examples until it is reset or deleted. */
        QUARANTINED,
        /** Gone; only the epoch is kept, so that nothing stored of it is ever read again. */
        DELETED
    }

    /** What a drift has made of a model. */
    public enum Adaptation {
        NONE,
        /** It was reset, by {@code drift.action=reset}. */
        DRIFT,
        /** Its shadow has taken its place, by {@code drift.action=shadow}. */
        TAKEOVER
    }

    /** The number of the set of blocks that holds the statistics of scale=standard; learners number theirs from 0. */
    public static final int STATISTICS = -1;

    private final Outcome outcome = new Outcome();
    private final Counts totals = new Counts();
    private final CountingWindow window = new CountingWindow();
    private Settings settings = Settings.DEFAULTS;
    private FeatureHasher hasher = new FeatureHasher(settings.hashBits());
    private LearnerSlot choice = LearnerSlot.of(settings);
    private Scaler scaling = new Scaler();
    private State state = State.LIVE;
    private long epoch;
    private long rerouted;

    private final Publications publications = new Publications();
    private final Epochs epochs = new Epochs();
    private final DriftMonitor watch = new DriftMonitor(epochs);

    /** A model that has seen nothing. */
    public Model() {}

    /** One whose blocks are stored under {@code epoch} from the beginning. */
    Model(long epoch) {
        this.epoch = epoch;
    }

    /**
     * Predicts and, where the example has a label, compares, learns and counts.
     *
     * <p>A deleted model becomes a new one with its first example. Scales the example's features in place. The counting window
     * that event time has left, if any, is {@link CountingWindow#pollClosed} afterwards; the example counts in the next one.
     *
     * @param timestamp event time in ms
     * @return what came of it, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome process(Example example, long timestamp) {
        if (state == State.QUARANTINED) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED, "the model is quarantined (see the alerts; reset or delete it)");
        }
        Features x = example.features();
        watch.remember(x);
        scaling.scale(x, settings);
        if (state != State.FROZEN) {
            scaling.requireRoom(x, settings);
        }
        boolean isLabelled = example.label() != null;
        if (!isLabelled) {
            learner().predict(x, outcome);
        } else if (state == State.FROZEN) {
            settings = choice.evaluate(example, settings, totals.labelled() == 0, outcome);
        } else {
            learn(example);
        }
        if (state != State.FROZEN) {
            scaling.keep(x, settings);
        }
        if (state == State.DELETED) {
            state = State.LIVE;
        }
        window.moveTo(timestamp, settings.windowMs(), totals);
        window.counts().add(isLabelled, outcome);
        totals.add(isLabelled, outcome);
        if (watch.isOn() && watch.observe(example, timestamp, outcome.isError(), state == State.LIVE)) {
            watch.beginShadow(settings, algorithm());
        }
        return outcome;
    }

    /** The alarm that the example processed last has raised, or null. */
    public Alarm alarm() {
        return watch.alarm();
    }

    /**
     * Does what is to follow from the example processed last, once everything about it has been read; to be called after every
     * example of a model that {@link #isWatched}.
     *
     * <p>A reset and a takeover begin a new epoch. After a takeover the totals are those of the shadow, from its first example on.
     */
    public Adaptation adapt() {
        if (watch.isShadowBetter()) {
            takeOver();
            return Adaptation.TAKEOVER;
        }
        if (watch.isResetDue() && state == State.LIVE) {
            // the labels of the stream remain what they are
            restart(settings);
            return Adaptation.DRIFT;
        }
        return Adaptation.NONE;
    }

    private void takeOver() {
        Model shadow = watch.takeShadow();
        moveIn(shadow, shadow.epoch);
        if (ComparatorSetting.updatesUntil(settings, version()) < 0) {
            // what was pinned belongs to the epoch that has ended
            useNoComparator();
        }
        learner().configure(settings);
        try {
            choice.pin(ComparatorSetting.updatesUntil(settings, version()));
        } catch (IllegalArgumentException e) {
            // its weights have no room for a second copy
            useNoComparator();
            learner().configure(settings);
            choice.pin(-1);
        }
    }

    private void useNoComparator() {
        use(settings.with(Map.of("comparator", "")));
    }

    /** Whether a detector watches the errors of the model. */
    public boolean isWatched() {
        return watch.isOn();
    }

    /** The shadow that is on trial beside the model, or null; its blocks are stored under its own epoch. */
    public Model shadow() {
        return watch.shadow();
    }

    /** The epochs that have ended since the last call, and whose blocks are of no use any more. */
    public List<Long> pollEndedEpochs() {
        return epochs.takeEnded();
    }

    /**
     * Predicts and compares, and leaves no trace: neither weights nor statistics nor counts change.
     *
     * <p>Scales the example's features in place.
     *
     * @return what came of it, valid until the next call
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
            settings = choice.learn(example, settings, totals.labelled() == 0, version(), outcome);
        } catch (RejectedException e) {
            if (e.reason() == RejectReason.MODEL_QUARANTINED) {
                state = State.QUARANTINED;
            }
            throw e;
        }
    }

    /**
     * Changes settings; a deleted model becomes a new one.
     *
     * @throws IllegalArgumentException if one is unknown, wrong, or cannot change any more; then none is changed
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
        if (state == State.DELETED) {
            state = State.LIVE;
        }
    }

    /**
     * Compares the model with weights from elsewhere from now on; sets {@link Settings#comparator} to {@link Settings#IMPORTED}.
     *
     * @param weights in one lane; copied
     * @throws IllegalArgumentException if the learner does not offer it, or there is no room; then nothing has changed
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
    }

    /**
     * Forgets what was learned and counted, keeps the settings, and begins a new epoch.
     */
    public void reset() {
        restart(NegativeLabel.undecided(settings));
    }

    private void restart(Settings wanted) {
        Settings kept = LearnerSlot.afterReset(wanted);
        begin(kept, LearnerSlot.of(kept), State.LIVE);
    }

    private void begin(Settings newSettings, LearnerSlot newChoice, State newState) {
        window.close(totals);
        totals.clear();
        use(newSettings);
        choice = newChoice;
        scaling = new Scaler();
        state = newState;
        rerouted = 0;
        watch.restart(settings.drift());
        epochs.end(epoch);
        epoch = epochs.next();
    }

    /**
     * Goes on from what another model has learned and counted, with its settings, in a new epoch.
     *
     * @param other of no use afterwards
     */
    public void replaceWith(Model other) {
        use(other.settings);
        moveIn(other, epochs.next());
    }

    private void moveIn(Model other, long newEpoch) {
        window.close(totals);
        choice = other.choice;
        scaling = other.scaling;
        totals.restore(other.totals);
        state = State.LIVE;
        rerouted = 0;
        watch.restart(settings.drift());
        epochs.end(epoch);
        epoch = newEpoch;
    }

    /** Ends the model: forgets all but the epoch, which it raises. */
    public void delete() {
        begin(Settings.DEFAULTS, LearnerSlot.of(Settings.DEFAULTS), State.DELETED);
    }

    /**
     * Stops or resumes learning.
     *
     * @throws IllegalArgumentException if the model is quarantined
     */
    public void freeze(boolean isFrozen) {
        if (state == State.QUARANTINED) {
            throw new IllegalArgumentException("a quarantined model must be reset or deleted first");
        }
        state = isFrozen ? State.FROZEN : State.LIVE;
    }

    /** Whether the weights are to be published after the present example. */
    public boolean isSnapshotDue() {
        return settings.snapshotEvery() > 0 && outcome.isUpdated() && totals.updates() % settings.snapshotEvery() == 0;
    }

    /** Refuses examples until a reset, an import or a delete: a part of what the model has learned was lost. */
    public void quarantine() {
        state = State.QUARANTINED;
    }

    /** Counts a record that came by way of a wrong partition. */
    public void countRerouted() {
        rerouted++;
    }

    /** Records that came by way of a wrong partition. */
    public long rerouted() {
        return rerouted;
    }

    /** What was published of the model. */
    public Publications publications() {
        return publications;
    }

    public State state() {
        return state;
    }

    /** Raised by every reset, delete, import and takeover. */
    public long epoch() {
        return epoch;
    }

    /** How many updates the model has made in this epoch. */
    public long version() {
        return totals.updates();
    }

    public Settings settings() {
        return settings;
    }

    /** Hashes feature names as the model's settings say. */
    public FeatureHasher hasher() {
        return hasher;
    }

    /** Which learner the model has; {@link Algorithm#AUTO} until a first label decides. */
    public Algorithm algorithm() {
        return choice.algorithm();
    }

    public Learner learner() {
        return choice.learner();
    }

    /** The weights that the model is compared with, or null. */
    public ComparatorWeights comparator() {
        return learner() instanceof HasComparator comparing ? comparing.pinned() : null;
    }

    /** Counts of this epoch. */
    public Counts totals() {
        return totals;
    }

    public CountingWindow window() {
        return window;
    }

    /** How many sets of blocks the learner has; besides these there is {@link #STATISTICS}. */
    public int vectors() {
        return learner().blocks().size();
    }

    /** A set of blocks: a learner's, or {@link #STATISTICS}. */
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

    /** About how many bytes of heap the model occupies. */
    public long heapBytes() {
        long bytes = 4096 + scaling.statistics().heapBytes() + learner().heapBytes();
        for (Blocks blocks : learner().blocks()) {
            bytes += blocks.heapBytes();
        }
        return watch.shadow() == null ? bytes : bytes + watch.shadow().heapBytes();
    }

    /** Takes back everything that was stored but window, totals and blocks, on a new model. */
    public void restore(
            State state, long epoch, long rerouted, Settings settings, Algorithm algorithm, LearnerState learnerState) {
        this.state = state;
        this.epoch = epoch;
        epochs.restore(epoch);
        this.rerouted = rerouted;
        use(settings);
        choice = LearnerSlot.restored(settings, algorithm, learnerState);
        watch.restart(settings.drift());
    }

    /** What of the watch over the model's errors survives, besides the {@link #shadow}. */
    public DriftState driftState() {
        return watch.state();
    }

    /**
     * Takes back the watch, after {@link #restore}.
     *
     * @param shadow without its blocks, or null
     */
    public void restore(DriftState driftState, Model shadow) {
        watch.restore(driftState, shadow);
    }
}
