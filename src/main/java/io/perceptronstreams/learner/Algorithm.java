package io.perceptronstreams.learner;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import java.util.List;

/** Learning algorithms; {@link Learners} creates their learners. */
public enum Algorithm {
    /** Chosen by the first label. */
    AUTO,
    /** Two classes. */
    PERCEPTRON,
    /** Any number of classes. */
    MULTICLASS,
    /** Any number of classes; each update gives the true class a lead of 1, with a maximum step. */
    MULTICLASS_PA,
    /** Two classes; each update gives the example a margin of 1. */
    PA,
    /** PA with a maximum step. */
    PA_I,
    /** PA with smaller steps. */
    PA_II,
    /** Two classes; a step size per feature. */
    AROW,
    /** Two classes; approximately the largest margin. */
    ALMA,
    /** Two classes; the largest margin but for a share, by a margin that follows the weights. */
    PDM,
    /** Two classes; gradient steps on a loss. */
    SGD,
    /** Two classes; a variance per feature, and a margin with a probability. */
    SCW,
    /** Two classes, with kernels or votes. */
    KERNEL,
    /** The best of listed candidates. */
    STRUCTURED,
    /** The best sequence of tags. */
    SEQUENCE;

    /** Returns the algorithm for a first label and its features. */
    public static Algorithm fitting(Settings settings, Features x, Label y) {
        if (x instanceof Sequence) {
            return SEQUENCE;
        }
        if (x instanceof Candidates) {
            return STRUCTURED;
        }
        boolean isNamed = y instanceof Label.ClassName || !settings.classes().isEmpty();
        return isNamed && settings.labels().isEmpty() ? MULTICLASS : PERCEPTRON;
    }

    /** Returns true if the learner has a weight vector for each class. */
    public boolean isMulticlass() {
        return this == MULTICLASS || this == MULTICLASS_PA;
    }

    /** Returns {@code KERNEL}, the dual form, for a perceptron with a kernel, a budget or votes; otherwise this. */
    public Algorithm refined(Settings settings) {
        return this == PERCEPTRON && settings.needsSupport() ? KERNEL : this;
    }

    /** Returns true if a model with this setting may keep that learner. */
    public boolean allows(Algorithm learner) {
        return this == learner || this == AUTO || (this == PERCEPTRON && learner == KERNEL);
    }

    /**
     * Parses the spelling of {@link #toString}.
     *
     * @throws IllegalArgumentException if there is no such algorithm
     */
    public static Algorithm named(String name) {
        for (Algorithm algorithm : values()) {
            if (algorithm.toString().equals(name)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("algorithm must be one of " + List.of(values()) + ", got '" + name + "'");
    }

    /** Spelling for users: {@code pa-ii}. */
    @Override
    public String toString() {
        return Settings.spelled(this);
    }
}
