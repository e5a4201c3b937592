package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * A learner with a variance for each weight, initially 1: smaller variances give smaller steps.
 *
 * <p>A subclass decides about each example; {@link #move} is the only update.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: w and 1/variance - 1 in blocks (vector 0), and
 * the numbers of {@link #exchange}. No average.
 */
abstract class VarianceLearner extends TwoClassLearner {
    private static final int WEIGHT = 0;
    private static final int PRECISION = 1;

    // Lane 0 is w, lane 1 is 1/variance - 1.
    private final BiasedWeights weights = new BiasedWeights();
    private final List<Blocks> blocks = List.of(weights.blocks());
    private double biasPrecision;
    private boolean isOfCovariance;

    // Of the current example: number of features without a place, and the variance of the score.
    private int missing;
    private double scoreVariance;

    VarianceLearner() {
        norm().forget();
    }

    @Override
    public void configure(Settings changed) {
        super.configure(changed);
        isOfCovariance = changed.get(Settings.DIAGONAL) == Settings.Diagonal.COVARIANCE;
    }

    @Override
    protected final void predict(FeatureVector x, Outcome outcome) {
        double u = weights.dot(x, hasBias());
        requireFinite(u);
        requireFinite(weights.squaredLength());
        labels().predict(u, u, u, outcome);
    }

    @Override
    public final void explain(Features x, Label y, Outcome outcome, Evidence evidence) {
        weights.explain(TwoClassLabels.vector(x), hasBias(), 1, labels().sign(y), outcome.margin, evidence);
    }

    /** |x|^2, bias feature included, of the last scored example. */
    final double squaredLength() {
        return weights.squaredLength();
    }

    /**
     * Adds step·variance[i]·x[i] to w[i], then {@link #gain} to 1/variance[i]; {@link #variance} must have been called
     * for x.
     *
     * @param remedy of an overflow besides scaling the features
     * @throws io.perceptronstreams.example.RejectedException if a number would not be finite, or there is no room
     */
    final void move(FeatureVector x, double step, double r, String remedy) {
        double newBias = weights.bias;
        double newBiasPrecision = biasPrecision;
        if (hasBias()) {
            newBias += step * x.bias() / (1 + biasPrecision);
            newBiasPrecision += gain(x.bias(), biasPrecision, r);
        }
        double growth = growth(x, step, r) + (newBias - weights.bias) * (newBias + weights.bias);
        // 0 · precision is NaN if precision is not finite
        double squaredNorm = norm().after(growth + 0 * newBiasPrecision, step, remedy);
        weights.unbiased().requireRoom(x, settings().get(Settings.BLOCKS_MAX));
        add(x, step, r);
        weights.bias = newBias;
        biasPrecision = newBiasPrecision;
        norm().replace(squaredNorm);
    }

    /** v, the variance of the score. Finds the places of the features. */
    final double variance(FeatureVector x) {
        missing = weights.blocks().find(x);
        double sum = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            sum += value * value / (1 + number(x.places()[k], PRECISION));
        }
        scoreVariance = hasBias() ? sum + x.bias() * x.bias() / (1 + biasPrecision) : sum;
        return scoreVariance;
    }

    /**
     * Growth of 1/variance[i] by an update. The inverse of the covariance S grows by x·x^T/r, whose diagonal is
     * x[i]^2/r. S itself becomes S - S·x·x^T·S/(v + r); where S was diagonal, the diagonal of that has the inverses
     * 1/variance[i] + x[i]^2/(r + v - variance[i]·x[i]^2). For an example of one feature both are the same.
     */
    private double gain(double value, double precision, double r) {
        double square = value * value;
        // a sum of terms that are not negative is at least each of them, after rounding, too
        return square / (isOfCovariance ? r + (scoreVariance - square / (1 + precision)) : r);
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
            double newPrecision = value == 0 ? precision : precision + gain(value, precision, r);
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
                double precision = numbers[at + PRECISION];
                numbers[at + WEIGHT] += step * value / (1 + precision);
                numbers[at + PRECISION] += gain(value, precision, r);
            }
        }
    }

    @Override
    public final void exchange(StateFields fields) {
        weights.bias = fields.any(weights.bias);
        biasPrecision = fields.notNegative(biasPrecision);
        norm().exchangeSquares(fields);
    }

    @Override
    public final List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public final void forEachWeight(WeightVisitor visitor) {
        weights.forEachScaled(1, visitor);
    }
}
