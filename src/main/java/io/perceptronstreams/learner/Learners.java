package io.perceptronstreams.learner;

/** Creates the learner of an {@link Algorithm}. */
public final class Learners {
    private Learners() {}

    /**
     * Creates a new learner.
     *
     * @throws IllegalArgumentException if it does not support these settings; {@link Settings#requireUsedBy} finds
     *     those that it would ignore
     */
    public static Learner create(Algorithm algorithm, Settings settings) {
        return switch (algorithm) {
            case AUTO -> new NoLearner();
            case PERCEPTRON -> new Perceptron(settings);
            case MULTICLASS -> new MulticlassPerceptron(settings);
            case MULTICLASS_PA -> new MulticlassPassiveAggressive(settings);
            case PA -> new Perceptron(settings, PassiveAggressive.PA);
            case PA_I -> new Perceptron(settings, PassiveAggressive.PA_I);
            case PA_II -> new Perceptron(settings, PassiveAggressive.PA_II);
            case AROW -> new Arow(settings);
            case ALMA -> new Alma(settings);
            case PDM -> new Perceptron(settings, new DynamicMargin());
            case SGD -> new Sgd(settings);
            case SCW -> new Scw(settings);
            case KERNEL -> new KernelPerceptron(settings);
            case STRUCTURED -> new StructuredPerceptron(settings);
            case SEQUENCE -> new SequencePerceptron(settings);
        };
    }
}
