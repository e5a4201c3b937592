package io.perceptronstreams.structured;

import io.perceptronstreams.weights.SparseRows;
import java.util.Arrays;

/**
 * The scores of the tags of one sequence, alone and in pairs, as contiguous rows for {@link Viterbi}: one per token and
 * one per previous tag.
 *
 * <p>Arrays are reused from sequence to sequence and may be longer than needed; a shorter sequence releases most of the
 * memory of a long one.
 */
final class TagScores {
    private static final int KEPT_TOKENS = 256;

    /** Score of tag t at token i at {@code [i][t]}; the places up to a multiple of the row step are scratch. */
    double[][] emissions = new double[0][];

    /** Score of each tag as the first one. */
    double[] start = new double[0];

    /** Score of each tag as the last one. */
    double[] stop = new double[0];

    /** Score of tag t after tag p at {@code [p][t]}. */
    double[][] after = new double[0][];

    /** Makes room for {@code tokens} tokens and {@code tags} tags and sets the emissions to 0. */
    void clear(int tokens, int tags) {
        int width = SparseRows.roundedUp(tags);
        if (start.length < width) {
            start = new double[width];
            stop = new double[width];
            after = new double[width][width];
        }
        emissions = cleared(emissions, tokens, width);
    }

    /** Returns at least {@code count} rows of {@code width} zeros, if possible reused; later rows may be null. */
    static double[][] cleared(double[][] rows, int count, int width) {
        double[][] result = rows;
        if (rows.length < count || rows.length > Math.max(count, KEPT_TOKENS)) {
            result = Arrays.copyOf(rows, count);
        }
        // heapBytes assumes that all rows have one width
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

    /** Estimated heap of rows of one width, in bytes. */
    static long heapBytes(double[][] rows) {
        return rows.length == 0 ? 0 : rows.length * (24 + 8L * rows[0].length);
    }

    /** Estimated heap of the arrays, in bytes. */
    long heapBytes() {
        return heapBytes(emissions) + heapBytes(after) + 8L * (start.length + stop.length);
    }
}
