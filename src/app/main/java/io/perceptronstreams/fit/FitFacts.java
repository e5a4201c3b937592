package io.perceptronstreams.fit;

import static io.perceptronstreams.algorithm.Algorithm.Trait.DUAL;
import static io.perceptronstreams.algorithm.Algorithm.Trait.DYNAMIC_MARGIN;
import static io.perceptronstreams.algorithm.Algorithm.Trait.HINGE;
import static io.perceptronstreams.algorithm.Algorithm.Trait.SEVERAL_CLASSES;
import static io.perceptronstreams.algorithm.Algorithm.Trait.TWO_CLASSES;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.BatchTrainer;
import io.perceptronstreams.model.BatchTrainer.Order;
import io.perceptronstreams.model.BatchTrainer.Pass;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.LinearWeights;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.theory.ScaledComparator;
import io.perceptronstreams.theory.TrainingRun;
import io.perceptronstreams.theory.ZeroSum;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/** Facts about a training of {@code fit}, as input of the theorems. */
public final class FitFacts {
    private FitFacts() {}

    /**
     * Collects the facts.
     *
     * @param last pass that the model has learned
     * @param other weights to compare with, besides w and its average; may be null
     * @param keepGoing called before each evaluated example; false stops
     * @return null if it was stopped
     * @throws RejectedException if an example cannot be used, with its position in the message
     */
    public static TrainingRun of(
            Model model,
            ExampleBuffer examples,
            BatchTrainer trainer,
            Pass last,
            Order order,
            LinearWeights other,
            LongPredicate keepGoing) {
        double[] margins = new double[examples.size()];
        int[] labelled = new int[1];
        BitSet support = trainer.updated(last);
        Evaluation training =
                Evaluation.of(model, examples, Settings.Predict.LAST, keepGoing, (position, outcome, margin) -> {
                    margins[labelled[0]++] = margin;
                    if (outcome == null || outcome.isError()) {
                        support.set(position);
                    }
                });
        Settings settings = model.pipeline().settings();
        // the weights that learn decide the margins, and those that predict the errors
        Evaluation emitted = settings.get(Settings.PREDICT) == Settings.Predict.LAST
                ? training
                : Evaluation.of(
                        model, examples, settings.get(Settings.PREDICT), keepGoing, (position, outcome, margin) -> {});
        if (training == null || emitted == null) {
            return null;
        }
        TrainingRun.Kind kind = kind(model);
        // random draws omit examples and repeat others: the stream is not a repetition of the training set
        boolean isWhole = order != Order.RANDOM && last.examples() == examples.size();
        double norm = model.pipeline().learner().weightNorm();
        boolean isEqual = !Double.isNaN(training.weight()) && settings.hasEqualClasses();
        boolean hasFixedWeights =
                !(model.pipeline().algorithm().uses(Settings.NORMALISED) && settings.get(Settings.NORMALISED));
        boolean isMarginKnown = isMarginKnown(settings) && hasFixedWeights && norm > 0;
        // Kesler's vectors contain x for two classes
        double radius = model.pipeline().learner().radius()
                * (model.pipeline().algorithm().has(SEVERAL_CLASSES) ? Math.sqrt(2) : 1);
        double eta = settings.get(Settings.ETA) * (isEqual ? training.weight() : 1);
        double growth = radius * radius + 2 * settings.largestHinge() / eta;
        ScaledComparator comparator = null;
        if (isMarginKnown && isWhole) {
            comparator =
                    ScaledComparator.best("w", Arrays.copyOf(margins, labelled[0]), last.number(), growth, norm * norm);
            if (kind == TrainingRun.Kind.TWO_CLASS
                    && model.pipeline().algorithm().hasComparator()
                    && settings.get(Settings.THRESHOLD).score() == 0) {
                comparator = better(comparator, average(model, examples, last.number(), growth), growth);
            }
            if (other != null) {
                comparator = better(comparator, other(model, examples, other, last.number(), growth), growth);
            }
        }
        return new TrainingRun(
                kind,
                training.labelled(),
                last.number(),
                model.current().version(),
                trainer.isConverged(last),
                radius,
                norm,
                model.pipeline().learner().steps(),
                isMarginKnown ? training.leastMargin() / norm : Double.NaN,
                comparator,
                isChangedByUpdatesOnly(settings) ? support.cardinality() : -1,
                kind == TrainingRun.Kind.TWO_CLASS ? cycle(model, examples, trainer.cycle()) : null,
                (double) emitted.errors() / emitted.labelled(),
                training.features(),
                settings.get(Settings.BIAS),
                settings.largestHinge(),
                eta,
                model.pipeline().algorithm().has(DYNAMIC_MARGIN) ? settings.get(Settings.ALPHA) : Double.NaN,
                isEqual,
                settings.get(Settings.PREDICT),
                settings.get(Settings.THRESHOLD).score(),
                settings.get(Settings.SCALE) != Settings.Scale.STANDARD,
                hasFixedWeights);
    }

