package io.perceptronstreams.model;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Outcome;

/**
 * Counts of an {@link Evaluation} by class: the confusion matrix, the baselines and all scores.
 *
 * <p>As those of a stream, in the order of the examples; but no score is forgotten. Empty for models without classes. Cost:
 * O(1) per example, and 8 bytes of heap for two classes. Not thread-safe.
 */
public final class EvaluationCounts {
    private static final int MIN_SCORES = 1024;

    private final Model model;
    private final ConfusionMatrix confusion = new ConfusionMatrix();
    private final Baselines baselines = new Baselines();
    private final Counts totals = new Counts();
    private final RecentScores scores = new RecentScores();
    private int scoresCapacity = MIN_SCORES;

    /** @param model that is evaluated; its labels and settings must not change meanwhile */
    EvaluationCounts(Model model) {
        this.model = model;
    }

    /** Counts an example. */
    void add(Label truth, Outcome outcome) {
        Algorithm algorithm = model.algorithm();
        if (algorithm.hasClasses()) {
            int actual = confusion.actual(truth, outcome, model.learner(), algorithm, model.settings());
            add(truth, actual, outcome, outcome.isError());
            if (algorithm.has(Algorithm.Trait.TWO_CLASSES)) {
                addScore(outcome.predictedScore(), ConfusionMatrix.isPositive(actual));
            }
        }
    }

    /**
     * Counts an example with a label that the model does not have. It is no pair of scores.
     *
     * @param outcome of the example without its label
     */
    void addUnknown(Label truth, Outcome outcome) {
        if (model.algorithm().hasClasses()) {
            add(truth, ConfusionMatrix.OTHER, outcome, true);
        }
    }

    private void add(Label truth, int actual, Outcome outcome, boolean isError) {
        int emitted = confusion.emitted(outcome, model.algorithm(), model.settings());
        String name = truth.toString();
        totals.compare(isError, baselines.isCommonest(actual), baselines.isLast(actual, name));
        baselines.add(actual, name);
        confusion.add(actual, emitted, isError);
    }

    private void addScore(double score, boolean isPositive) {
        if (scores.size() == scoresCapacity) {
            scoresCapacity *= 2;
        }
        scores.add(score, isPositive, scoresCapacity);
    }

    /** The confusion matrix. */
    public ConfusionMatrix confusion() {
        return confusion;
    }

    /** The metrics; the area under the ROC curve is that of all examples. Cost: O(classes^2 + n log n). */
    public ClassMetrics metrics() {
        return ClassMetrics.of(
                confusion.labels(model.settings()), confusion.classes(baselines), totals, scores.areaUnderCurve());
    }
}
