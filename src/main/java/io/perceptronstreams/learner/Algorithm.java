package io.perceptronstreams.learner;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;

/** Which learner a model has. */
public enum Algorithm {
    /** The one that fits the first label. */
    AUTO,
    /** {@link Perceptron}: two classes. */
    PERCEPTRON;

    /**
     * A new learner.
     *
     * @throws IllegalArgumentException if it does not take these settings
     */
    Learner create(Settings settings) {
        return switch (this) {
            case AUTO -> new Undecided(settings);
            case PERCEPTRON -> new Perceptron(settings);
        };
    }

    /** The learner for a first label and the features that it came with. */
    static Algorithm fitting(Features x, Label y) {
        return PERCEPTRON;
    }

    /** How a user writes it. */
    @Override
    public String toString() {
        return Settings.spelled(this);
    }
}
