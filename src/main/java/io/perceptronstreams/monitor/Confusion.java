package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which label was taken for which, counted over the mistakes that were read in the model's present epoch.
 *
 * <p>What was right is in no topic of mistakes: there is no diagonal, only the sum of it, labelled minus errors. Pairs beyond the
 * bound are counted together, as labels of the name {@link #OTHER}.
 */
final class Confusion {
    static final String OTHER = "…";
    static final int MAX_PAIRS = 100;

    private final Map<Pair, long[]> counts = new LinkedHashMap<>();
    private long since = Long.MIN_VALUE;

    private record Pair(String label, String predicted) {}

    /** How often {@code label} was predicted as {@code predicted}; the latter is null where there was no prediction. */
    record Cell(String label, String predicted, long count) {}

    void count(Event mistake) {
        String label = mistake.text("label");
        String predicted = mistake.text("predicted");
        if (label == null || label.equals(predicted)) {
            // the label was right, only its margin was not
            return;
        }
        Pair pair = new Pair(Truncation.text(label, 64), Truncation.text(predicted, 64));
        if (!counts.containsKey(pair) && counts.size() >= MAX_PAIRS) {
            pair = new Pair(OTHER, OTHER);
        }
        counts.computeIfAbsent(pair, key -> new long[1])[0]++;
        since = since == Long.MIN_VALUE ? mistake.timestamp() : Math.min(since, mistake.timestamp());
    }

    void clear() {
        counts.clear();
        since = Long.MIN_VALUE;
    }

    /** Event time of the first mistake that was counted, in ms; null if there is none. */
    Long since() {
        return since == Long.MIN_VALUE ? null : since;
    }

    /** The most frequent first. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        counts.forEach((pair, count) -> cells.add(new Cell(pair.label(), pair.predicted(), count[0])));
        cells.sort(Comparator.comparingLong(Cell::count).reversed());
        return cells;
    }
}
