package io.perceptronstreams.learner;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import java.util.List;

/** Which learner a model has. */
public enum Algorithm {
    /** The one that fits the first label. */
    AUTO,
    /** {@link Perceptron}: two classes. */
    PERCEPTRON,
    /** {@link MulticlassPerceptron}: any number of classes. */
    MULTICLASS,
    /** {@link PassiveAggressive}: two classes, every example with margin 1 at once. */
    PA,
    /** {@link PassiveAggressive} with a largest step. */
    PA_I,
    /** {@link PassiveAggressive} with steps that shrink. */
    PA_II,
    /** {@link Arow}: two classes, a step of its own for every feature. */
    AROW,
    /** {@link KernelPerceptron}: two classes by their support vectors, for kernels and for votes. */
    KERNEL,
    /** {@link StructuredPerceptron}: the best of listed candidates. */
    STRUCTURED,
    /** {@link SequencePerceptron}: the best sequence of tags. */
    SEQUENCE;

    /**
     * A new learner.
     *
     * @throws IllegalArgumentException if it does not take these settings
     */
    public Learner create(Settings settings) {
        return switch (this) {
            case AUTO -> new NoLearner(settings);
            case PERCEPTRON -> new Perceptron(settings);
            case MULTICLASS -> new MulticlassPerceptron(settings);
            case PA -> new Perceptron(settings, PassiveAggressive.PA);
            case PA_I -> new Perceptron(settings, PassiveAggressive.PA_I);
            case PA_II -> new Perceptron(settings, PassiveAggressive.PA_II);
            case AROW -> new Arow(settings);
            case KERNEL -> new KernelPerceptron(settings);
            case STRUCTURED -> new StructuredPerceptron(settings);
            case SEQUENCE -> new SequencePerceptron(settings);
        };
    }

    /** The learner for a first label and the features that it came with. */
    public static Algorithm fitting(Settings settings, Features x, Label y) {
        if (x instanceof Sequence) {
            return SEQUENCE;
        }
        if (x instanceof Candidates) {
            return STRUCTURED;
        }
        boolean isNamed = y instanceof Label.Named || !settings.classes().isEmpty();
        return isNamed && settings.labels().isEmpty() ? MULTICLASS : PERCEPTRON;
    }

    /** This algorithm, or that of the same rule which the settings need: a kernel and votes take the perceptron's dual form. */
    public Algorithm refined(Settings settings) {
        return this == PERCEPTRON && settings.needsSupport() ? KERNEL : this;
    }

    /** Whether a model with this setting may have that learner, and so keep it. */
    public boolean allows(Algorithm learner) {
        return this == learner || this == AUTO || (this == PERCEPTRON && learner == KERNEL);
    }

    /**
     * The algorithm that a user writes so.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Algorithm named(String name) {
        for (Algorithm algorithm : values()) {
            if (algorithm.toString().equals(name)) {
                return algorithm;
            }
        }
        throw new IllegalArgumentException("algorithm must be one of " + List.of(values()) + ", got '" + name + "'");
    }

    /** How a user writes it. */
    @Override
    public String toString() {
        return Settings.spelled(this);
    }
}
