package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Adaptive regularization of weights (Crammer, Kulesza and Dredze 2009) with a diagonal covariance: each weight has a
 * variance, initially 1, and smaller variances give smaller steps.
 *
 * <p>Let u = w·x, v = sum of variance[i]·x[i]^2 and l = max(0, 1 - y·u). If l > 0:
 * w[i] += l/(v + r)·y·variance[i]·x[i], then 1/variance[i] += x[i]^2/r, the diagonal of the paper's formula for the
 * inverse covariance. This solves the paper's problem exactly over diagonal matrices. A score y·u <= 0 is a mistake, one
 * between 0 and 1 a margin mistake. For large r the rule approaches Passive-Aggressive II with C = 1/(2r).
 *
 * <p>The weight of an example divides r: it multiplies both prices, 1/(2r), of the paper's problem. The learner does
 * not use h and eta, and has no average.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: w and 1/variance - 1 in blocks (vector 0), and
 * the numbers of {@link #exchange}.
 */
final class Arow extends TwoClassLearner {
    private static final int WEIGHT = 0;
    private static final int PRECISION = 1;

    // Lane 0 is w, lane 1 is 1/variance - 1.
    private final BiasedWeights weights = new BiasedWeights();
    private final List<Blocks> blocks = List.of(weights.blocks());
    private double biasPrecision;

    // Number of features of the current example without a place.
    private int missing;

    Arow(Settings settings) {
        norm().forget();
        configure(settings);
    }

    @Override
    void predict(FeatureVector x, Outcome outcome) {
        double u = weights.dot(x, settings().bias());
        requireFinite(u);
        requireFinite(weights.squaredLength());
        labels().predict(u, u, u, settings(), outcome);
    }

    @Override
    void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, 1, false, outcome);
    }

    @Override
    void learn(FeatureVector x, int sign, double weight, Outcome outcome) {
        evaluate(x, sign, outcome);
        if (outcome.kind != Outcome.Kind.CORRECT) {
            update(x, sign, outcome.hingeLoss, settings().r() / weight);
            outcome.updated = true;
        }
        norm().observe(weights.squaredLength());
    }

    private void update(FeatureVector x, int sign, double loss, double r) {
        double variance = variance(x);
        // v = 0: x has no features to update
        double step = variance == 0 ? 0 : sign * loss / (variance + r);
        double newBias = weights.bias;
        double newBiasPrecision = biasPrecision;
        if (settings().bias()) {
            newBias += step / (1 + biasPrecision);
            newBiasPrecision += 1 / r;
        }
        double growth = growth(x, step, r) + (newBias - weights.bias) * (newBias + weights.bias);
        // 0 · precision is NaN if precision is not finite
        double squaredNorm = norm().after(growth + 0 * newBiasPrecision, step, "raise r");
        weights.unbiased().requireRoom(x, settings().blocksMax());
        add(x, step, r);
        weights.bias = newBias;
        biasPrecision = newBiasPrecision;
        norm().replace(squaredNorm);
    }

    /** v, the variance of the score. Finds the places of the features. */
    private double variance(FeatureVector x) {
        missing = weights.blocks().find(x);
        double sum = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            sum += value * value / (1 + number(x.places()[k], PRECISION));
        }
        return settings().bias() ? sum + 1 / (1 + biasPrecision) : sum;
    }

    private double number(int place, int lane) {
        BlockVector blocks = weights.blocks();
        return place < 0 ? 0 : blocks.slab(place)[blocks.from(place) + lane];
    }

    /** Growth of |w|^2 by an update; not finite if a number would not be. Changes nothing. */
    private double growth(FeatureVector x, double step, double r) {
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            double before = number(x.places()[k], WEIGHT);
            double precision = number(x.places()[k], PRECISION);
            double after = before + step * value / (1 + precision);
            double newPrecision = value == 0 ? precision : precision + value * value / r;
            // 0 · precision is NaN if precision is not finite
            growth += (after - before) * (after + before) + 0 * newPrecision;
        }
        return growth;
    }

    private void add(FeatureVector x, double step, double r) {
        BlockVector blocks = weights.blocks();
        blocks.touch(x, missing);
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                int place = x.places()[k];
                double[] numbers = blocks.slab(place);
                int at = blocks.from(place);
                numbers[at + WEIGHT] += step * value / (1 + numbers[at + PRECISION]);
                numbers[at + PRECISION] += value * value / r;
            }
        }
    }

    @Override
    public String name() {
        return "AROW";
    }

    @Override
    public void exchange(StateFields fields) {
        weights.bias = fields.any(weights.bias);
        biasPrecision = fields.notNegative(biasPrecision);
        norm().exchangeSquares(fields);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        weights.forEachScaled(1, visitor);
    }
}
