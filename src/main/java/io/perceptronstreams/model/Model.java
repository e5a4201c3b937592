package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.algorithm.LabelRules;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LateLabels;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;
import java.util.Map;

/**
 * One model of a stream: settings, learner, counts, and the open window of event time.
 *
 * <p>The same sequence of examples and commands gives the same bits. A rejected example changes nothing, with one
 * exception: if its update shows that the state is corrupt, the model is quarantined. Not thread-safe.
 */
public final class Model {
    /** Number of the set of blocks with the statistics of scale=standard; learners number their sets from 0. */
    public static final int STATISTICS = Pipeline.STATISTICS;

    // Heap of the objects of a two-class model without weights, and of its entry in a store; measured.
    private static final long FIXED_BYTES = 2200;

    private ModelListener listener = ModelListener.NONE;
    private final Outcome outcome = new Outcome();
    private final Publications publications = new Publications();
    private final LateLabels late = new LateLabels();
    private final Epochs epochs = new Epochs(ended -> listener.epochEnded(ended));
    private Pipeline pipeline = Pipeline.of(Settings.DEFAULTS);
    private ModelState state = ModelState.LIVE;
    private long epoch;
    private long rerouted;

    // Observers of the outcomes.
    private final EpochCounts counts;
    private final Advisor advisor;
    private final DriftMonitor drift = new DriftMonitor(epochs);

    /** Creates a new model. */
    public Model() {
        this(0);
    }

    /** Creates a new model whose blocks are stored under {@code epoch}. */
    Model(long epoch) {
        this.epoch = epoch;
        counts = new EpochCounts(pipeline, epoch);
        advisor = new Advisor(pipeline, counts);
    }

    /** Sets the listener to what the observers find from now on. */
    public void listen(ModelListener newListener) {
        listener = newListener;
    }

