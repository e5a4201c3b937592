package io.perceptronstreams.multiclass;

/**
 * Probabilities of classes by their scores, before a gradient step of the logistic loss and after it.
 *
 * <p>Exponentials and logarithms are {@link StrictMath}'s, and sums run in the order of the classes: the same bits on
 * every machine.
 */
final class ClassProbabilities {
    // Both iterations converge quadratically, and rounding may keep the last bit from settling.
    private static final int MOST_VALUES = 100;

    private ClassProbabilities() {}

    /**
     * Replaces scores by probabilities: p_c = exp(s_c) / (sum of exp(s_k) over all classes k).
     *
     * @param count number of classes, at least 1
     */
    static void fromScores(double[] scores, int count) {
        double largest = largest(scores, count);
        double sum = 0;
        for (int c = 0; c < count; c++) {
            scores[c] = StrictMath.exp(scores[c] - largest);
            sum += scores[c];
        }
        for (int c = 0; c < count; c++) {
            scores[c] /= sum;
        }
    }

    /**
     * Replaces scores by the probabilities after an implicit step: the p that are those of the scores s_c + a_c·(y_c -
     * p_c), where y_c is 1 for the true class and 0 for others.
     *
     * <p>The only solution. The scores z after the step have z_c + a_c·exp(z_c - L) = s_c + a_c·y_c, where L is the
     * logarithm of the sum of all exp(z_k). For a given L each z_c follows alone, and the sum of the p_c falls in L and
     * is convex in it, so Newton's method finds the L at which it is 1, from below and without a step too far.
     *
     * @param scores s_c
     * @param slopes a_c >= 0, finite: the growth of a score by a step of gradient 1
     * @param count number of classes, at least 1
     */
    static void afterStep(double[] scores, double[] slopes, int truth, int count) {
        // p is between 0 and 1, so this L is not too large, and the sum at least 1
        double largest = Double.NEGATIVE_INFINITY;
        for (int c = 0; c < count; c++) {
            largest = Math.max(largest, c == truth ? scores[c] : scores[c] - slopes[c]);
        }
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += StrictMath.exp((c == truth ? scores[c] : scores[c] - slopes[c]) - largest);
        }
        double level = largest + StrictMath.log(sum);
        for (int n = 0; n < MOST_VALUES; n++) {
            sum = 0;
            double fall = 0;
            for (int c = 0; c < count; c++) {
                double p = probability(c == truth ? scores[c] + slopes[c] : scores[c], slopes[c], level);
                sum += p;
                fall += p / (1 + slopes[c] * p);
            }
            double next = level + (sum - 1) / fall;
            if (!(next > level)) {
                break;
            }
            level = next;
        }
        for (int c = 0; c < count; c++) {
            scores[c] = probability(c == truth ? scores[c] + slopes[c] : scores[c], slopes[c], level);
        }
    }

    /** The p with p = exp(z - level) and z = target - slope·p. */
    private static double probability(double target, double slope, double level) {
        double distance = target - level;
        if (slope == 0) {
            return StrictMath.exp(distance);
        }
        // with z - level = u: u + slope·exp(u) = distance, convex, from above
        double u = distance <= 0 ? distance : Math.min(distance, bound(distance, slope));
        for (int n = 0; n < MOST_VALUES; n++) {
            double steep = slope * StrictMath.exp(u);
            double next = u - (u + steep - distance) / (1 + steep);
            if (!(next < u)) {
                break;
            }
            u = next;
        }
        return StrictMath.exp(u);
    }

    private static double bound(double distance, double slope) {
        // at 0 or above, where slope·exp(u) alone is the distance, u + slope·exp(u) is not less
        return Math.max(0, StrictMath.log(distance / slope));
    }

    private static double largest(double[] numbers, int count) {
        double largest = numbers[0];
        for (int c = 1; c < count; c++) {
            largest = Math.max(largest, numbers[c]);
        }
        return largest;
    }
}
