package io.perceptronstreams.model;

import io.perceptronstreams.state.StoredFields;
import java.util.Arrays;

/**
 * Labelled examples of each class: how often it was the true label, the emitted one, and both.
 *
 * <p>Classes have the places of {@link ConfusionMatrix}: 0 is that of all labels without a row. Not thread-safe.
 */
public final class ClassCounts {
    private static final int SEEN = 0;
    private static final int PREDICTED = 1;
    private static final int CORRECT = 2;
    private static final int COLUMNS = 3;

    private long[] counts = {};

    /**
     * Counts an example.
     *
     * @param emitted {@link ConfusionMatrix#NOTHING} if no label was emitted
     */
    void add(int actual, int emitted, boolean isError) {
        growTo(Math.max(actual, emitted) + 1);
        counts[actual * COLUMNS + SEEN]++;
        if (emitted != ConfusionMatrix.NOTHING) {
            counts[emitted * COLUMNS + PREDICTED]++;
        }
        if (!isError) {
            counts[actual * COLUMNS + CORRECT]++;
        }
    }

    private void growTo(int places) {
        if (counts.length < places * COLUMNS) {
            counts = Arrays.copyOf(counts, places * COLUMNS);
        }
    }

    /** Sets the counts of a place. */
    public void set(int place, long seen, long predicted, long correct) {
        growTo(place + 1);
        counts[place * COLUMNS + SEEN] = seen;
        counts[place * COLUMNS + PREDICTED] = predicted;
        counts[place * COLUMNS + CORRECT] = correct;
    }

    /** Number of places with counts. */
    public int places() {
        return counts.length / COLUMNS;
    }

    /** Examples whose true label has this place. */
    public long seen(int place) {
        return count(place, SEEN);
    }

    /** Examples for which a label of this place was emitted. */
    public long predicted(int place) {
        return count(place, PREDICTED);
    }

    /** Examples whose true label has this place and was emitted. */
    public long correct(int place) {
        return count(place, CORRECT);
    }

    private long count(int place, int column) {
        return place < places() ? counts[place * COLUMNS + column] : 0;
    }

    /** Writes or restores the counts. */
    void exchange(StoredFields fields) {
        long[] stored = fields.counts(counts);
        counts = Arrays.copyOf(stored, (stored.length + COLUMNS - 1) / COLUMNS * COLUMNS);
    }

    void clear() {
        counts = new long[0];
    }

    ClassCounts copy() {
        ClassCounts copy = new ClassCounts();
        copy.counts = counts.clone();
        return copy;
    }
}
