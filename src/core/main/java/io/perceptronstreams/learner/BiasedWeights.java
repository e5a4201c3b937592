package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.BlockVector;

/**
 * {@link Weights} with a bias, the weight of an additional feature ({@link FeatureVector#bias}), and the sum for its
 * average.
 *
 * <p>Sums include the bias last. Cost: that of {@link Weights}.
 */
final class BiasedWeights {
    double bias;
    double biasAverage;
    private final Weights weights = new Weights();

    // |x|^2, bias feature included, of the last scored example.
    private double squaredLength;

    /** The weights without the bias. */
    Weights unbiased() {
        return weights;
    }

    BlockVector blocks() {
        return weights.blocks();
    }

    /** w·x; sets {@link #squaredLength}. */
    double dot(FeatureVector x, boolean hasBias) {
        double u = weights.dot(x);
        squaredLength = weights.squaredLength();
        if (hasBias) {
            u += bias * x.bias();
            squaredLength += x.bias() * x.bias();
        }
        return u;
    }

    /** a·x. */
    double dotAverage(FeatureVector x, boolean hasBias) {
        double a = weights.dotAverage(x);
        return hasBias ? a + biasAverage * x.bias() : a;
    }

    /** |x|^2, bias feature included, of the last scored example. */
    double squaredLength() {
        return squaredLength;
    }

    /** See {@link Weights#growth}. */
    double growth(FeatureVector x, boolean hasBias, double step, double survivals) {
        double growth = weights.growth(x, step, survivals);
        if (!hasBias) {
            return growth;
        }
        double change = step * x.bias();
        double after = bias + change;
        // 0 · average is NaN if average is not finite
        return growth + (after - bias) * (after + bias) + 0 * (biasAverage + survivals * change);
    }

    /** See {@link Weights#addScaled}. */
    void addScaled(FeatureVector x, boolean hasBias, double step, double survivals) {
        weights.addScaled(x, step, survivals);
        if (hasBias) {
            double change = step * x.bias();
            bias += change;
            biasAverage += survivals * change;
        }
    }

    /** Multiplies w by a power of 2, which is exact unless a number becomes subnormal; there must be no average. */
    void multiply(double factor) {
        weights.blocks().multiply(factor);
        bias *= factor;
    }

    /**
     * Writes the parts of y·{@code factor}·w·x.
     *
     * @param sign y
     * @param margin their sum
     */
    void explain(FeatureVector x, boolean hasBias, double factor, int sign, double margin, Evidence evidence) {
        evidence.setSign(sign);
        if (hasBias) {
            evidence.setBias(factor * bias * x.bias());
        }
        for (int k = 0; k < x.size(); k++) {
            evidence.add(x.index(k), x.values()[k], factor * blocks().read(x.index(k), 0));
        }
        evidence.end(margin);
    }

    /** Multiplies a by a factor. */
    void multiplyAverage(double factor) {
        weights.multiplyAverage(factor);
        biasAverage *= factor;
    }

    /** Visits w and its average. */
    void forEach(double survivals, Learner.WeightVisitor visitor) {
        visitor.vector("", bias, Weights.average(bias, biasAverage, survivals));
        weights.forEach(survivals, visitor);
    }

    /** Visits {@code scale}·w without an average. */
    void forEachScaled(double scale, Learner.WeightVisitor visitor) {
        visitor.vector("", scale * bias, 0);
        weights.forEachScaled(scale, visitor);
    }
}
