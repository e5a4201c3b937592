package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LateLabels;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import java.util.Map;

/**
 * The life of one model on its stream: states and epochs, late labels, drift and publications.
 *
 * <p>{@link EpochModel} has what it learns and counts in the current epoch. The same sequence of examples and commands
 * gives the same bits. A rejected example changes nothing, with one exception: if its update shows that the state is
 * corrupt, the model is quarantined. Not thread-safe.
 */
public final class Model {
    private ModelListener listener = ModelListener.NONE;
    private final Publications publications = new Publications();
    private final LateLabels late = new LateLabels();
    private final Epochs epochs = new Epochs(ended -> listener.epochEnded(ended));
    private final DriftMonitor drift = new DriftMonitor(epochs);
    private EpochModel current;
    private ModelState state;

    /** Creates a new model. */
    public Model() {
        this(new EpochModel(0, Pipeline.of(Settings.DEFAULTS)));
    }

    /** Creates a live model that begins with an epoch. */
    public Model(EpochModel first) {
        enter(first, ModelState.LIVE);
    }

    private void enter(EpochModel next, ModelState newState) {
        current = next;
        state = newState;
        drift.restart(next.pipeline().settings().drift());
    }

    /** Restores the stored state except late labels, drift and publications; must be called on a new model. */
    public void restore(EpochModel stored, ModelState newState) {
        enter(stored, newState);
        epochs.restore(stored.epoch());
    }

    /** Sets the listener to what the observers find from now on. */
    public void listen(ModelListener newListener) {
        listener = newListener;
    }

    /** Predicts and, if the example has a label, learns, counts and adapts: {@link #use} and {@link #adapt}. */
    public Outcome process(Example example, long timestamp) {
        Outcome outcome = use(example, timestamp, null, null);
        adapt();
        return outcome;
    }

    /**
     * Predicts and, if the example has a label, compares, learns and counts, as {@link EpochModel#use} describes. {@link
     * #adapt} must follow when the outcome is published. A deleted model becomes a new one with its first example.
     */
    public Outcome use(Example example, long timestamp, Waiting then, Counts.Counter also) {
        state.requireUsable();
        drift.remember(example.features());
        Outcome outcome;
        try {
            outcome = current.use(example, state != ModelState.FROZEN, timestamp, then, also, listener);
        } catch (RejectedException e) {
            state = state.afterReject(e.reason());
            throw e;
        }
        state = state.revived();
        boolean isLive = state == ModelState.LIVE;
        drift.observe(example, timestamp, outcome.isError(), isLive, then, listener, pipeline());
        return outcome;
    }

    /**
     * Adapts the model to a drift that its last example has shown, with a new epoch.
     *
     * @return {@link StatusCause#DRIFT} after a reset, {@link StatusCause#TAKEOVER} by the shadow, whose examples are
     *     the totals then, or null
     */
    public StatusCause adapt() {
        StatusCause cause = drift.adaptation(state == ModelState.LIVE);
        if (cause != null) {
            begin(drift.successor(pipeline()), ModelState.LIVE);
        }
        return cause;
    }

    /**
     * Changes settings; a deleted model becomes a new one.
     *
     * @throws IllegalArgumentException if a setting is unknown, wrong, or cannot change any more; then none is changed
     */
    public void configure(Map<String, String> changes) {
        current.configure(changes);
        drift.configure(pipeline());
        state = state.revived();
    }

    /** Sets the settings of a model that is new or {@link ModelState#DELETED}, and stays so. */
    public void startWith(Settings defaults) {
        if (!defaults.equals(pipeline().given())) {
            EpochModel next = new EpochModel(current.epoch(), Pipeline.of(defaults));
            next.follow(current, true);
            enter(next, state);
        }
    }

    /**
     * Changes settings, forgets weights and counts, and begins a new epoch.
     *
     * @throws IllegalArgumentException if a setting is unknown or wrong; then nothing is changed
     */
    public void reset(Map<String, String> changes) {
        Pipeline next = Pipeline.afterReset(pipeline().given(), changes);
        begin(new EpochModel(epochs.next(), next), ModelState.LIVE);
    }

    private void begin(EpochModel next, ModelState newState) {
        CountingWindow.Closed closed = current.counts().closeWindow();
        next.follow(current, newState != ModelState.DELETED);
        long ended = current.epoch();
        enter(next, newState);
        publications.beginEpoch();
        epochs.end(ended);
        if (closed != null) {
            listener.windowClosed(closed, false);
        }
    }

    /** Takes over weights, counts and settings of another model, which must not be used afterwards, in a new epoch. */
    public void replaceWith(Model other) {
        begin(new EpochModel(epochs.next(), other.current), ModelState.LIVE);
    }

    /** Deletes the model: forgets everything except the epoch, which it increases. */
    public void delete() {
        late.clear();
        begin(new EpochModel(epochs.next(), Pipeline.of(Settings.DEFAULTS)), ModelState.DELETED);
    }

    /**
     * Stops or resumes learning.
     *
     * @throws IllegalArgumentException if the model is quarantined
     */
    public void freeze(boolean isFrozen) {
        state = state.frozen(isFrozen);
    }

    /** Rejects examples until a reset, an import or a delete: a part of the model's state was lost. */
    public void quarantine() {
        state = ModelState.QUARANTINED;
    }

    public Publications publications() {
        return publications;
    }

    /** Examples that wait for labels, labels that wait for examples, and the last ids. */
    public LateLabels late() {
        return late;
    }

    public DriftMonitor drift() {
        return drift;
    }

    public ModelState state() {
        return state;
    }

    /** The model in its current epoch, whose number is increased by every reset, delete, import and takeover. */
    public EpochModel current() {
        return current;
    }

    /** The way of an example in this epoch: settings, learner, names of features. */
    public Pipeline pipeline() {
        return current.pipeline();
    }

    /** Counts of this epoch and of the open window. */
    public EpochCounts counts() {
        return current.counts();
    }

    /** Estimated heap of the model, in bytes. */
    public long heapBytes() {
        return current.heapBytes() + late.heapBytes() + drift.heapBytes();
    }
}
