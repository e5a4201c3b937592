package io.perceptronstreams.evaluation;

import java.util.List;

/**
 * Metrics of the labelled examples of a window or an epoch, of a two-class or multiclass model, beside two baselines.
 *
 * <p>Undefined metrics are NaN: for a class that has not occurred, and ratios of zeros. Labels without a row, i.e. of
 * classes beyond the first 32, are in no mean over classes.
 *
 * @param labels of the rows
 * @param sums errors of both baselines; then for each place of a {@link ConfusionMatrix} the examples whose true label,
 *     emitted label, and both have this place; not changed later
 * @param auc area under the ROC curve of the last scores; NaN without them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ClassMetrics(List<String> labels, long[] sums, double auc) {
    private static final int MAJORITY = 0;
    private static final int SAME = 1;
    private static final int CLASSES = 2;

    /** Row of all labels without a row of their own. */
    public static final int OTHER = -1;

    // columns of a place
    private static final int SEEN = 0;
    private static final int PREDICTED = 1;
    private static final int CORRECT = 2;
    private static final int COLUMNS = 3;

    static ClassMetrics of(List<String> labels, ConfusionMatrix matrix, Baselines baselines, double auc) {
        int places = matrix.isEmpty() ? 0 : matrix.size() + 1;
        long[] sums = new long[CLASSES + COLUMNS * places];
        sums[MAJORITY] = baselines.majorityErrors();
        sums[SAME] = baselines.sameErrors();
        for (int place = 0; place < places; place++) {
            int from = CLASSES + COLUMNS * place;
            sums[from + SEEN] = matrix.seen(place);
            sums[from + PREDICTED] = matrix.predicted(place);
            sums[from + CORRECT] = matrix.correct(place);
        }
        return new ClassMetrics(labels, sums, auc);
    }

    /** Returns the metrics of the examples after earlier sums. */
    ClassMetrics since(long[] earlier) {
        long[] since = sums.clone();
        for (int k = 0; k < Math.min(since.length, earlier.length); k++) {
            since[k] -= earlier[k];
        }
        return new ClassMetrics(labels, since, auc);
    }

    private long sum(int column) {
        long sum = 0;
        for (int k = CLASSES + column; k < sums.length; k += COLUMNS) {
            sum += sums[k];
        }
        return sum;
    }

    private long at(int place, int column) {
        int k = CLASSES + COLUMNS * place + column;
        return k < sums.length ? sums[k] : 0;
    }

    /** Returns true if no example was counted. */
    public boolean isEmpty() {
        return compared() == 0;
    }

    /** Labelled examples that are counted by class; the model is compared with the baselines on these. */
    public long compared() {
        return sum(SEEN);
    }

    /** Errors of the model on these. */
    public long comparedErrors() {
        return compared() - sum(CORRECT);
    }

    /** Errors of predicting the majority label so far. */
    public long majorityErrors() {
        return sums[MAJORITY];
    }

    /** Errors of predicting the last true label. */
    public long sameErrors() {
        return sums[SAME];
    }

    /** Returns true if a label without a row was counted. */
    public boolean hasOther() {
        return seen(OTHER) + predicted(OTHER) > 0;
    }

    public long seen(int row) {
        return at(row + 1, SEEN);
    }

    public long predicted(int row) {
        return at(row + 1, PREDICTED);
    }

    public long correct(int row) {
        return at(row + 1, CORRECT);
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
     * Cohen's kappa (1960): 0 if the labels agree as often as independent ones of the same frequencies would, 1 if
     * always. NaN if labels without a row occurred and were emitted: how often each of them did is not known.
     */
    public double kappa() {
        if (seen(OTHER) > 0 && predicted(OTHER) > 0) {
            return Double.NaN;
        }
        double n = compared();
        double byChance = 0;
        for (int row = OTHER; row < (sums.length - CLASSES) / COLUMNS - 1; row++) {
            byChance += seen(row) / n * (predicted(row) / n);
        }
        return (sum(CORRECT) / n - byChance) / (1 - byChance);
    }

    /** 1 - e/b for an error rate e of the model and b of the majority label so far (Bifet et al. 2015); at most 1. */
    public double kappaMajority() {
        return 1 - (double) comparedErrors() / majorityErrors();
    }

    /** 1 - e/b for an error rate e of the model and b of the last label (Bifet et al. 2013); at most 1. */
    public double kappaSame() {
        return 1 - (double) comparedErrors() / sameErrors();
    }
}
