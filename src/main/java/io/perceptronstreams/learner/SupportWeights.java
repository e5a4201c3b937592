package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.BlockVector;

/** Visits the state of a dual learner in the form of weights, comparable to those of a primal learner. */
final class SupportWeights {
    private static final int AVERAGE = 1;

    private final SupportSet support;
    private final double survivals;

    /** Σ of c_n over n >= the present place: weight of the present term in the average. */
    private double share;

    SupportWeights(SupportSet support, double survivals) {
        this.support = support;
        this.survivals = survivals;
    }

    /**
     * Visits one vector: the weights or, if there are infinitely many, the coefficients in order, under the name
     * "support".
     *
     * <p>Cost: O(non-zeros of the support) for weights, otherwise O(support).
     */
    void show(boolean isLinear, double bias, Learner.WeightVisitor visitor) {
        share = survivals;
        if (isLinear) {
            showWeights(bias, visitor);
            return;
        }
        visitor.vector("support", 0, 0);
        for (int place = 0; place < support.size(); place++) {
            double alpha = support.coefficients()[support.slot(place)];
            visitor.weight(place, alpha, mean(alpha * share));
            share -= support.counts()[support.slot(place)];
        }
    }

    private void showWeights(double bias, Learner.WeightVisitor visitor) {
        BlockVector sums = new BlockVector(2);
        double biasWeight = 0;
        double biasSum = 0;
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            double alpha = support.coefficients()[slot];
            add(alpha, support.row(slot), sums);
            biasWeight += alpha * bias;
            biasSum += share * (alpha * bias);
            share -= support.counts()[slot];
        }
        visitor.vector("", biasWeight, mean(biasSum));
        sums.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                double average = mean(block[AVERAGE * BlockVector.BLOCK + i]);
                if (block[i] != 0 || average != 0) {
                    visitor.weight((number << BlockVector.SHIFT) + i, block[i], average);
                }
            }
        });
    }

    private void add(double alpha, FeatureVector z, BlockVector sums) {
        for (int k = 0; k < z.size(); k++) {
            if (z.values()[k] != 0) {
                int place = sums.touch(z.index(k));
                double[] numbers = sums.slab(place);
                int at = sums.from(place);
                double change = alpha * z.values()[k];
                numbers[at] += change;
                numbers[at + AVERAGE] += share * change;
            }
        }
    }

    private double mean(double sum) {
        return survivals == 0 ? 0 : sum / survivals;
    }
}
