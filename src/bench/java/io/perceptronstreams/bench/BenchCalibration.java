package io.perceptronstreams.bench;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;

/**
 * The fraction of turned (wrong) labels of the hard stream that leads to a given fraction of mistakes.
 *
 * @param turned fraction of turned labels
 * @param mistakes resulting fraction of mistakes: the target, or more if the easy stream already has more
 */
record BenchCalibration(double turned, double mistakes) {
    /*
     * A perceptron makes more mistakes than there are turned labels, because each of them moves its weights away from
     * the hyperplane. The factor depends on the learner. Therefore models with default settings learn the stream side
     * by side, with fractions of turned labels from 0 to the target. Their mistake rates at the end, where they are
     * almost constant, are interpolated linearly. The same seed gives the same result.
     */

    /** After this number of examples, with 2^14 live features, the mistake rate is within 2 % of its limit. */
    static final int EXAMPLES = 1_500_000;

    private static final int STEPS = 4;

    /**
     * @param stream from its beginning
     * @param target fraction of mistakes, from 0 to below 0.5
     * @param examples number of examples to learn; the last fifth is measured
     */
    static BenchCalibration of(SyntheticStream stream, double target, int examples) {
        if (target == 0) {
            return new BenchCalibration(0, 0);
        }
        double[] rates = rates(stream, target / STEPS, examples);
        if (rates[0] >= target) {
            return new BenchCalibration(0, rates[0]);
        }
        int above = 1;
        while (above < STEPS && rates[above] < target) {
            above++;
        }
        double share = (target - rates[above - 1]) / (rates[above] - rates[above - 1]);
        return new BenchCalibration((above - 1 + share) * target / STEPS, target);
    }

    /** Mistakes per example for the fractions 0, 1, … {@link #STEPS} times {@code step} of turned labels. */
    private static double[] rates(SyntheticStream stream, double step, int examples) {
        int measured = examples / 5;
        Model[] models = new Model[STEPS + 1];
        for (int k = 0; k < models.length; k++) {
            models[k] = new Model();
        }
        int[] mistakes = new int[models.length];
        Example example = new Example();
        for (int done = 0; done < examples; done++) {
            stream.next();
            stream.fill(example.vector());
            for (int k = 0; k < models.length; k++) {
                example.setLabel(stream.label(k * step) > 0 ? Label.PLUS_ONE : Label.MINUS_ONE);
                boolean isMistake = models[k].process(example, done).kind() == Outcome.Kind.MISTAKE;
                if (isMistake && done >= examples - measured) {
                    mistakes[k]++;
                }
            }
        }
        double[] rates = new double[models.length];
        for (int k = 0; k < rates.length; k++) {
            rates[k] = (double) mistakes[k] / measured;
        }
        return rates;
    }
}
