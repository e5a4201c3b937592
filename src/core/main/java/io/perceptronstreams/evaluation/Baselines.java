package io.perceptronstreams.evaluation;

import io.perceptronstreams.state.StoredFields;

/**
 * Errors of two predictions that need no features: the majority label so far, and the last true label. A model is of
 * use only if it makes fewer errors than both.
 *
 * <p>Of labels that are equally common, the one with the smallest place in the {@link ConfusionMatrix} is predicted.
 * Labels without a row are never the majority, and are compared by 64 bits of their names. Before the first label both
 * predictions are wrong. Errors stay what they were when a label is corrected: they depend on the order of all labels.
 * Cost: O(1) per example. Not thread-safe.
 */
final class Baselines {
    // no class has this place
    private static final int NONE = -1;

    private int majority = NONE;
    private int last = NONE;
    private long lastHash;
    private long majorityErrors;
    private long sameErrors;

    /**
     * Counts a true label.
     *
     * @param actual its place
     * @param name used only without a row
     * @param matrix counts this label, too
     */
    void add(int actual, String name, ConfusionMatrix matrix) {
        long hash = actual == ConfusionMatrix.OTHER ? hash(name) : 0;
        majorityErrors += actual == majority ? 0 : 1;
        sameErrors += actual == last && hash == lastHash ? 0 : 1;
        compare(actual, matrix);
        last = actual;
        lastHash = hash;
    }

    private void compare(int place, ConfusionMatrix matrix) {
        if (place == ConfusionMatrix.OTHER || matrix.seen(place) == 0) {
            return;
        }
        boolean isMore = majority == NONE
                || matrix.seen(place) > matrix.seen(majority)
                || (matrix.seen(place) == matrix.seen(majority) && place < majority);
        majority = isMore ? place : majority;
    }

    /** FNV-1a (Fowler, Noll and Vo 1991) of the UTF-16 units. */
    private static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int k = 0; k < name.length(); k++) {
            hash = (hash ^ name.charAt(k)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Errors of predicting the majority label so far. */
    long majorityErrors() {
        return majorityErrors;
    }

    /** Errors of predicting the last true label. */
    long sameErrors() {
        return sameErrors;
    }

    /**
     * Writes or restores the state, after the matrix.
     *
     * @throws IllegalArgumentException if it does not fit to the matrix
     */
    void exchange(StoredFields fields, ConfusionMatrix matrix) {
        last = fields.upTo(matrix.size() + 1, last + 1) - 1;
        // only a label without a row needs the hash of its name
        lastHash = last == ConfusionMatrix.OTHER ? fields.signed(lastHash) : 0;
        majorityErrors = fields.unsigned(majorityErrors);
        sameErrors = fields.unsigned(sameErrors);
        if (fields.isReading()) {
            findMajority(matrix);
        }
    }

    /** Finds the majority label again, because a label was corrected. */
    void findMajority(ConfusionMatrix matrix) {
        majority = NONE;
        for (int place = 1; place <= matrix.size(); place++) {
            compare(place, matrix);
        }
    }
}
