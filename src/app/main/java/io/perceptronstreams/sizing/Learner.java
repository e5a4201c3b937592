package io.perceptronstreams.sizing;

import io.perceptronstreams.sizing.Constants.Cost;

/** What learns, and what it costs beside a perceptron. */
public enum Learner {
    /** {@code algorithm=perceptron}: weights change where a prediction is wrong. */
    PERCEPTRON(null, Cost.HEADER_BYTES, Cost.WEIGHT_BYTES, Cost.MODEL_HEAP_BYTES, Cost.WEIGHT_HEAP_BYTES),
    /** What a model of two classes is by default: weights and the statistics of features change with each example. */
    ADAPTIVE(
            Cost.ADAPTIVE_FACTOR,
            Cost.ADAPTIVE_HEADER_BYTES,
            Cost.ADAPTIVE_WEIGHT_BYTES,
            Cost.ADAPTIVE_MODEL_HEAP_BYTES,
            Cost.ADAPTIVE_WEIGHT_HEAP_BYTES),
    /** {@code portfolio=true} of two classes: four learners, with one set of statistics in memory. */
    PORTFOLIO(
            Cost.PORTFOLIO_FACTOR,
            Cost.PORTFOLIO_HEADER_BYTES,
            Cost.PORTFOLIO_WEIGHT_BYTES,
            Cost.PORTFOLIO_MODEL_HEAP_BYTES,
            Cost.PORTFOLIO_WEIGHT_HEAP_BYTES);

    private final Cost factor;
    private final Cost header;
    private final Cost weight;
    private final Cost modelHeap;
    private final Cost weightHeap;

    Learner(Cost factor, Cost header, Cost weight, Cost modelHeap, Cost weightHeap) {
        this.factor = factor;
        this.header = header;
        this.weight = weight;
        this.modelHeap = modelHeap;
        this.weightHeap = weightHeap;
    }

    /** The time for an example, divided by that of a perceptron. */
    double factor(Constants costs) {
        return factor == null ? 1 : costs.get(factor);
    }

    double headerBytes(Constants costs) {
        return costs.get(header);
    }

    double weightBytes(Constants costs) {
        return costs.get(weight);
    }

    double modelHeapBytes(Constants costs) {
        return costs.get(modelHeap);
    }

    double weightHeapBytes(Constants costs) {
        return costs.get(weightHeap);
    }

    /**
     * The fraction of the examples that change weights or statistics.
     *
     * @param mistakes fraction of the predictions that are wrong
     */
    double changes(double mistakes) {
        return this == PERCEPTRON ? mistakes : 1;
    }

    /** The fraction of the examples with an event on the topic of the mistakes: also one for each soft update. */
    double events(double mistakes) {
        return this == ADAPTIVE ? 1 : mistakes;
    }
}
