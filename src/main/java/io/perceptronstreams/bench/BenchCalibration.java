package io.perceptronstreams.bench;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;

/**
 * How many labels of the hard stream are turned so that a wanted fraction of the predictions are mistakes.
 *
 * <p>A perceptron makes more mistakes than there are turned labels: each of them also moves its weights away from the hyperplane. How
 * many more depends on the learner, so the learner of the engine itself, with its default settings, learns the stream several times
 * side by side, each time with another fraction of turned labels, from 0 to the wanted fraction of mistakes. The rates at the end,
 * where they hardly change any more, are interpolated linearly. The same seed gives the same result.
 *
 * @param turned fraction of the labels that are turned
 * @param mistakes fraction of mistakes that the learner makes then: the wanted one, or more where already the easy stream has more
 */
record BenchCalibration(double turned, double mistakes) {
    /** With 2^14 live features the rate is within a fiftieth of the final one after so many. */
    static final int EXAMPLES = 1_500_000;

    private static final int STEPS = 4;

    /** @param wanted fraction of mistakes, from 0 to below 0.5 */
    static BenchCalibration of(long seed, int live, double wanted) {
        return of(seed, live, wanted, EXAMPLES);
    }

    /** @param examples how many are learned, of which the last fifth is measured */
    static BenchCalibration of(long seed, int live, double wanted, int examples) {
        if (wanted == 0) {
            return new BenchCalibration(0, 0);
        }
        double[] rates = rates(new SyntheticStream(seed, live), wanted / STEPS, examples);
        if (rates[0] >= wanted) {
            return new BenchCalibration(0, rates[0]);
        }
        int above = 1;
        while (above < STEPS && rates[above] < wanted) {
            above++;
        }
        double share = (wanted - rates[above - 1]) / (rates[above] - rates[above - 1]);
        return new BenchCalibration((above - 1 + share) * wanted / STEPS, wanted);
    }

    /** Mistakes per example where 0, 1, … {@link #STEPS} times {@code step} of the labels are turned. */
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
