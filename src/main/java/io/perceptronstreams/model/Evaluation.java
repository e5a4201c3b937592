package io.perceptronstreams.model;

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
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * What a model makes of a finite set of examples that it does not learn from.
 *
 * @param labelled examples with a label; the others are passed over
 * @param errors of these, how many labels were predicted wrong; one that the model does not know is wrong
 * @param tags how many tags the labels of sequences have; 0 where there are no sequences
 * @param wrongTags of these, how many were predicted wrong
 * @param leastMargin smallest y·(w·x), or lead of the true output over the best other, not divided by |w|; NaN where the
 *     model does not compute it for every example (tag sequences, unknown labels)
 * @param hingeLoss sum of max(0, 1 - margin) of the same margins; NaN as these
 * @param weight that of every labelled example; NaN where they have different ones
 * @param features how many features occur in the vectors; 0 where examples are no vectors
 */
public record Evaluation(
        long labelled,
        long errors,
        long tags,
        long wrongTags,
        double leastMargin,
        double hingeLoss,
        double weight,
        long features) {

    /**
     * Evaluates by the present weights, whatever {@code predict} says; the model is as before afterwards.
     *
     * @param keepGoing asked before each example, with the number of those that were evaluated
     * @return null if it did not go on to the end
     * @throws RejectedException if an example cannot be used, with its place among the examples
     */
    public static Evaluation of(Model model, ExampleBuffer examples, LongPredicate keepGoing) {
        Settings before = model.settings();
        model.configure(Map.of("predict", Settings.spelled(Settings.Predict.LAST)));
        try {
            return present(model, examples, keepGoing);
        } finally {
            model.configure(Map.of("predict", Settings.spelled(before.predict())));
        }
    }

    /** As {@link #of}, for each way to predict that the model allows. */
    public static Map<Settings.Predict, Evaluation> ofEach(Model model, ExampleBuffer examples) {
        Map<Settings.Predict, Evaluation> evaluations = new EnumMap<>(Settings.Predict.class);
        Settings before = model.settings();
        for (Settings.Predict predict : Settings.Predict.values()) {
            try {
                model.configure(Map.of("predict", Settings.spelled(predict)));
            } catch (IllegalArgumentException e) {
                // such a model cannot predict so
                continue;
            }
            evaluations.put(predict, present(model, examples, count -> true));
        }
        model.configure(Map.of("predict", Settings.spelled(before.predict())));
        return evaluations;
    }

    private static Evaluation present(Model model, ExampleBuffer examples, LongPredicate keepGoing) {
        Tally tally = new Tally();
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
                tally.add(example, model.evaluate(example));
            } catch (RejectedException e) {
                if (e.reason() != RejectReason.INVALID_LABEL) {
                    throw BatchTrainer.at(position, e);
                }
                tally.addUnknown(example);
            }
        }
        return tally.result();
    }

    private static final class Tally {
        private long labelled;
        private long errors;
        private long tags;
        private long wrongTags;
        private double leastMargin = Double.POSITIVE_INFINITY;
        private double hingeLoss;
        private double weight;
        private long features;
        // 1 for each that has occurred
        private final BlockVector seen = new BlockVector(1);

        void add(Example example, Outcome outcome) {
            errors += outcome.isError() ? 1 : 0;
            if (example.label() instanceof Label.Tags truth) {
                wrongTags += differences(truth, outcome.predicted());
            }
            count(example, margin(example.features(), outcome));
        }

        void addUnknown(Example example) {
            errors++;
            if (example.label() instanceof Label.Tags truth) {
                wrongTags += truth.tags().size();
            }
            count(example, Double.NaN);
        }

        private static double margin(Features x, Outcome outcome) {
            if (x instanceof Candidates candidates && candidates.size() == 1) {
                // no other output can come near the only one
                return Double.POSITIVE_INFINITY;
            }
            return x instanceof Sequence ? Double.NaN : outcome.margin();
        }

        private void count(Example example, double margin) {
            weight = labelled == 0 || weight == example.weight() ? example.weight() : Double.NaN;
            labelled++;
            // both keep a NaN
            leastMargin = Math.min(leastMargin, margin);
            hingeLoss += Math.max(0, 1 - margin);
            if (example.label() instanceof Label.Tags truth) {
                tags += truth.tags().size();
            }
            if (example.features() instanceof FeatureVector x) {
                for (int k = 0; k < x.size(); k++) {
                    features += seen.read(x.index(k), 0) == 0 ? 1 : 0;
                    seen.write(x.index(k), 0, 1);
                }
            }
        }

        private static long differences(Label.Tags truth, Label predicted) {
            if (!(predicted instanceof Label.Tags found)) {
                return truth.tags().size();
            }
            long count = 0;
            for (int k = 0; k < truth.tags().size(); k++) {
                count += truth.tags().get(k).equals(found.tags().get(k)) ? 0 : 1;
            }
            return count;
        }

        Evaluation result() {
            return new Evaluation(
                    labelled,
                    errors,
                    tags,
                    wrongTags,
                    labelled == 0 ? Double.NaN : leastMargin,
                    labelled == 0 ? Double.NaN : hingeLoss,
                    weight,
                    features);
        }
    }
}
