package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ConfusionMatrix;
import java.util.ArrayList;
import java.util.List;

/**
 * Confusion matrix of a ModelStatus.
 *
 * @param labels of rows and columns, shortened
 * @param hasOther true if the last row and column are those of all other labels
 * @param counts a row for each true label, in it a count for each emitted label
 * @param otherErrors errors between other labels, which are in no count
 */
record Confusion(List<String> labels, boolean hasOther, List<long[]> counts, long otherErrors) {
    /** Number of counts of the largest matrix of the engine. */
    static final int MAX_CELLS = 33 * 33;

    /** Returns the matrix of a status; null if it has none, or one of more than {@code maxCells} counts. */
    static Confusion of(ConfusionMatrix matrix, int maxCells) {
        if (matrix == null) {
            return null;
        }
        List<String> labels = matrix.getLabels();
        List<Long> cells = matrix.getCounts();
        boolean hasOther = cells.size() > labels.size() * labels.size();
        int side = labels.size() + (hasOther ? 1 : 0);
        if (cells.size() != side * side || cells.size() > maxCells) {
            return null;
        }
        List<long[]> counts = new ArrayList<>();
        for (int row = 0; row < side; row++) {
            long[] numbers = new long[side];
            for (int column = 0; column < side; column++) {
                numbers[column] = cells.get(row * side + column);
            }
            counts.add(numbers);
        }
        return new Confusion(Truncation.names(labels), hasOther, counts, matrix.getOtherErrors());
    }

    int cells() {
        return counts.size() * counts.size();
    }
}
