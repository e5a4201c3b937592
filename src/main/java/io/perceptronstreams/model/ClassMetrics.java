package io.perceptronstreams.model;

import io.perceptronstreams.model.Counts.Counter;
import java.util.List;

/**
 * Metrics of the labelled examples of a window or an epoch, of a two-class or multiclass model, beside two baselines.
 *
 * <p>Undefined metrics are NaN: those of a class that has not occurred, and ratios of zeros. Labels without a row, those
 * of several classes beyond the first 32, are in no mean over classes.
 *
 * @param labels of the rows
 * @param classes row k has place k + 1
 * @param compared examples on which the model was compared with the baselines
 * @param comparedErrors errors of the model on these
 * @param majorityErrors errors of predicting the commonest true label so far
 * @param sameErrors errors of predicting the last true label
 * @param auc area under the ROC curve of the last scores; NaN without them
 */
public record ClassMetrics(
        List<String> labels,
        ClassCounts classes,
        long compared,
        long comparedErrors,
        long majorityErrors,
        long sameErrors,
        double auc) {

    static ClassMetrics of(List<String> labels, ClassCounts classes, Counts counts, double auc) {
        return new ClassMetrics(
                labels,
                classes,
                counts.of(Counter.COMPARED),
                counts.of(Counter.COMPARED_ERRORS),
                counts.of(Counter.MAJORITY_ERRORS),
                counts.of(Counter.SAME_ERRORS),
                auc);
    }

    /** Returns true if no example was counted. */
    public boolean isEmpty() {
        return compared == 0 && examples() == 0;
    }

    /** Labelled examples that are counted by class. */
    public long examples() {
        long sum = 0;
        for (int place = 0; place < classes.places(); place++) {
            sum += classes.seen(place);
        }
        return sum;
    }

    /** Returns true if a label without a row was counted. */
    public boolean hasOther() {
        return classes.seen(ConfusionMatrix.OTHER) + classes.predicted(ConfusionMatrix.OTHER) > 0;
    }

    public long seen(int row) {
        return classes.seen(row + 1);
    }

    public long predicted(int row) {
        return classes.predicted(row + 1);
    }

    public long correct(int row) {
        return classes.correct(row + 1);
    }

    /** Share of the predictions of a class that are right; NaN if there are none. */
    public double precision(int row) {
        return (double) correct(row) / predicted(row);
    }

    /** Share of the examples of a class that are predicted right; NaN if there are none. */
    public double recall(int row) {
        return (double) correct(row) / seen(row);
    }

    /** Harmonic mean of precision and recall; NaN if the class neither occurred nor was predicted. */
    public double f1(int row) {
        return 2.0 * correct(row) / (seen(row) + predicted(row));
    }

    /** Mean recall of the classes that occurred. */
    public double balancedAccuracy() {
        double sum = 0;
        int count = 0;
        for (int row = 0; row < labels.size(); row++) {
            if (seen(row) > 0) {
                sum += recall(row);
                count++;
            }
        }
        return sum / count;
    }

    /** Mean F1 of the classes that occurred or were predicted. */
    public double macroF1() {
        double sum = 0;
        int count = 0;
        for (int row = 0; row < labels.size(); row++) {
            if (seen(row) + predicted(row) > 0) {
                sum += f1(row);
                count++;
            }
        }
        return sum / count;
    }

    /**
     * Cohen's kappa (1960): 0 if the labels agree as often as independent ones of the same frequencies would, 1 if always.
     * NaN if labels without a row occurred and were emitted: how often each of them did is not known.
     */
    public double kappa() {
        if (classes.seen(ConfusionMatrix.OTHER) > 0 && classes.predicted(ConfusionMatrix.OTHER) > 0) {
            return Double.NaN;
        }
        double n = examples();
        long right = 0;
        double byChance = 0;
        for (int place = 0; place < classes.places(); place++) {
            right += classes.correct(place);
            byChance += classes.seen(place) / n * (classes.predicted(place) / n);
        }
        return (right / n - byChance) / (1 - byChance);
    }

    /** 1 - e/b for an error rate e of the model and b of the commonest label so far (Bifet et al. 2015); at most 1. */
    public double kappaMajority() {
        return 1 - (double) comparedErrors / majorityErrors;
    }

    /** 1 - e/b for an error rate e of the model and b of the last label (Bifet et al. 2013); at most 1. */
    public double kappaSame() {
        return 1 - (double) comparedErrors / sameErrors;
    }
}
