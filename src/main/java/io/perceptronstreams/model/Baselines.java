package io.perceptronstreams.model;

import io.perceptronstreams.state.StoredFields;
import java.util.Arrays;
import java.util.List;

/**
 * Two predictions that need no features: the commonest true label so far, and the last true label. A model is of use only
 * if it makes fewer errors than both.
 *
 * <p>Of labels that are equally common, the one with the smallest place in the {@link ConfusionMatrix} is predicted. Labels
 * without a row are never the commonest, and are compared by 64 bits of their names. Before the first label both
 * predictions are wrong. Cost: O(1) per example. Not thread-safe.
 */
public final class Baselines {
    // no class has this place
    private static final int NONE = -1;

    // by place: how often it was the true label
    private long[] seen = {};
    private int commonest = NONE;
    private int last = NONE;
    private long lastHash;

    /** Returns true if the true label is the commonest one so far. */
    boolean isCommonest(int actual) {
        return actual == commonest && actual != ConfusionMatrix.OTHER;
    }

    /** Returns true if the true label is the last one. */
    boolean isLast(int actual, String name) {
        return actual == last && (actual != ConfusionMatrix.OTHER || hash(name) == lastHash);
    }

    /** Counts a true label. */
    void add(int actual, String name) {
        growTo(actual);
        seen[actual]++;
        compare(actual);
        last = actual;
        lastHash = actual == ConfusionMatrix.OTHER ? hash(name) : 0;
    }

    private void growTo(int place) {
        if (seen.length <= place) {
            seen = Arrays.copyOf(seen, place + 1);
        }
    }

    private void compare(int place) {
        if (place == ConfusionMatrix.OTHER || seen[place] == 0) {
            return;
        }
        boolean isMore = commonest == NONE
                || seen[place] > seen[commonest]
                || (seen[place] == seen[commonest] && place < commonest);
        commonest = isMore ? place : commonest;
    }

    /** FNV-1a (Fowler, Noll and Vo 1991) of the UTF-16 units. */
    private static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int k = 0; k < name.length(); k++) {
            hash = (hash ^ name.charAt(k)) * 0x100000001b3L;
        }
        return hash;
    }

    /** How often a label of this place was the true one. */
    long seen(int place) {
        return place < seen.length ? seen[place] : 0;
    }

    void clear() {
        seen = new long[0];
        commonest = NONE;
        last = NONE;
        lastHash = 0;
    }

    /** Copies another object. */
    void restore(Baselines from) {
        seen = from.seen.clone();
        commonest = from.commonest;
        last = from.last;
        lastHash = from.lastHash;
    }

    /**
     * Writes or restores the state, after the matrix, which counts all labels but those of examples without an emitted label.
     *
     * @throws IllegalArgumentException if it does not fit to the matrix
     */
    void exchange(StoredFields fields, ConfusionMatrix matrix) {
        State state = state(matrix);
        int place = fields.upTo(Integer.MAX_VALUE, state.last + 1) - 1;
        // only a label without a row needs the hash of its name
        long hash = place == ConfusionMatrix.OTHER ? fields.signed(state.lastHash) : 0;
        List<Long> unanswered = fields.counts(state.unanswered);
        if (fields.isReading()) {
            restore(new State(place, hash, unanswered), matrix);
        }
    }

    /**
     * What is stored.
     *
     * @param last place of the last true label; -1 before the first
     * @param lastHash of its name, if it has no row; otherwise 0
     * @param unanswered true labels by place, of examples for which no label was emitted
     */
    public record State(int last, long lastHash, List<Long> unanswered) {
        /** Keeps an unmodifiable copy. */
        public State {
            unanswered = List.copyOf(unanswered);
        }
    }

    /** Returns the state beside a matrix, which counts all other labels. */
    State state(ConfusionMatrix matrix) {
        int size = 0;
        Long[] unanswered = new Long[seen.length];
        for (int place = 0; place < seen.length; place++) {
            unanswered[place] = seen[place] - matrix.actualAt(place);
            size = unanswered[place] == 0 ? size : place + 1;
        }
        return new State(last, lastHash, List.of(Arrays.copyOf(unanswered, size)));
    }

    /**
     * Restores the state.
     *
     * @throws IllegalArgumentException if it does not fit to the matrix
     */
    void restore(State state, ConfusionMatrix matrix) {
        clear();
        if (state.last() < NONE
                || state.last() > matrix.lastPlace()
                || state.unanswered().size() > matrix.lastPlace() + 1) {
            throw new IllegalArgumentException(
                    "the last label must have one of " + (matrix.lastPlace() + 1) + " places, got " + state.last()
                            + ", and " + state.unanswered().size() + " counts");
        }
        seen = new long[matrix.lastPlace() + 1];
        for (int place = 0; place < seen.length; place++) {
            seen[place] = matrix.actualAt(place)
                    + (place < state.unanswered().size() ? state.unanswered().get(place) : 0);
            compare(place);
        }
        last = state.last();
        lastHash = state.lastHash();
    }
}