    /**
     * Predicts and, if the example has a label, compares, learns, counts and adapts: {@link #use} and {@link #adapt}.
     *
     * @param timestamp event time in ms
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome process(Example example, long timestamp) {
        use(example, timestamp, null, null);
        adapt();
        return outcome;
    }

    /**
     * Predicts and, if the example has a label, compares, learns and counts. {@link #adapt} must follow when the outcome
     * is published.
     *
     * <p>A deleted model becomes a new one with its first example. Scales the example's features in place. If the example
     * ends a counting window by its time, it counts in the next one.
     *
     * <p>Of an example that was predicted earlier the current weights decide about mistake and update, and the label that
     * was emitted then about the error. It counts already, unless a new epoch has begun.
     *
     * @param timestamp event time in ms
     * @param then the earlier prediction of the example, or null
     * @param also counter of a label that comes after its example, or null
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example or label cannot be used
     */
    public Outcome use(Example example, long timestamp, Waiting then, Counts.Counter also) {
        if (state == ModelState.QUARANTINED) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED, "the model is quarantined (see the alerts; reset or delete it)");
        }
        outcome.evidence().clear();
        drift.remember(example.features());
        boolean isNew = then == null || !then.isSeenIn(epoch);
        if (isNew) {
            pipeline.scale(example.features(), state != ModelState.FROZEN);
        } else {
            pipeline.rescale(example.features());
        }
        try {
            if (state == ModelState.FROZEN) {
                pipeline.compare(example, outcome);
            } else {
                learn(example, isNew);
            }
        } catch (RejectedException e) {
            throw example.features() instanceof FeatureVector
                    ? LabelRules.withRemedy(e, example.label(), seenLabels(), pipeline.given(), algorithm())
                    : e;
        }
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
        boolean isWrongNow = outcome.isError();
        if (then != null) {
            outcome.emittedEarlier(
                    then.emittedOr(outcome.predicted()),
                    ConfusionMatrix.isWrong(
                            then.emittedOr(outcome.predicted()), example.label(), outcome, algorithm(), settings()));
        }
        counts.add(example, isNew, outcome, also, timestamp, listener);
        if (example.label() != null && state == ModelState.LIVE) {
            advisor.observe(example, isWrongNow, listener);
        }
        if (drift.isOn()
                && drift.observe(example, timestamp, outcome.isError(), state == ModelState.LIVE, then, listener)) {
            drift.beginShadow(givenSettings(), negativeLabel(), algorithm());
        }
        return outcome;
    }

    private List<String> seenLabels() {
        return counts.classes().confusion().seenLabels(settings());
    }

    /** Counts an event of the model at a time, in its window and in total. */
    public void count(Counts.Counter counter, long timestamp) {
        counts.add(counter, timestamp, listener);
    }

    /**
     * Describes the last processed example, which had no label and now waits for it.
     *
     * @param value its bytes
     * @param version number of updates at its prediction
     */
    public Waiting waiting(Example example, byte[] value, InputRecord record, long version) {
        // a shadow waits while the model is frozen
        Model shadow = state == ModelState.LIVE ? drift.shadow() : null;
        return new Waiting(
                example.id().copy(),
                value,
                record.offset(),
                record.timestamp(),
                record.timestamp() + settings().get(Settings.AWAIT_LABELS_MS),
                epoch,
                version,
                outcome.predicted(),
                shadow == null ? Waiting.NO_EPOCH : shadow.epoch,
                shadow == null ? null : shadow.outcome.predicted());
    }

    /** Examples that wait for labels, labels that wait for examples, and the last ids. */
    public LateLabels late() {
        return late;
    }

    /** The advisor, which tells the listener its advice. */
    public Advisor advisor() {
        return advisor;
    }

    /** The drift monitor, which has the alarm of the last example and the shadow. */
    public DriftMonitor drift() {
        return drift;
    }

    /**
     * Adapts the model to a drift that its last example has shown.
     *
     * <p>A reset or a takeover begins a new epoch. After a takeover the totals count the examples of the shadow.
     *
     * @return {@link StatusCause#DRIFT} after a reset, {@link StatusCause#TAKEOVER} if the shadow has replaced the model, or
     *     null
     */
    public StatusCause adapt() {
        if (drift.isShadowBetter()) {
            Model shadow = drift.takeShadow();
            Settings kept = givenSettings();
            begin(shadow.pipeline, kept, ModelState.LIVE, shadow.epoch, shadow.counts);
            pipeline.adopt(kept, version());
            return StatusCause.TAKEOVER;
        }
        if (drift.isResetDue() && state == ModelState.LIVE) {
            // the labels of the stream remain what they are
            NegativeLabel kept = negativeLabel();
            begin(Pipeline.afterReset(givenSettings()), ModelState.LIVE);
            decide(kept);
            return StatusCause.DRIFT;
        }
        return null;
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
                advisor.compare(example);
            }
            pipeline.learn(example, isNew, counts.totals(), confusion(), outcome);
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
        Settings changed = givenSettings().with(changes);
        if (!algorithm().has(Algorithm.Trait.SEVERAL_CLASSES)) {
            LabelRules.requireSpelled(settings(), changed, seenLabels());
        }
        pipeline.configure(changed, totals());
        drift.configure(givenSettings(), algorithm());
        if (state == ModelState.DELETED) {
            state = ModelState.LIVE;
        }
    }

    /** Sets the settings of a model that is new or {@link ModelState#DELETED}, and stays so. */
    public void startWith(Settings defaults) {
        if (!defaults.equals(givenSettings())) {
            use(Pipeline.of(defaults));
            drift.restart(defaults.drift());
        }
    }

    /**
     * Compares the model with other weights from now on; sets {@link Settings#COMPARATOR} to {@link Settings#IMPORTED}.
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
        reset(Map.of());
    }

    /**
     * Changes settings, forgets weights and counts, and begins a new epoch.
     *
     * @throws IllegalArgumentException if a setting is unknown or wrong; then nothing is changed
     */
    public void reset(Map<String, String> changes) {
        Settings kept = Pipeline.afterReset(givenSettings());
        if (!changes.isEmpty()) {
            Pipeline next = Pipeline.of(kept);
            next.configure(kept.with(changes), new Counts());
            kept = next.given();
        }
        begin(kept, ModelState.LIVE);
    }

    private void begin(Settings settings, ModelState newState) {
        begin(Pipeline.of(settings), settings, newState, epochs.next(), null);
    }

    /** @param totals counts with which the epoch begins; null for none */
    private void begin(Pipeline next, Settings settings, ModelState newState, long newEpoch, EpochCounts totals) {
        CountingWindow.Closed closed = counts.clear();
        if (totals != null) {
            counts.take(totals);
        }
        state = newState;
        rerouted = 0;
        drift.restart(settings.drift());
        epochs.end(epoch);
        epoch = newEpoch;
        use(next);
        if (closed != null) {
            listener.windowClosed(closed, false);
        }
    }

    private void use(Pipeline next) {
        pipeline = next;
        counts.begin(pipeline, epoch);
        advisor.begin(pipeline, state == ModelState.DELETED);
    }

    /**
     * Takes over weights, counts and settings of another model, in a new epoch.
     *
     * @param other must not be used afterwards
     */
    public void replaceWith(Model other) {
        begin(other.pipeline, other.settings(), ModelState.LIVE, epochs.next(), other.counts);
    }

    /** Deletes the model: forgets everything except the epoch, which it increases. */
    public void delete() {
        late.clear();
        begin(Settings.DEFAULTS, ModelState.DELETED);
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
        return totals().updates();
    }

    /** The settings in use: those that were set, with the negative label that labels have decided. */
    public Settings settings() {
        return pipeline.settings();
    }

    /** The settings that the user has set. */
    public Settings givenSettings() {
        return pipeline.given();
    }

    /** The negative label that labels have decided; {@link NegativeLabel#AUTO} for none. */
    public NegativeLabel negativeLabel() {
        return pipeline.negative();
    }

    /** Takes over the negative label that labels of the stream have decided earlier. */
    void decide(NegativeLabel decided) {
        pipeline.decide(decided);
    }

    /** The settings by name as events show them: with {@link #negativeLabel}. */
    public Map<String, String> shownSettings() {
        Map<String, String> texts = givenSettings().toMap();
        if (negativeLabel() != NegativeLabel.AUTO) {
            texts.put(Settings.NEGATIVE_LABEL.name(), negativeLabel().decision());
        }
        return texts;
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
        return counts.totals();
    }

    /** True and emitted labels of this epoch, as far as they were counted. */
    public ConfusionMatrix confusion() {
        return counts.classes().confusion();
    }

    public CountingWindow window() {
        return counts.window();
    }

    /** Counts of the epoch and of the open window. */
    public EpochCounts counts() {
        return counts;
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
        long bytes =
                FIXED_BYTES + settings().heapBytes() + counts.heapBytes() + pipeline.heapBytes() + late.heapBytes();
        return drift.shadow() == null ? bytes : bytes + drift.shadow().heapBytes();
    }

    /** Restores the stored state except window, totals and blocks; must be called on a new model. */
    public void restore(
            ModelState state,
            long epoch,
            long rerouted,
            Settings given,
            NegativeLabel negative,
            Algorithm algorithm,
            LearnerState learnerState) {
        this.state = state;
        this.epoch = epoch;
        epochs.restore(epoch);
        this.rerouted = rerouted;
        use(Pipeline.restored(given, negative, algorithm, learnerState));
        drift.restart(given.drift());
    }
}
