package io.perceptronstreams.learner;

import io.perceptronstreams.weights.SparseRows;
import java.util.Arrays;

/**
 * The scores of the tags of one sequence, alone and in pairs, laid out for {@link Viterbi}: for each token and for each tag before, a
 * row of contiguous numbers.
 *
 * <p>Arrays are reused from sequence to sequence and may be longer than needed; what a long sequence needed is given back when a
 * shorter one comes.
 */
final class TagScores {
    private static final int KEPT_TOKENS = 256;

    /** Of tag t at token i at {@code [i][t]}; the places up to a multiple of the row step are scratch. */
    double[][] emissions = new double[0][];

    /** Of each tag as the first one. */
    double[] start = new double[0];

    /** Of each tag as the last one. */
    double[] stop = new double[0];

    /** Of tag t after tag p at {@code [p][t]}. */
    double[][] after = new double[0][];

    /** Makes room for so many tokens and tags and sets the emissions to 0. */
    void clear(int tokens, int tags) {
        int width = SparseRows.roundedUp(tags);
        if (start.length < width) {
            start = new double[width];
            stop = new double[width];
            after = new double[width][width];
        }
        emissions = cleared(emissions, tokens, width);
    }

    /** At least {@code count} rows of {@code width} zeros, the given ones where they do; those behind may be null. */
    static double[][] cleared(double[][] rows, int count, int width) {
        double[][] result = rows;
        if (rows.length < count || rows.length > Math.max(count, KEPT_TOKENS)) {
            result = Arrays.copyOf(rows, count);
        }
        // no row of another width stays: heapBytes counts on it
        for (int i = count; i < result.length && result[i] != null && result[i].length != width; i++) {
            result[i] = null;
        }
        for (int i = 0; i < count; i++) {
            if (result[i] == null || result[i].length != width) {
                result[i] = new double[width];
            } else {
                Arrays.fill(result[i], 0);
            }
        }
        return result;
    }

    /** About how many bytes of heap so many rows of one width occupy. */
    static long heapBytes(double[][] rows) {
        return rows.length == 0 ? 0 : rows.length * (24 + 8L * rows[0].length);
    }

    /** About how many bytes of heap the arrays occupy. */
    long heapBytes() {
        return heapBytes(emissions) + heapBytes(after) + 8L * (start.length + stop.length);
    }
}
