package io.perceptronstreams.model;

/**
 * What the stream shows about a model, and what may help; see {@link Advisor}.
 *
 * @param finding one clause without an end mark
 * @param setting the setting that may help, as {@code name=value}; null if no setting does
 */
public record Advice(Kind kind, String finding, String setting) {
    /** Kinds of advice, at most one of each per model. The stored bits never change. */
    public enum Kind {
        /** Sizes of features differ by more than {@link FeatureSizes#MAX_RATIO}. */
        SCALE(1),
        /** The errors are not fewer than those of the commonest label. */
        BASELINE(2),
        /** A label is seen less than once in a thousand. */
        RARE_LABEL(4),
        /** More names share a weight than one in a hundred. */
        COLLISIONS(8),
        /** The average of the weights errs less than the last weights. */
        AVERAGED(16),
        /** No label is of a class that {@code class.weights} names. */
        CLASS_WEIGHTS(32);

        private final long bit;

        Kind(long bit) {
            this.bit = bit;
        }

        /** In the stored set of the kinds that were given. */
        long bit() {
            return bit;
        }
    }

    /** The command for a model; null if there is none. The number of hash bits is fixed once a model has seen examples. */
    public String command(String model) {
        if (setting == null) {
            return null;
        }
        String set = "perceptron models set " + model + " " + setting;
        return kind == Kind.COLLISIONS ? "perceptron models reset " + model + " && " + set : set;
    }
}
