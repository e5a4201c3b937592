package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.drift.DriftDetector;
import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.DriftSettings.Action;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import java.util.Locale;
import java.util.Map;

/**
 * Watches the errors of one model: its detector, the alarm of the last example, and the shadow on trial.
 *
 * <p>With {@code drift.action=shadow} a shadow begins with the example after a warning or an alarm. An alarm replaces a
 * shadow that is older than two windows, because it has learned the old concept, too.
 */
public final class DriftMonitor {
    // An alarm often comes twice for the same change, and must not cost a good shadow its trial.
    private static final int MAX_AGE = 2;

    private final Epochs epochs;
    private DriftSettings settings = DriftSettings.NONE;

    // Null if drift=none.
    private DriftDetector detector;
    private Alarm alarm;

    // Null without a shadow.
    private ShadowTrial trial;

    DriftMonitor(Epochs epochs) {
        this.epochs = epochs;
    }

    /** Starts over with a new detector and no shadow. */
    void restart(DriftSettings newSettings) {
        settings = newSettings;
        detector = settings.create();
        alarm = null;
        dropShadow();
    }

    /** Applies changed settings, also to the shadow; a shadow that does not support them is dropped. */
    void configure(Pipeline model) {
        Settings changed = model.given();
        if (!settings.isSameDetector(changed.drift())) {
            restart(changed.drift());
        }
        boolean isSameWindow = settings.window() == changed.drift().window();
        settings = changed.drift();
        if (trial == null) {
            return;
        }
        if (settings.action() != Action.SHADOW) {
            dropShadow();
            return;
        }
        try {
            trial.shadow().configure(ofShadow(model));
            if (!isSameWindow) {
                trial.restart(settings.trial());
            }
        } catch (IllegalArgumentException e) {
            // it has learned less than the model, and may have other classes or another learner
            dropShadow();
        }
    }

    /** The model's settings, without detector and comparator, and with its current learner. */
    private static Map<String, String> ofShadow(Pipeline model) {
        Map<String, String> ofShadow = model.given().toMap();
        ofShadow.put("algorithm", model.algorithm().toString());
        ofShadow.put("drift", "none");
        ofShadow.put("comparator", "");
        return ofShadow;
    }

    /** Returns true if a detector watches the errors of the model. */
    public boolean isOn() {
        return detector != null;
    }

    /** The alarm of the last example, or null. */
    public Alarm alarm() {
        return alarm;
    }

    /** Text of the alert of an alarm: the error rates, and what happens to the model. */
    public String message(Alarm raised, boolean isFrozen) {
        String rates = String.format(
                Locale.ROOT, "the error rate has risen from %.3f to %.3f; ", raised.rateBefore(), raised.rateAfter());
        if (isFrozen) {
            return rates + "the model is frozen and does not change (thaw it to let it learn)";
        }
        return rates
                + switch (settings.action()) {
                    case NONE -> "the model continues to learn (look at its latest mistakes, or set drift.action)";
                    case RESET -> "the model is reset";
                    case SHADOW -> "a shadow model starts to learn, and takes over if it makes fewer errors";
                };
    }

    /** Keeps the features for the shadow; must be called before the model scales them in place. */
    void remember(Features x) {
        if (trial != null) {
            trial.remember(x);
        }
    }

    /**
     * Observes an example after the model has used it; tells the listener an alarm, and begins a shadow if one is due.
     *
     * @param isLive false if the model is frozen: then the detector runs, but the shadow waits
     * @param then the earlier prediction of an example whose label comes now, or null
     */
    void observe(
            Example example,
            long timestamp,
            boolean isError,
            boolean isLive,
            Waiting then,
            ModelListener out,
            Pipeline model) {
        if (!isOn()) {
            return;
        }
        if (trial != null && isLive) {
            trial.use(example, timestamp, isError, then);
            if (trial.isFailed()) {
                dropShadow();
            }
        }
        alarm = null;
        Level level = example.label() == null ? Level.STABLE : detector.add(isError);
        if (level == Level.DRIFT) {
            alarm = new Alarm(Settings.spelled(settings.detector()), detector.rateBefore(), detector.rateAfter());
            out.drifted(alarm);
            if (isLive
                    && trial != null
                    && trial.examples() >= (long) MAX_AGE * settings.window()
                    && !isShadowBetter()) {
                dropShadow();
            }
        }
        if (level != Level.STABLE && isLive && settings.action() == Action.SHADOW && trial == null) {
            beginShadow(model);
        }
    }

    /** Begins the trial of a new model with the settings of the model, and with what labels have decided. */
    private void beginShadow(Pipeline model) {
        // not configure, which refuses faults of a user that the labels have revealed since
        Pipeline ofShadow = Pipeline.of(Settings.DEFAULTS.with(ofShadow(model)));
        ofShadow.decide(model.negative());
        trial = new ShadowTrial(new EpochModel(epochs.next(), ofShadow), settings.trial());
    }

    /** The shadow on trial, or null; its blocks are stored under its own epoch. */
    public EpochModel shadow() {
        return trial == null ? null : trial.shadow();
    }

    /** Estimated heap of the shadow, in bytes. */
    long heapBytes() {
        return trial == null ? 0 : trial.shadow().heapBytes();
    }

    private boolean isShadowBetter() {
        return trial != null && trial.isBetter();
    }

    /** Returns how the model must adapt to its last example; null if it stays as it is. */
    StatusCause adaptation(boolean isLive) {
        if (isShadowBetter()) {
            return StatusCause.TAKEOVER;
        }
        return alarm != null && settings.action() == Action.RESET && isLive ? StatusCause.DRIFT : null;
    }

    /** Returns the model of the next epoch after an {@link #adaptation}. */
    EpochModel successor(Pipeline before) {
        if (!isShadowBetter()) {
            Pipeline next = Pipeline.afterReset(before.given(), Map.of());
            // the labels of the stream remain what they are
            next.decide(before.negative());
            return new EpochModel(epochs.next(), next);
        }
        // its epoch continues
        EpochModel shadow = trial.shadow();
        trial = null;
        shadow.pipeline().adopt(before.given(), shadow.version());
        return new EpochModel(shadow.epoch(), shadow);
    }

    /** Ends the trial, if there is one, and the shadow's epoch. */
    private void dropShadow() {
        if (trial != null) {
            epochs.end(trial.shadow().epoch());
            trial = null;
        }
    }

    /**
     * Writes the state, without the {@link #shadow}, or restores it after {@link Model#restore}.
     *
     * @param epoch of the model
     * @param stored shadow without its blocks, or null
     */
    public void exchange(StoredFields fields, long epoch, EpochModel stored) {
        epochs.restore(fields.near(epoch, epochs.last()));
        if (detector != null) {
            detector.exchange(fields);
        }
        if (stored != null) {
            if (fields.isReading()) {
                trial = new ShadowTrial(stored, settings.trial());
            }
            trial.exchange(fields);
        }
    }
}