    private static ScaledComparator better(ScaledComparator one, ScaledComparator other, double growth) {
        return other != null && (one == null || other.bound(growth) < one.bound(growth)) ? other : one;
    }

    /** The average of all weights as a comparator; it is often the better separator. */
    private static ScaledComparator average(Model model, ExampleBuffer examples, long passes, double growth) {
        double[] margins = new double[examples.size()];
        int[] labelled = new int[1];
        Evaluation.of(model, examples, Settings.Predict.AVERAGED, done -> true, (position, outcome, margin) -> {
            double score = outcome == null ? Double.NaN : Math.abs(outcome.predictedScore());
            margins[labelled[0]++] = outcome != null && outcome.isError() ? -score : score;
        });
        double[] squares = new double[1];
        model.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                squares[0] += averagedBias * averagedBias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                squares[0] += averaged * averaged;
            }
        });
        return ScaledComparator.best("the average", Arrays.copyOf(margins, labelled[0]), passes, growth, squares[0]);
    }

    private static ScaledComparator other(
            Model model, ExampleBuffer examples, LinearWeights u, long passes, double growth) {
        double[] margins = new double[examples.size()];
        int labelled = 0;
        Example example = new Example();
        for (int position = 0; position < examples.size(); position++) {
            examples.fill(position, example);
            if (example.label() != null) {
                // also scales the features
                int y = sign(model, model.current().evaluate(example));
                margins[labelled++] = y
                        * u.score(
                                (FeatureVector) example.features(),
                                model.pipeline().settings().get(Settings.BIAS));
            }
        }
        return ScaledComparator.best(
                "the given weights", Arrays.copyOf(margins, labelled), passes, growth, u.squaredNorm());
    }

    private static int sign(Model model, Outcome outcome) {
        boolean isPredictedPositive = outcome.predictedScore()
                >= model.pipeline().settings().get(Settings.THRESHOLD).score();
        return isPredictedPositive != outcome.isError() ? 1 : -1;
    }

    /** Returns null unless the updates of a cycle prove, computed exactly, that there is no separator. */
    private static TrainingRun.Cycle cycle(Model model, ExampleBuffer examples, BatchTrainer.Cycle cycle) {
        Settings settings = model.pipeline().settings();
        boolean isSum = settings.get(Settings.SCALE) == Settings.Scale.NONE
                && settings.get(Settings.CLASS_WEIGHTS).isNone();
        if (cycle == null || !isSum) {
            return null;
        }
        SortedMap<Integer, Integer> updates = new TreeMap<>();
        ZeroSum sum = new ZeroSum();
        Example example = new Example();
        cycle.updates().forEach((position, count) -> {
            examples.fill(position, example);
            int y = sign(model, model.current().evaluate(example));
            FeatureVector x = (FeatureVector) example.features();
            int[] indices = IntStream.range(0, x.size()).map(x::index).toArray();
            // without eta, a factor of all
            sum.add(indices, x.values(), x.size(), settings.get(Settings.BIAS), y * count, example.weight());
            updates.put(position + 1, count);
        });
        return sum.isZero() ? new TrainingRun.Cycle(cycle.start(), cycle.end(), updates) : null;
    }

    /** With scale=standard the vector of an example changes over time, so that its margin is not defined. */
    public static boolean isMarginKnown(Settings settings) {
        return settings.get(Settings.SCALE) != Settings.Scale.STANDARD;
    }

    /** Balanced weights change with all labels, and a drift detector observes all errors. */
    private static boolean isChangedByUpdatesOnly(Settings settings) {
        boolean isAdapted = settings.get(Settings.DRIFT) != DriftSettings.Detector.NONE
                && settings.get(Settings.DRIFT_ACTION) != DriftSettings.Action.NONE;
        return isMarginKnown(settings) && !settings.get(Settings.CLASS_WEIGHTS).isBalanced() && !isAdapted;
    }

    private static TrainingRun.Kind kind(Model model) {
        Algorithm algorithm = model.pipeline().algorithm();
        boolean isTwoClass = algorithm.has(TWO_CLASSES);
        if (!algorithm.has(HINGE)) {
            return isTwoClass ? TrainingRun.Kind.OTHER : TrainingRun.Kind.OTHER_STRUCTURED;
        }
        boolean isKernel = algorithm.has(DUAL) && !model.pipeline().settings().hasFeatureWeights();
        return !isTwoClass
                ? TrainingRun.Kind.STRUCTURED
                : isKernel ? TrainingRun.Kind.KERNEL : TrainingRun.Kind.TWO_CLASS;
    }
}
