package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;

/**
 * The weight vector of a model.
 *
 * @param weights in one lane
 */
public record LinearWeights(BlockVector weights, double bias) {
    /**
     * Returns the weights of a model with one vector.
     *
     * @param hashBits required setting of the model: names must have the same indices
     * @throws IllegalArgumentException if the model is not one of two classes with a weight for each feature, or has
     *     other hash bits
     */
    public static LinearWeights of(Model model, int hashBits) {
        Settings settings = model.pipeline().settings();
        Algorithm algorithm = model.pipeline().algorithm();
        if (settings.get(Settings.HASH_BITS) != hashBits) {
            throw new IllegalArgumentException("weights to compare with must have hash.bits = " + hashBits
                    + " as the model has, got " + settings.get(Settings.HASH_BITS));
        }
        if (algorithm.isDecided() && !algorithm.has(Algorithm.Trait.TWO_CLASSES)) {
            throw new IllegalArgumentException(
                    "weights to compare with must be those of two classes, got algorithm=" + algorithm);
        }
        if (algorithm.has(Algorithm.Trait.DUAL) && !settings.hasFeatureWeights()) {
            throw new IllegalArgumentException(
                    "weights to compare with must be those of features, got coefficients of examples with kernel="
                            + settings.get(Settings.KERNEL_EXPRESSION));
        }
        Collector collector = new Collector();
        model.pipeline().learner().forEachWeight(collector);
        return new LinearWeights(collector.weights, collector.bias);
    }

    /** u·x, with the bias if the model has one. Cost: O(features of x). */
    public double score(FeatureVector x, boolean hasBias) {
        double score = hasBias ? bias * x.bias() : 0;
        for (int k = 0; k < x.size(); k++) {
            score += weights.read(x.index(k), 0) * x.values()[k];
        }
        return score;
    }

    /** |u|², with the bias. */
    public double squaredNorm() {
        double[] sum = {bias * bias};
        weights.forEach((number, block) -> {
            for (double weight : block) {
                sum[0] += weight * weight;
            }
        });
        return sum[0];
    }

    private static final class Collector implements Learner.WeightVisitor {
        private final BlockVector weights = new BlockVector(1);
        private double bias;

        @Override
        public void vector(String name, double vectorBias, double averagedBias) {
            bias = vectorBias;
        }

        @Override
        public void weight(int index, double weight, double averaged) {
            if (weight != 0) {
                weights.write(index, 0, weight);
            }
        }
    }
}
