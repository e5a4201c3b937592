package io.perceptronstreams.structured;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Weights;
import io.perceptronstreams.multiclass.Classes;
import io.perceptronstreams.weights.SparseRows;
import java.util.List;

/**
 * The weights of a sequence learner and the sums for their averages, as in {@link Weights}.
 *
 * <p>Emissions: a row per feature, a column per tag. Transitions: row {@link #START} holds the weight of each tag as
 * the first one, {@link #STOP} as the last one, {@link #BIAS} that of the appended feature, and row {@code AFTER + p}
 * that of following tag p. A row is as long as the largest tag that was changed in it requires.
 */
final class TagWeights {
    static final int START = 0;
    static final int STOP = 1;
    static final int BIAS = 2;
    static final int AFTER = 3;

    private final SparseRows emissions = new SparseRows();
    private final SparseRows transitions = new SparseRows();

    SparseRows emissions() {
        return emissions;
    }

    SparseRows transitions() {
        return transitions;
    }

    /**
     * Scores every tag of every token and every pair of tags with the weights that learn.
     *
     * <p>Each score adds x[i]·w[i] in ascending index, the bias last. Cost: O(features · tags + tags^2).
     */
    void score(Sequence x, int tags, boolean hasBias, TagScores scores) {
        scores.clear(x.size(), tags);
        for (int i = 0; i < x.size(); i++) {
            FeatureVector token = x.token(i);
            emissions.addProduct(token, false, scores.emissions[i]);
            if (hasBias) {
                transitions.addRow(BIAS, false, scores.emissions[i]);
            }
        }
        copyRow(START, tags, scores.start);
        copyRow(STOP, tags, scores.stop);
        for (int p = 0; p < tags; p++) {
            copyRow(AFTER + p, tags, scores.after[p]);
        }
    }

    private void copyRow(int number, int tags, double[] target) {
        double[] row = transitions.find(number);
        for (int t = 0; t < tags; t++) {
            target[t] = row == null || t >= SparseRows.columns(row) ? 0 : row[t];
        }
    }

    /**
     * Scores with the survival-weighted sum of all weights so far.
     *
     * @param last result of {@link #score} for the same sequence
     */
    void scoreAveraged(Sequence x, int tags, boolean hasBias, double survivals, TagScores last, TagScores scores) {
        scores.clear(x.size(), tags);
        for (int i = 0; i < x.size(); i++) {
            FeatureVector token = x.token(i);
            double[] sums = scores.emissions[i];
            emissions.addProduct(token, true, sums);
            if (hasBias) {
                transitions.addRow(BIAS, true, sums);
            }
            for (int t = 0; t < tags; t++) {
                sums[t] = survivals * last.emissions[i][t] - sums[t];
            }
        }
        averageRow(START, tags, survivals, scores.start);
        averageRow(STOP, tags, survivals, scores.stop);
        for (int p = 0; p < tags; p++) {
            averageRow(AFTER + p, tags, survivals, scores.after[p]);
        }
    }

    private void averageRow(int number, int tags, double survivals, double[] target) {
        double[] row = transitions.find(number);
        int columns = row == null ? 0 : SparseRows.columns(row);
        for (int t = 0; t < tags; t++) {
            target[t] = t < columns ? survivals * row[t] - row[columns + t] : 0;
        }
    }

    /** w·change. */
    static double dot(SparseRows rows, FeatureDifference change) {
        double sum = 0;
        for (int k = 0; k < change.size(); k++) {
            sum += weight(rows.find(change.row(k)), change.column(k)) * change.value(k);
        }
        return sum;
    }

    /**
     * Growth of |w|^2 if step·change were added; changes nothing.
     *
     * @return not finite if a weight, its square or its average's sum would not be
     */
    static double growth(SparseRows rows, FeatureDifference change, double step, double survivals) {
        double growth = 0;
        for (int k = 0; k < change.size(); k++) {
            double[] row = rows.find(change.row(k));
            int columns = row == null ? 0 : SparseRows.columns(row);
            int column = change.column(k);
            double by = step * change.value(k);
            double before = column < columns ? row[column] : 0;
            double average = (column < columns ? row[columns + column] : 0) + survivals * by;
            double after = before + by;
            // 0 · average is NaN if average is not finite
            growth += (after - before) * (after + before) + 0 * average;
        }
        return growth;
    }

