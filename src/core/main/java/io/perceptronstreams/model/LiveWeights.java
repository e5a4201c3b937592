package io.perceptronstreams.model;

import io.perceptronstreams.learner.Learner;

/** Counts the features of a learner that have a weight; with several classes, of the class that has most. */
final class LiveWeights implements Learner.WeightVisitor {
    private long most;
    private long ofVector;

    private LiveWeights() {}

    /** Cost: O(weights). */
    static long count(Learner learner) {
        LiveWeights counter = new LiveWeights();
        learner.forEachWeight(counter);
        return Math.max(counter.most, counter.ofVector);
    }

    @Override
    public void vector(String name, double bias, double averagedBias) {
        most = Math.max(most, ofVector);
        ofVector = 0;
    }

    @Override
    public void weight(int index, double weight, double averaged) {
        ofVector++;
    }
}
