package io.perceptronstreams.bench;

import java.util.Arrays;

/** Positions of labels in a topic whose examples are learned when their labels come. Memory: 8 bytes per example. */
final class LearnedExamples {
    // number of records up to each label, ascending
    private final long[] records;
    private int labels;

    /** @param examples maximum number of labels; later ones are ignored */
    LearnedExamples(int examples) {
        records = new long[examples];
    }

    /**
     * Adds the next labels.
     *
     * @param count number of labels
     * @param sent number of records so far
     */
    void add(long count, long sent) {
        int end = (int) Math.min(records.length, labels + count);
        Arrays.fill(records, labels, end, sent);
        labels = end;
    }

    /** Returns the number of records up to the label of an example, from 1. */
    long records(long example) {
        return records[(int) example - 1];
    }

    /** Returns the number of labels among the first records. */
    long learned(long first) {
        // the labels of one position are all among them
        int found = Arrays.binarySearch(records, 0, labels, first + 1);
        while (found > 0 && records[found - 1] == first + 1) {
            found--;
        }
        return found < 0 ? -found - 1 : found;
    }
}