    /** Number of numbers that {@link #addScaled} would allocate. */
    static long newNumbers(SparseRows rows, FeatureDifference change) {
        long numbers = 0;
        for (int k = 0; k < change.size(); k++) {
            if (isLastOfRow(change, k)) {
                numbers += rows.newNumbers(change.row(k), change.column(k) + 1);
            }
        }
        return numbers;
    }

    /** Adds step·change to w and survivals·step·change to a; {@link #growth} must have been finite. */
    static void addScaled(SparseRows rows, FeatureDifference change, double step, double survivals) {
        for (int from = 0, to; from < change.size(); from = to) {
            to = from + 1;
            while (!isLastOfRow(change, to - 1)) {
                to++;
            }
            double[] row = rows.touch(change.row(from), change.column(to - 1) + 1);
            int columns = SparseRows.columns(row);
            for (int k = from; k < to; k++) {
                double by = step * change.value(k);
                row[change.column(k)] += by;
                row[columns + change.column(k)] += survivals * by;
            }
        }
    }

    /** Adds the parts of w·(emitted and moved), as {@link SequencePerceptron} numbers rows and columns. */
    void explain(FeatureDifference emitted, FeatureDifference moved, Classes known, Evidence evidence) {
        for (int k = 0; k < emitted.size(); k++) {
            double weight = weight(emissions.find(emitted.row(k)), emitted.column(k));
            if (weight != 0) {
                evidence.add(emitted.row(k), name(known, emitted.column(k)), emitted.value(k), weight);
            }
        }
        double bias = 0;
        for (int k = 0; k < moved.size(); k++) {
            double weight = weight(transitions.find(moved.row(k)), moved.column(k));
            if (weight != 0 && moved.row(k) == BIAS) {
                bias += weight * moved.value(k);
            } else if (weight != 0) {
                evidence.add(Evidence.NO_FEATURE, pair(known, moved.row(k), moved.column(k)), moved.value(k), weight);
            }
        }
        evidence.setBias(bias);
    }

    private static String pair(Classes known, int row, int tag) {
        return switch (row) {
            case START -> "<s>>" + name(known, tag);
            case STOP -> name(known, tag) + "></s>";
            default -> name(known, row - AFTER) + ">" + name(known, tag);
        };
    }

    private static String name(Classes known, int tag) {
        return known.label(tag).toString();
    }

    private static boolean isLastOfRow(FeatureDifference change, int position) {
        return position + 1 == change.size() || change.row(position + 1) != change.row(position);
    }

    /** Visits all weights and their means, see {@link SequencePerceptron#forEachWeight}. Cost: O(weights · tags). */
    void forEach(List<String> tags, double survivals, Learner.WeightVisitor visitor) {
        for (int t = 0; t < tags.size(); t++) {
            int tag = t;
            double[] bias = transitions.find(BIAS);
            visitor.vector(tags.get(t), weight(bias, t), mean(bias, t, survivals));
            emissions.forEach((index, row) -> show(index, row, tag, survivals, visitor));
        }
        showPairs(START, "<s>>", "", tags, survivals, visitor);
        for (int p = 0; p < tags.size(); p++) {
            showPairs(AFTER + p, tags.get(p) + ">", "", tags, survivals, visitor);
        }
        showPairs(STOP, "", "></s>", tags, survivals, visitor);
    }

    private static void show(int index, double[] row, int column, double survivals, Learner.WeightVisitor visitor) {
        double weight = weight(row, column);
        double mean = mean(row, column, survivals);
        if (weight != 0 || mean != 0) {
            visitor.weight(index, weight, mean);
        }
    }

    /** Cost: O(columns of the row). Creates names only for pairs with a weight: there may be tags^2 pairs. */
    private void showPairs(
            int number,
            String before,
            String after,
            List<String> tags,
            double survivals,
            Learner.WeightVisitor visitor) {
        double[] row = transitions.find(number);
        int columns = row == null ? 0 : Math.min(SparseRows.columns(row), tags.size());
        for (int t = 0; t < columns; t++) {
            if (weight(row, t) != 0 || mean(row, t, survivals) != 0) {
                visitor.vector(before + tags.get(t) + after, 0, 0);
                show(0, row, t, survivals, visitor);
            }
        }
    }

    private static double weight(double[] row, int column) {
        return row == null || column >= SparseRows.columns(row) ? 0 : row[column];
    }

    private static double mean(double[] row, int column, double survivals) {
        double average = row == null || column >= SparseRows.columns(row) ? 0 : row[SparseRows.columns(row) + column];
        return Weights.average(weight(row, column), average, survivals);
    }
}
