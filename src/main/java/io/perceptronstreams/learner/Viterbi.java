package io.perceptronstreams.learner;

import io.perceptronstreams.weights.SparseRows;

/**
 * The best sequence of tags under scores of tags and of pairs of neighbouring tags, by exact first-order dynamic programming (Viterbi
 * 1967).
 *
 * <p>The score of tags y_0 … y_(n-1) is start[y_0] + e[0][y_0] + after[y_0][y_1] + e[1][y_1] + … + stop[y_(n-1)], added one by one in
 * this order; rounding is monotonic, so that no sequence has a higher score than the one found. Of equal ones that with the
 * lowest last tag wins, then at each step back that with the lowest tag before.
 *
 * <p>Cost: O(n·T^2) for T tags; nothing is allocated once the arrays have grown. The steps forward only take maxima, along rows of
 * contiguous numbers and without a branch, which the compiler turns into vector instructions; which tag a maximum came from
 * is found again on the way back, for the tags of the best sequence only. Not thread-safe.
 */
final class Viterbi {
    // Row i: the score of the best way to each tag of token i, e[i] included.
    private double[][] cells = new double[0][];
    private double score;

    /**
     * Finds the best sequence.
     *
     * @param n tokens, at least 1
     * @param tags how many there are, at least 1
     * @param path receives the tags; as long as there are tokens or longer
     */
    void decode(int n, int tags, TagScores scores, int[] path) {
        cells = TagScores.cleared(cells, n, SparseRows.roundedUp(tags));
        addTo(cells[0], scores.start, tags);
        addTo(cells[0], scores.emissions[0], tags);
        for (int i = 1; i < n; i++) {
            double[] before = cells[i - 1];
            double[] best = cells[i];
            set(best, before[0], scores.after[0], tags);
            for (int p = 1; p < tags; p++) {
                raise(best, before[p], scores.after[p], tags);
            }
            addTo(best, scores.emissions[i], tags);
        }
        traceBack(n, tags, scores, path);
    }

    private static void addTo(double[] target, double[] row, int tags) {
        for (int t = 0; t < tags; t++) {
            target[t] += row[t];
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
        double[] last = cells[n - 1];
        int best = 0;
        score = last[0] + scores.stop[0];
        for (int t = 1; t < tags; t++) {
            double candidate = last[t] + scores.stop[t];
            // NaN, which no comparison sees, must reach the score
            if (candidate > score || Double.isNaN(candidate)) {
                score = candidate;
                best = t;
            }
        }
        path[n - 1] = best;
        for (int i = n - 1; i > 0; i--) {
            best = before(path[i], cells[i - 1], tags, scores.after);
            path[i - 1] = best;
        }
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

    /** The score of the sequence found last; not finite where one on the way to it was not. */
    double score() {
        return score;
    }

    /** About how many bytes of heap the arrays occupy. */
    long heapBytes() {
        return TagScores.heapBytes(cells);
    }

    /** The score of any sequence, added in the same order; what has to do with tags from {@code tags} on has the score 0. */
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
