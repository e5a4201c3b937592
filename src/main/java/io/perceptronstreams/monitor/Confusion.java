package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

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
    static Confusion of(Event status, int maxCells) {
        boolean isThere = status.value().hasField("confusion");
        if (!isThere || !(status.value().get("confusion") instanceof GenericRecord record)) {
            return null;
        }
        List<String> labels = new ArrayList<>();
        ((List<?>) record.get("labels")).forEach(label -> labels.add(label.toString()));
        List<?> cells = (List<?>) record.get("counts");
        boolean hasOther = cells.size() > labels.size() * labels.size();
        int side = labels.size() + (hasOther ? 1 : 0);
        if (cells.size() != side * side || cells.size() > maxCells) {
            return null;
        }
        List<long[]> counts = new ArrayList<>();
        for (int row = 0; row < side; row++) {
            long[] numbers = new long[side];
            for (int column = 0; column < side; column++) {
                numbers[column] = ((Number) cells.get(row * side + column)).longValue();
            }
            counts.add(numbers);
        }
        return new Confusion(
                Truncation.names(labels), hasOther, counts, ((Number) record.get("otherErrors")).longValue());
    }

    int cells() {
        return counts.size() * counts.size();
    }
}
