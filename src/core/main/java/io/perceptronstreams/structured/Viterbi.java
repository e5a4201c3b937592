package io.perceptronstreams.structured;

import io.perceptronstreams.weights.SparseRows;

/**
 * The best sequence of tags under scores of tags and of pairs of neighbouring tags, by exact first-order dynamic
 * programming (Viterbi 1967).
 *
 * <p>The score of tags y_0 … y_(n-1) is start[y_0] + e[0][y_0] + after[y_0][y_1] + e[1][y_1] + … + stop[y_(n-1)], added
 * in this order; rounding is monotonic, so no sequence has a higher score than the result. On a tie the lowest last tag
 * wins, then at each step back the lowest previous tag. Cost: O(n·T^2) for T tags; no allocation once the arrays have
 * grown. Not thread-safe.
 *
 * <p>{@link #decodeOther} finds the best of all other sequences, under the same rules: each tag has a second score, of
 * the best path that has left the excluded sequence, as in the k-best search of Seshadri and Sundberg (1994) for k = 2.
 */
final class Viterbi {
    /*
     * The forward pass computes only maxima, along contiguous rows and without branches, so the compiler can vectorize
     * it. The tag of each maximum is found again on the way back, for the best sequence only.
     */
    // Row i: score of the best path to each tag of token i, e[i] included.
    private double[][] cells = new double[0][];
    // Score of the first i + 1 tags of an excluded sequence.
    private double[] prefixes = new double[0];
    private double score;

    /**
     * Finds the best sequence.
     *
     * @param n number of tokens, at least 1
     * @param tags number of tags, at least 1
     * @param path receives the tags; must have at least n places
     */
    void decode(int n, int tags, TagScores scores, int[] path) {
        cells = TagScores.cleared(cells, n, SparseRows.roundedUp(tags));
        addTo(cells[0], scores.start, tags);
        addTo(cells[0], scores.emissions[0], tags);
        for (int i = 1; i < n; i++) {
            double[] best = cells[i];
            follow(best, cells[i - 1], scores.after, tags);
            addTo(best, scores.emissions[i], tags);
        }
        traceBack(n, tags, scores, path);
    }

    /**
     * Finds the best sequence except {@code excluded}, of known tags; there must be another one, so more than one tag.
     *
     * @param path receives the tags; must have at least n places
     */
    void decodeOther(int n, int tags, TagScores scores, int[] excluded, int[] path) {
        // a cell is that of the best path that differs from the excluded one up to here
        cells = TagScores.cleared(cells, n, SparseRows.roundedUp(tags));
        if (prefixes.length < n || prefixes.length > Math.max(64, 4 * n)) {
            prefixes = new double[Math.max(64, n)];
        }
        addTo(cells[0], scores.start, tags);
        addTo(cells[0], scores.emissions[0], tags);
        prefixes[0] = cells[0][excluded[0]];
        cells[0][excluded[0]] = Double.NEGATIVE_INFINITY;
        for (int i = 1; i < n; i++) {
            double[] best = cells[i];
            follow(best, cells[i - 1], scores.after, tags);
            // leaves the excluded path here, unless it goes on with it
            double[] leaving = scores.after[excluded[i - 1]];
            double staying = best[excluded[i]];
            raise(best, prefixes[i - 1], leaving, tags);
            best[excluded[i]] = staying;
            addTo(best, scores.emissions[i], tags);
            prefixes[i] = prefixes[i - 1] + leaving[excluded[i]] + scores.emissions[i][excluded[i]];
        }
        path[n - 1] = last(n, tags, scores);
        // whether the excluded path up to here is as good as the others to the same tag
        boolean isTie = false;
        for (int i = n - 1; i > 0; i--) {
            int tag = path[i];
            int stay = before(tag, cells[i - 1], tags, scores.after);
            int leave = excluded[i - 1];
            double staying = cells[i - 1][stay] + scores.after[stay][tag];
            double leaving = tag == excluded[i] && !isTie
                    ? Double.NEGATIVE_INFINITY
                    : prefixes[i - 1] + scores.after[leave][tag];
            if (leaving > staying || (leaving == staying && leave < stay)) {
                System.arraycopy(excluded, 0, path, 0, i);
                return;
            }
            isTie = leaving == staying && leave == stay;
            path[i - 1] = stay;
        }
    }

    private static void addTo(double[] target, double[] row, int tags) {
        for (int t = 0; t < tags; t++) {
            target[t] += row[t];
        }
    }

    /** Sets the scores of the best ways to each tag from one before. */
    private static void follow(double[] best, double[] before, double[][] after, int tags) {
        set(best, before[0], after[0], tags);
        for (int p = 1; p < tags; p++) {
            raise(best, before[p], after[p], tags);
        }
    }

    private static void set(double[] best, double score, double[] row, int tags) {
        for (int t = 0; t < tags; t++) {
            best[t] = score + row[t];
        }
    }

    private static void raise(double[] best, double score, double[] row, int tags) {
        for (int t = 0; t < tags; t++) {
            best[t] = Math.max(best[t], score + row[t]);
        }
    }

    private void traceBack(int n, int tags, TagScores scores, int[] path) {
        path[n - 1] = last(n, tags, scores);
        for (int i = n - 1; i > 0; i--) {
            path[i - 1] = before(path[i], cells[i - 1], tags, scores.after);
        }
    }

    /** Sets the score and returns the last tag of the best path. */
    private int last(int n, int tags, TagScores scores) {
        double[] last = cells[n - 1];
        int best = 0;
        score = last[0] + scores.stop[0];
        for (int t = 1; t < tags; t++) {
            double candidate = last[t] + scores.stop[t];
            // comparisons are false for NaN, which must reach the score
            if (candidate > score || Double.isNaN(candidate)) {
                score = candidate;
                best = t;
            }
        }
        return best;
    }

    private static int before(int tag, double[] cells, int tags, double[][] after) {
        int best = 0;
        double highest = cells[0] + after[0][tag];
        for (int p = 1; p < tags; p++) {
            double candidate = cells[p] + after[p][tag];
            if (candidate > highest) {
                highest = candidate;
                best = p;
            }
        }
        return best;
    }

    /** Score of the last result; not finite if a score on its path was not. */
    double score() {
        return score;
    }

    /** Estimated heap of the arrays, in bytes. */
    long heapBytes() {
        return TagScores.heapBytes(cells) + 8L * prefixes.length;
    }

    /** The score of any sequence, added in the same order; scores of tags from {@code tags} on are 0. */
    static double score(int n, int tags, TagScores scores, int[] path) {
        double score = path[0] < tags ? scores.start[path[0]] + scores.emissions[0][path[0]] : 0;
        for (int i = 1; i < n; i++) {
            int before = path[i - 1];
            int tag = path[i];
            score += before < tags && tag < tags ? scores.after[before][tag] : 0;
            score += tag < tags ? scores.emissions[i][tag] : 0;
        }
        return score + (path[n - 1] < tags ? scores.stop[path[n - 1]] : 0);
    }
}
