package io.perceptronstreams.evaluation;

import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The scores and true classes of a model's last labelled examples, for the area under the ROC curve.
 *
 * <p>Memory: 8 bytes for each example. Not thread-safe.
 */
public final class RecentScores {
    private static final double[] NO_SCORES = {};
    private static final long[] NO_BITS = {};

    private double[] scores = NO_SCORES;
    // one bit each
    private long[] positives = NO_BITS;
    private int size;
    // place of the oldest if all places are used
    private int next;

    /**
     * Adds an example.
     *
     * @param capacity number of examples to keep: the last ones
     */
    public void add(double score, boolean isPositive, int capacity) {
        if (capacity != scores.length) {
            resize(capacity);
        }
        if (capacity == 0) {
            return;
        }
        // a zero has one sign
        put(next, score + 0.0, isPositive);
        next = next + 1 == capacity ? 0 : next + 1;
        size = Math.min(size + 1, capacity);
    }

    private void put(int place, double score, boolean isPositive) {
        scores[place] = score;
        long bit = 1L << place;
        positives[place >> 6] = isPositive ? positives[place >> 6] | bit : positives[place >> 6] & ~bit;
    }

    private void resize(int capacity) {
        RecentScores old = new RecentScores();
        old.scores = scores;
        old.positives = positives;
        old.size = size;
        old.next = next;
        scores = new double[capacity];
        positives = new long[(capacity + 63) >> 6];
        size = 0;
        next = 0;
        for (int age = Math.max(0, old.size - capacity); age < old.size; age++) {
            add(old.score(age), old.isPositive(age), capacity);
        }
    }

    /** Number of examples. */
    public int size() {
        return size;
    }

    /** A score, the oldest first. */
    public double score(int number) {
        return scores[place(number)];
    }

    /** Returns true if the true class of an example is +1, the oldest first. */
    public boolean isPositive(int number) {
        int place = place(number);
        return (positives[place >> 6] >> place & 1) != 0;
    }

    /** Replaces the true class of an example, the oldest first. */
    void correct(int number, boolean isPositive) {
        int place = place(number);
        put(place, scores[place], isPositive);
    }

    private int place(int number) {
        int first = size < scores.length ? 0 : next;
        int place = first + number;
        return place < scores.length ? place : place - scores.length;
    }

    /**
     * The share of pairs of a positive and a negative example in which the positive one has the larger score, a tie
     * counting half: the area under the ROC curve (Hanley and McNeil 1982). Exact up to one rounding; NaN without two
     * classes. Cost: O(n log n).
     */
    double areaUnderCurve() {
        double[] positive = new double[size];
        double[] negative = new double[size];
        int p = 0;
        int n = 0;
        for (int number = 0; number < size; number++) {
            if (isPositive(number)) {
                positive[p++] = score(number);
            } else {
                negative[n++] = score(number);
            }
        }
        Arrays.sort(positive, 0, p);
        Arrays.sort(negative, 0, n);
        long halves = 0;
        int less = 0;
        int notGreater = 0;
        for (int k = 0; k < p; k++) {
            while (less < n && negative[less] < positive[k]) {
                less++;
            }
            while (notGreater < n && negative[notGreater] <= positive[k]) {
                notGreater++;
            }
            halves += less + notGreater;
        }
        return p == 0 || n == 0 ? Double.NaN : halves / (2.0 * p * n);
    }

    /**
     * Writes or restores the scores.
     *
     * @param capacity number of examples to keep; after a change of the setting all count until the next label
     */
    void exchange(StoredFields fields, int capacity) {
        List<Double> stored = new ArrayList<>(size);
        byte[] bits = new byte[bytes(size)];
        for (int k = 0; k < size; k++) {
            stored.add(score(k));
            bits[k / Byte.SIZE] |= (byte) ((isPositive(k) ? 1 : 0) << k % Byte.SIZE);
        }
        stored = fields.numbers(stored);
        bits = fields.raw(bytes(stored.size()), bits);
        if (fields.isReading()) {
            for (int k = 0; k < stored.size(); k++) {
                boolean isPositive = (bits[k / Byte.SIZE] >> k % Byte.SIZE & 1) != 0;
                add(stored.get(k), isPositive, Math.max(stored.size(), capacity));
            }
        }
    }

    private static int bytes(int bits) {
        return (bits + Byte.SIZE - 1) / Byte.SIZE;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return 8L * scores.length + 8L * positives.length;
    }
}
