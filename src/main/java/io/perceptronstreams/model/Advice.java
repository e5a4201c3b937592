package io.perceptronstreams.model;

import java.util.Locale;

/**
 * Finding about a model, and settings that may help; see {@link Advisor}.
 *
 * @param finding one clause without an end mark
 * @param settings the settings that may help, each as {@code name=value}, separated by spaces, {@code algorithm} first; null
 *     if no setting does
 * @param isForTrial true if a challenger should show whether they do, because the model has learned much without them
 */
public record Advice(Kind kind, String finding, String settings, boolean isForTrial) {
    /** Kinds of advice, at most one of each per model. The stored bits never change. */
    public enum Kind {
        /** Sizes of features differ by more than {@link FeatureSizes#MAX_RATIO}. */
        SCALE(1),
        /** The errors are not fewer than the errors of always predicting the majority label. */
        BASELINE(2),
        /** A label is seen less than once in a thousand. */
        RARE_LABEL(4),
        /** More names share a weight than one in a hundred. */
        COLLISIONS(8),
        /** The average of the weights errs less than the last weights. */
        AVERAGED(16),
        /** No label is of a class that {@code class.weights} names. */
        CLASS_WEIGHTS(32),
        /** The labels come in runs, and the model errs more than the last label would. */
        RUNS(64),
        /** The values of a named feature are texts that stand for numbers. */
        NUMBER_TEXTS(128);

        private final long bit;

        Kind(long bit) {
            this.bit = bit;
        }

        /** In the stored set of the kinds that were given. */
        long bit() {
            return bit;
        }
    }

    /**
     * The command for a model; null if there is none. It begins a challenger where a trial decides, and is a reset where the
     * features change, which a challenger shares.
     */
    public String command(String model) {
        if (settings == null) {
            return null;
        }
        String action = kind == Kind.COLLISIONS ? "reset " : isForTrial ? "challenge " : "set ";
        // a challenger of the same name would be replaced, and its trial lost
        String challenger = isForTrial ? " advised-" + kind.name().toLowerCase(Locale.ROOT) : "";
        return "perceptron models " + action + model + challenger + " " + settings;
    }

    /** The command that shows whether the settings would have helped a model, from its log; null if there are none. */
    public String question(String model) {
        return settings == null ? null : "perceptron what-if " + model + " --set " + settings.replace(" ", " --set ");
    }
}
