package io.perceptronstreams.learner;

import io.perceptronstreams.settings.Loss;

/**
 * Second stage of a learner of two classes, which learns when the score is worth more than two constants (stacked
 * generalization, Wolpert 1992): the label is that of the sign of v·f, f = (s, l, o, 1).
 *
 * <p>s is the score of the learner, cut at -1 and 1. l is the label before, -1 or +1, or 0 while it is not known. o is
 * (P - N)/(P + N + 2), where P and N count the positive and negative labels so far. v is (1, 0, 0, 0) at the start, so
 * that the first label is that of the score. Each label y adds eta·d·y·f[i]/sqrt(G[i]) to v[i], where eta is 0.3, d is
 * 1/(1 + exp(y·v·f)) times the weight of the example, and G[i] sums (d·f[i])^2, this label included: AdaGrad on the
 * logistic loss.
 *
 * <p>{@link #shown} is v·f or, where it has the sign of the score u, v·f + v[0]·(u - s) if v[0] is positive: the larger
 * of two scores beyond the cut remains the surer one, and the sign is the same.
 *
 * <p>Cost: O(1), one exponential and four roots for each label. Not thread-safe.
 */
final class SecondStage {
    private static final double ETA = 0.3;
    private static final double MAX_SCORE = 1;

    // The square of a larger one may not be finite; steps do not depend on the unit of weights.
    private static final double MAX_WEIGHT = 1e100;

    private final double[] weights = {1, 0, 0, 0};
    private final double[] squares = new double[weights.length];
    private double positives;
    private double negatives;

    // f and v·f of the last scored example.
    private final double[] inputs = {0, 0, 0, 1};
    private double score;

    /**
     * Returns v·f.
     *
     * @param ofLearner score of the learner
     * @param labelBefore -1 or +1; 0 if it is not known
     */
    double score(double ofLearner, int labelBefore) {
        inputs[0] = Math.max(-MAX_SCORE, Math.min(MAX_SCORE, ofLearner));
        inputs[1] = labelBefore;
        inputs[2] = (positives - negatives) / (positives + negatives + 2);
        score = 0;
        for (int k = 0; k < weights.length; k++) {
            score += weights[k] * inputs[k];
        }
        return score;
    }

    /** Returns the score that is shown of the last scored example, with the sign of v·f. */
    double shown(double ofLearner) {
        double beyond = ofLearner - inputs[0];
        boolean isSame = score >= 0 ? beyond > 0 : beyond < 0;
        return isSame && weights[0] > 0 ? score + weights[0] * beyond : score;
    }

    /**
     * Learns from the label of the last scored example.
     *
     * @param sign -1 or +1
     * @param weight of the example, positive and finite
     */
    void learn(int sign, double weight) {
        double gradient = Math.min(MAX_WEIGHT, weight) * Loss.LOGISTIC.gradient(sign * score);
        for (int k = 0; k < weights.length; k++) {
            double slope = gradient * inputs[k];
            squares[k] += slope * slope;
            // 0: the square is below all doubles
            weights[k] += squares[k] == 0 ? 0 : ETA * sign * (slope / Math.sqrt(squares[k]));
        }
        positives += sign > 0 ? 1 : 0;
        negatives += sign < 0 ? 1 : 0;
    }

    /** Writes or reads v, G, P and N. */
    void exchange(StateFields fields) {
        for (int k = 0; k < weights.length; k++) {
            weights[k] = fields.finite(weights[k]);
        }
        for (int k = 0; k < squares.length; k++) {
            squares[k] = fields.square(squares[k]);
        }
        positives = fields.count(positives);
        negatives = fields.count(negatives);
    }
}
