package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Confusion matrix over the mistakes of the current epoch, as far as they were read.
 *
 * <p>The diagonal is missing because correct predictions are not in the topic; its sum is labelled minus errors. Pairs
 * beyond {@link #MAX_PAIRS} are counted together under {@link #OTHER}.
 */
final class Confusion {
    static final String OTHER = "…";
    static final int MAX_PAIRS = 100;

    private final Map<Pair, long[]> counts = new LinkedHashMap<>();
    private long since = Long.MIN_VALUE;

    private record Pair(String label, String predicted) {}

    /** Number of mistakes with a label and a prediction; null for no prediction. */
    record Cell(String label, String predicted, long count) {}

    void count(Event mistake) {
        String label = mistake.text("label");
        String predicted = mistake.text("predicted");
        if (label == null || label.equals(predicted)) {
            // a margin mistake: the prediction is correct
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

    /** Event time of the first counted mistake, in ms; null without mistakes. */
    Long since() {
        return since == Long.MIN_VALUE ? null : since;
    }

    /** The cells, most frequent first. */
    List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        counts.forEach((pair, count) -> cells.add(new Cell(pair.label(), pair.predicted(), count[0])));
        cells.sort(Comparator.comparingLong(Cell::count).reversed());
        return cells;
    }
}
