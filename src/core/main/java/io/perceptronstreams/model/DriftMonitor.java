package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.drift.DriftDetector;
import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.DriftSettings.Action;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import java.util.Locale;
import java.util.Map;

/**
 * Watches the errors of one model: its detector, and the alarm of the last example.
 *
 * <p>With {@code drift.action=shadow} a new model begins as the challenger {@link Challenger#DRIFT} with the example
 * after a warning or an alarm. It is dropped if it is found worse, if there is no verdict until the limit of its trial,
 * or if it cannot use an example. An alarm replaces one that is older than two windows, because it has learned the old
 * concept, too.
 */
public final class DriftMonitor {
    // An alarm often comes twice for the same change, and must not cost a good shadow its trial.
    private static final int MAX_AGE = 2;

    private final Epochs epochs;
    private final Challengers challengers;
    private DriftSettings settings = DriftSettings.NONE;

    // Null if drift=none.
    private DriftDetector detector;
    private Alarm alarm;

    DriftMonitor(Epochs epochs, Challengers challengers) {
        this.epochs = epochs;
        this.challengers = challengers;
    }

    /** Starts over with a new detector and no shadow. */
    void restart(DriftSettings newSettings) {
        settings = newSettings;
        detector = settings.create();
        alarm = null;
        challengers.end(Challenger.DRIFT);
    }

    /** Applies changed settings, also to the shadow; a shadow that does not support them is dropped. */
    void configure(Pipeline model) {
        Settings changed = model.given();
        if (!settings.isSameDetector(changed.drift())) {
            restart(changed.drift());
        }
        boolean isSameWindow = settings.window() == changed.drift().window();
        settings = changed.drift();
        Challenger shadow = shadow();
        if (shadow == null) {
            return;
        }
        if (settings.action() != Action.SHADOW) {
            challengers.end(Challenger.DRIFT);
            return;
        }
        try {
            shadow.model().configure(ofShadow(model));
            if (!isSameWindow) {
                challengers.restart(shadow, Challenger.Options.ofDrift(settings.trial()));
            }
        } catch (IllegalArgumentException e) {
            // it has learned less than the model, and may have other classes or another learner
            challengers.end(Challenger.DRIFT);
        }
    }

    /** The settings of a challenger, with the model's current learner. */
    private static Map<String, String> ofShadow(Pipeline model) {
        Map<String, String> ofShadow = Pipeline.ofChallenger(model.given()).toMap();
        ofShadow.put("algorithm", model.algorithm().toString());
        return ofShadow;
    }

    /** The challenger after a drift, or null. */
    private Challenger shadow() {
        return challengers.find(Challenger.DRIFT);
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

    /**
     * Observes an example after the model and its challengers have used it; tells the listener an alarm, and begins a
     * shadow if one is due.
     *
     * @param isLive false if the model is frozen: then the detector runs, but the shadow waits
     */
    void observe(Example example, boolean isError, boolean isLive, ModelListener out, Pipeline model) {
        if (!isOn()) {
            return;
        }
        Challenger shadow = shadow();
        if (shadow != null && isLive && isFailed(shadow)) {
            challengers.end(Challenger.DRIFT);
            shadow = null;
        }
        alarm = null;
        Level level = example.label() == null ? Level.STABLE : detector.add(isError);
        if (level == Level.DRIFT) {
            alarm = new Alarm(Settings.spelled(settings.detector()), detector.rateBefore(), detector.rateAfter());
            out.drifted(alarm);
            if (isLive
                    && shadow != null
                    && shadow.trial().examples() >= (long) MAX_AGE * settings.window()
                    && !shadow.isBetter()) {
                challengers.end(Challenger.DRIFT);
                shadow = null;
            }
        }
        if (level != Level.STABLE && isLive && settings.action() == Action.SHADOW && shadow == null) {
            beginShadow(model);
        }
    }

    private static boolean isFailed(Challenger shadow) {
        return shadow.isOver() || shadow.trial().verdict() == Trial.Verdict.WORSE;
    }

    /** Begins the trial of a new model with the settings of the model, and with what labels have decided. */
    private void beginShadow(Pipeline model) {
        // not configure, which refuses faults of a user that the labels have revealed since
        Pipeline ofShadow = Pipeline.of(Settings.DEFAULTS.with(ofShadow(model)));
        ofShadow.decide(model.negative());
        var unused = challengers.begin(Challenger.DRIFT, ofShadow, Challenger.Options.ofDrift(settings.trial()));
    }

    /** Forgets the alarm of the last example, because the record that is used now is none: it is not stored. */
    void clearAlarm() {
        alarm = null;
    }

    /** Returns true if the model must be reset because of its last example. */
    boolean isResetDue() {
        return alarm != null && settings.action() == Action.RESET;
    }

    /**
     * Writes the state, or restores it after {@link Model#restore}.
     *
     * @param epoch of the model
     */
    public void exchange(StoredFields fields, long epoch) {
        epochs.restore(fields.near(epoch, epochs.last()));
        if (detector != null) {
            detector.exchange(fields);
        }
    }
}
