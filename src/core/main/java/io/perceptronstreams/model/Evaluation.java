package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.ClassCounts;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Evaluation of a model on a finite set of examples, without learning.
 *
 * @param labelled number of examples with a label; the others are skipped
 * @param errors number of wrong predictions; a label that the model does not have counts as wrong
 * @param tags number of tags in the labels of sequences; 0 without sequences
 * @param wrongTags number of wrong tags
 * @param leastMargin smallest y·(w·x), or lead of the true output over the best other, not divided by |w|; NaN if the
 *     model does not compute it for every example (tag sequences without h, unknown labels)
 * @param weight common weight of all labelled examples; NaN if they differ
 * @param features number of distinct features in the vectors; 0 if the features are not vectors
 * @param confusion pairs of true and predicted label; empty unless the model has classes
 * @param metrics by class; the area under the ROC curve is of all examples
 */
public record Evaluation(
        long labelled,
        long errors,
        long tags,
        long wrongTags,
        double leastMargin,
        double weight,
        long features,
        ConfusionMatrix confusion,
        ClassMetrics metrics) {

    /** Receives the outcome of each labelled example. */
    public interface Listener {
        /**
         * Called after each example.
         *
         * @param outcome null if the model does not have its label
         * @param margin as {@link #leastMargin}, of this example
         */
        void evaluated(int position, Outcome outcome, double margin);
    }

    /**
     * Evaluates with the given kind of prediction, regardless of the model's {@code predict}; the model does not
     * change.
     *
     * @param keepGoing called before each example with the number of evaluated ones; false stops
     * @return null if it was stopped
     * @throws RejectedException if an example cannot be used, with its position in the message
     */
    public static Evaluation of(
            Model model, ExampleBuffer examples, Settings.Predict predict, LongPredicate keepGoing, Listener listener) {
        Settings before = model.pipeline().settings();
        model.configure(Map.of("predict", Settings.spelled(predict)));
        try {
            return evaluate(model, examples, keepGoing, listener);
        } finally {
            model.configure(Map.of("predict", Settings.spelled(before.get(Settings.PREDICT))));
        }
    }

    /**
     * Evaluates like {@link #of}, for each value of {@code predict} that the model supports.
     *
     * @return null if it was stopped
     */
    public static Map<Settings.Predict, Evaluation> ofEach(
            Model model, ExampleBuffer examples, LongPredicate keepGoing) {
        Map<Settings.Predict, Evaluation> evaluations = new EnumMap<>(Settings.Predict.class);
        Settings before = model.pipeline().settings();
        for (Settings.Predict predict : Settings.Predict.values()) {
            try {
                model.configure(Map.of("predict", Settings.spelled(predict)));
            } catch (IllegalArgumentException e) {
                // not supported by the learner
                continue;
            }
            evaluations.put(predict, evaluate(model, examples, keepGoing, (position, outcome, margin) -> {}));
        }
        model.configure(Map.of("predict", Settings.spelled(before.get(Settings.PREDICT))));
        return evaluations.containsValue(null) ? null : evaluations;
    }

    private static Evaluation evaluate(
            Model model, ExampleBuffer examples, LongPredicate keepGoing, Listener listener) {
        Tally tally = new Tally(model.pipeline(), examples.size());
        Example example = new Example();
        for (int position = 0; position < examples.size(); position++) {
            if (!keepGoing.test(position)) {
                return null;
            }
            examples.fill(position, example);
            if (example.label() == null) {
                continue;
            }
            try {
                Outcome outcome = model.current().evaluateApart(example);
                listener.evaluated(position, outcome, tally.margin(example.features(), outcome));
                tally.add(example, outcome);
            } catch (RejectedException e) {
                if (e.reason() != RejectReason.INVALID_LABEL) {
                    throw BatchTrainer.at(examples, position, e);
                }
                listener.evaluated(position, null, Double.NaN);
                Label truth = example.label();
                Outcome outcome = predict(model, examples, position, example);
                tally.addUnknown(example, truth, outcome);
            }
        }
        return tally.result();
    }

    /** The prediction for an example whose label the model does not have. */
    private static Outcome predict(Model model, ExampleBuffer examples, int position, Example example) {
        // read again: the first evaluation has scaled it
        examples.fill(position, example);
        example.setLabel(null);
        return model.current().evaluateApart(example);
    }

    private static final class Tally {
        private final Pipeline pipeline;
        private final int size;
        private final ClassCounts classes = new ClassCounts();
        // of sequences: whether their best other sequence is searched
        private final boolean hasMargins;
        private long labelled;
        private long errors;
        private long tags;
        private long wrongTags;
        private double leastMargin = Double.POSITIVE_INFINITY;
        private double weight;
        private long features;
        // 1 for each feature that has occurred
        private final BlockVector seen = new BlockVector(1);

        Tally(Pipeline pipeline, int size) {
            this.pipeline = pipeline;
            this.size = size;
            hasMargins = pipeline.settings().get(Settings.H) > 0
                    || pipeline.settings().get(Settings.H_INCLUSIVE);
        }

        void add(Example example, Outcome outcome) {
            errors += outcome.isError() ? 1 : 0;
            if (pipeline.algorithm().hasClasses()) {
                // no score is forgotten
                classes.add(
                        example.label(), outcome, pipeline.learner(), pipeline.algorithm(), pipeline.settings(), size);
            }
            count(example, example.label(), outcome, margin(example.features(), outcome));
        }

        /** @param outcome of the example without its label */
        void addUnknown(Example example, Label truth, Outcome outcome) {
            errors++;
            if (pipeline.algorithm().hasClasses()) {
                classes.addUnknown(truth, outcome, pipeline.algorithm(), pipeline.settings());
            }
            count(example, truth, outcome, Double.NaN);
        }

        private double margin(Features x, Outcome outcome) {
            if (x instanceof Sequence && !hasMargins) {
                return Double.NaN;
            }
            boolean isAlone = x instanceof Candidates candidates
                    ? candidates.size() == 1
                    : x instanceof Sequence && outcome.kind() == Outcome.Kind.CORRECT && outcome.margin() == 0;
            // no other output: the margin is infinite
            return isAlone ? Double.POSITIVE_INFINITY : outcome.margin();
        }

        private void count(Example example, Label label, Outcome outcome, double margin) {
            weight = labelled == 0 || weight == example.weight() ? example.weight() : Double.NaN;
            labelled++;
            // keeps a NaN
            leastMargin = Math.min(leastMargin, margin);
            if (label instanceof Label.Tags truth) {
                tags += truth.tags().size();
                wrongTags += truth.differences(outcome.predicted());
            }
            if (example.features() instanceof FeatureVector x) {
                for (int k = 0; k < x.size(); k++) {
                    features += seen.read(x.index(k), 0) == 0 ? 1 : 0;
                    seen.write(x.index(k), 0, 1);
                }
            }
        }

        Evaluation result() {
            return new Evaluation(
                    labelled,
                    errors,
                    tags,
                    wrongTags,
                    labelled == 0 ? Double.NaN : leastMargin,
                    weight,
                    features,
                    classes.confusion(),
                    classes.metrics(pipeline.settings()));
        }
    }
}
