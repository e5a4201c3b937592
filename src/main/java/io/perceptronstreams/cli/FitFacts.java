package io.perceptronstreams.cli;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.BatchTrainer.Order;
import io.perceptronstreams.model.BatchTrainer.Pass;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.theory.TrainingRun;

/** What the theorems need to know of a model that {@code fit} has trained. */
final class FitFacts {
    private FitFacts() {}

    /**
     * Puts the facts together.
     *
     * @param training what the final weights make of the training set
     * @param size how many examples the training set has, those without label included
     */
    static TrainingRun of(Model model, Evaluation training, int size, Pass last, Order order) {
        Settings settings = model.settings();
        TrainingRun.Kind kind = kind(model);
        // a draw may leave examples out, and take others more than once: then neither is the stream the training set
        // some
        // times over, nor does a pass without update say that all of them are right
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
                // Kesler's vectors have x once for each of two classes
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

    /** With scale=standard an example is another vector each time, and none of them is the one that the margin is of. */
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
