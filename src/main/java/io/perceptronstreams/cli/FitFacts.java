package io.perceptronstreams.cli;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.BatchTrainer.Order;
import io.perceptronstreams.model.BatchTrainer.Pass;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.theory.TrainingRun;

/** Facts about a training of {@code fit}, as input of the theorems. */
final class FitFacts {
    private FitFacts() {}

    /**
     * Collects the facts.
     *
     * @param training evaluation of the final weights on the training set
     * @param size number of examples of the training set, including those without label
     */
    static TrainingRun of(Model model, Evaluation training, int size, Pass last, Order order) {
        Settings settings = model.settings();
        TrainingRun.Kind kind = kind(model);
        // random draws omit examples and repeat others: the stream is not a repetition of the training set, and a pass
        // without update does not mean that all examples are correct
        boolean isWhole = order != Order.RANDOM && last.examples() == size;
        double norm = model.learner().weightNorm();
        boolean isEqual = !Double.isNaN(training.weight());
        boolean isMarginKnown = isMarginKnown(settings) && norm > 0;
        return new TrainingRun(
                kind,
                training.labelled(),
                last.number(),
                model.version(),
                isWhole && last.updates() == 0,
                // Kesler's vectors contain x for two classes
                model.learner().radius() * (model.algorithm() == Algorithm.MULTICLASS ? Math.sqrt(2) : 1),
                norm,
                model.learner().steps(),
                isMarginKnown ? training.leastMargin() / norm : Double.NaN,
                isMarginKnown && isWhole ? training.hingeLoss() : Double.NaN,
                (double) training.errors() / training.labelled(),
                training.features(),
                settings.bias(),
                settings.h(),
                settings.eta() * (isEqual ? training.weight() : 1),
                isEqual);
    }

    /** With scale=standard the vector of an example changes over time, so that its margin is not defined. */
    static boolean isMarginKnown(Settings settings) {
        return settings.scale() != Settings.Scale.STANDARD;
    }

    private static TrainingRun.Kind kind(Model model) {
        return switch (model.algorithm()) {
            case AUTO, PERCEPTRON -> TrainingRun.Kind.TWO_CLASS;
            case KERNEL ->
                model.settings().kernel().isEmpty() || model.settings().kernel().equals("linear")
                        ? TrainingRun.Kind.TWO_CLASS
                        : TrainingRun.Kind.KERNEL;
            case MULTICLASS, STRUCTURED, SEQUENCE -> TrainingRun.Kind.STRUCTURED;
            case PA, PA_I, PA_II, AROW, ALMA -> TrainingRun.Kind.OTHER;
        };
    }
}
