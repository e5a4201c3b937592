package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.weights.BlockVector;
import java.util.LinkedHashMap;
import java.util.Map;

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
     * Visits one vector: the weights or, if there are infinitely many, the coefficients under the name "support". The
     * coefficient of an example is the sum over its updates; examples come in the order of their first updates.
     *
     * <p>Cost: O(non-zeros of the support) for weights, otherwise O(support).
     */
    void show(boolean isLinear, boolean hasBias, Learner.WeightVisitor visitor) {
        share = survivals;
        if (isLinear) {
            showWeights(hasBias, visitor);
            return;
        }
        visitor.vector("support", 0, 0);
        Map<Integer, double[]> byRow = new LinkedHashMap<>();
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            double alpha = support.coefficients()[slot];
            double[] sums = byRow.computeIfAbsent(support.rowOf(slot), row -> new double[2]);
            sums[0] += alpha;
            sums[AVERAGE] += mean(alpha * share);
            share -= support.counts()[slot];
        }
        int number = 0;
        for (double[] sums : byRow.values()) {
            if (sums[0] != 0 || sums[AVERAGE] != 0) {
                visitor.weight(number, sums[0], sums[AVERAGE]);
            }
            number++;
        }
    }

    private void showWeights(boolean hasBias, Learner.WeightVisitor visitor) {
        BlockVector sums = new BlockVector(2);
        double biasWeight = 0;
        double biasSum = 0;
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            double alpha = support.coefficients()[slot];
            FeatureVector z = support.vector(slot);
            double biasChange = hasBias ? alpha * z.bias() : 0;
            add(alpha, z, sums);
            biasWeight += biasChange;
            biasSum += share * biasChange;
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
