package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.drift.DriftDetector;
import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.DriftSettings.Action;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import java.util.Locale;
import java.util.Map;

/**
 * Watches the errors of one model: its detector, the alarm of the last example, and the shadow on trial.
 *
 * <p>With {@code drift.action=shadow} a shadow begins with the example after a warning or an alarm. An alarm replaces a
 * shadow that is older than a round, because it has learned the old concept, too.
 */
public final class DriftMonitor {
    private final Epochs epochs;
    private DriftSettings settings = DriftSettings.NONE;

    // Null if drift=none.
    private DriftDetector detector;
    private Alarm alarm;

    // Both null without a shadow.
    private Model shadow;
    private ShadowTrial trial;
    private ShadowTrial.Verdict verdict = ShadowTrial.Verdict.OPEN;

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
    void configure(Settings changed, Algorithm algorithm) {
        if (!settings.isSameDetector(changed.drift())) {
            restart(changed.drift());
        }
        settings = changed.drift();
        if (trial == null) {
            return;
        }
        if (settings.action() != Action.SHADOW) {
            dropShadow();
            return;
        }
        try {
            shadow.configure(ofShadow(changed, algorithm));
        } catch (IllegalArgumentException e) {
            // it has learned less than the model, and may have other classes or another learner
            dropShadow();
        }
    }

    /** The model's settings, without detector and comparator, and with its current learner. */
    private static Map<String, String> ofShadow(Settings settings, Algorithm algorithm) {
        Map<String, String> ofShadow = settings.toMap();
        ofShadow.put("algorithm", algorithm.toString());
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
     * Observes an example after the model has used it; tells the listener an alarm.
     *
     * @param isLive false if the model is frozen: then the detector runs, but the shadow waits
     * @param then the earlier prediction of an example whose label comes now, or null
     * @return true if a shadow must begin
     */
    boolean observe(Example example, long timestamp, boolean isError, boolean isLive, Waiting then, ModelListener out) {
        if (trial != null && isLive) {
            verdict = challenge(example, timestamp, isError, then);
            if (verdict == ShadowTrial.Verdict.FAILED) {
                dropShadow();
            }
        }
        alarm = null;
        Level level = example.label() == null ? Level.STABLE : detector.add(isError);
        if (level == Level.DRIFT) {
            alarm = new Alarm(Settings.spelled(settings.detector()), detector.rateBefore(), detector.rateAfter());
            out.drifted(alarm);
            if (isLive && trial != null && trial.isPastFirstRound() && verdict == ShadowTrial.Verdict.OPEN) {
                dropShadow();
            }
        }
        return level != Level.STABLE && isLive && settings.action() == Action.SHADOW && trial == null;
    }

    /** Lets the shadow learn from an example that the model has used, and compares both if the shadow had predicted it, too. */
    private ShadowTrial.Verdict challenge(Example example, long timestamp, boolean isError, Waiting then) {
        trial.restore(example.features());
        boolean isSeen = then != null && then.shadowEpoch() == shadow.epoch();
        boolean isShadowWrong;
        try {
            isShadowWrong = shadow.use(example, timestamp, isSeen ? then.ofShadow() : null, null)
                    .isError();
        } catch (RejectedException e) {
            return ShadowTrial.Verdict.FAILED;
        }
        return example.label() == null || (then != null && !isSeen)
                ? ShadowTrial.Verdict.OPEN
                : trial.compare(isError, isShadowWrong, settings.window());
    }

    /** Begins the trial of a new model with these settings, and with what labels have decided. */
    void beginShadow(Settings settings, NegativeLabel negative, Algorithm algorithm) {
        begin(new Model(epochs.next()));
        // not configure, which refuses faults of a user that the labels have revealed since
        shadow.startWith(Settings.DEFAULTS.with(ofShadow(settings, algorithm)));
        shadow.decide(negative);
    }

    private void begin(Model newShadow) {
        shadow = newShadow;
        shadow.advisor().turnOff();
        trial = new ShadowTrial();
    }

    /** The shadow on trial, or null; its blocks are stored under its own epoch. */
    public Model shadow() {
        return shadow;
    }

    boolean isShadowBetter() {
        return verdict == ShadowTrial.Verdict.BETTER;
    }

    /** Returns true if the model must be reset after the last example. */
    boolean isResetDue() {
        return alarm != null && settings.action() == Action.RESET;
    }

    /** Ends the trial and returns the shadow, whose epoch continues. */
    Model takeShadow() {
        Model taken = shadow;
        shadow = null;
        trial = null;
        return taken;
    }

    /** Ends the trial, if there is one, and the shadow's epoch. */
    void dropShadow() {
        if (trial != null) {
            epochs.end(shadow.epoch());
            shadow = null;
            trial = null;
        }
        verdict = ShadowTrial.Verdict.OPEN;
    }

    /**
     * Writes the state, without the {@link #shadow}, or restores it after {@link Model#restore}.
     *
     * @param epoch of the model
     * @param stored shadow without its blocks, or null
     */
    public void exchange(StoredFields fields, long epoch, Model stored) {
        epochs.restore(fields.near(epoch, epochs.last()));
        if (detector != null) {
            detector.exchange(fields);
        }
        if (stored != null) {
            if (fields.isReading()) {
                begin(stored);
            }
            trial.exchange(fields);
        }
    }
}
