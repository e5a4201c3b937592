package io.perceptronstreams.settings;

import static io.perceptronstreams.settings.SettingType.count;
import static io.perceptronstreams.settings.SettingType.number;
import static io.perceptronstreams.settings.SettingType.oneOf;
import static io.perceptronstreams.settings.SettingType.orAuto;
import static io.perceptronstreams.settings.SettingType.whole;

import io.perceptronstreams.drift.Trial;
import java.util.List;

/** Options of the command CHALLENGE besides the settings of the challenger that differ from those of its model. */
public final class TrialSettings {
    /** Beginning of a challenger. */
    public enum From {
        /** A new model. */
        SCRATCH,
        /** The weights and counts of the model. */
        LIVE,
        /** Imported weights and counts. */
        IMPORT
    }

    /** What follows when a challenger is found better. */
    public enum Promotion {
        /** An alert. */
        MANUAL,
        /** The challenger becomes the model. */
        AUTO
    }

    private static final long MOST = Long.MAX_VALUE / 4;

    public static final Setting<From> FROM = define(
            "from",
            oneOf(From.class),
            From.SCRATCH,
            "begin as a new model, or with weights and counts of the model, or with those of --from");
    public static final Setting<Promotion> PROMOTE = define(
            "trial.promote",
            oneOf(Promotion.class),
            Promotion.MANUAL,
            "what follows when the challenger is better: only an alert, or it becomes the model");
    public static final Setting<Double> ALPHA = define(
            "trial.alpha",
            // 1/alpha is finite
            number(">= 1.0E-300 and < 1.0"),
            0.01,
            "probability of a verdict if the challenger is as good as the model");
    public static final Setting<Integer> ROUND =
            define("trial.round", count(1, 1 << 20), 20, "examples of the first round of the trial");
    public static final Setting<Trial.Growth> GROWTH = define(
            "trial.growth",
            oneOf(Trial.Growth.class),
            Trial.Growth.LINEAR,
            "growth of the rounds; square where one model is better for thousands of examples, and then the other");
    public static final Setting<Long> WARMUP = define(
            "trial.warmup",
            orAuto(whole(0, MOST), -1L),
            -1L,
            "labelled examples before the first round, which do not count; auto: 1000 from scratch, else 0");
    public static final Setting<Long> LIMIT = define(
            "trial.limit",
            whole(0, MOST),
            0L,
            "labelled examples, with the warm-up, after which the challenger ends if there is no verdict; 0: none");

    private static final List<Setting<?>> ALL = List.of(FROM, PROMOTE, ALPHA, ROUND, GROWTH, WARMUP, LIMIT);

    private TrialSettings() {}

    private static <T> Setting<T> define(String name, SettingType<T> type, T defaultValue, String description) {
        // they have no place among the settings of a model
        return new Setting<>(-1, name, type, defaultValue, Setting.Fixed.NEVER, false, description);
    }

    /** All options in their order. */
    public static List<Setting<?>> all() {
        return ALL;
    }
}
