package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Kinds of streams, of which the seed draws the parameters as well as the examples: the number of features, noise,
 * units, how many values are missing, how long a concept lasts. {@code StreamKindsTest} holds the settings of
 * docs/streams.md to them.
 */
final class StreamKinds {
    private StreamKinds() {}

    /** All kinds by name. */
    static Map<String, LongFunction<StreamGenerators.Stream>> all() {
        Map<String, Function<Random, StreamGenerators.Stream>> kinds = new LinkedHashMap<>();
        kinds.put("separable", StreamKinds::separable);
        kinds.put("noisy", StreamKinds::noisy);
        kinds.put("abrupt", StreamKinds::abrupt);
        kinds.put("gradual", StreamKinds::gradual);
        kinds.put("imbalanced", StreamKinds::imbalanced);
        kinds.put("words", StreamKinds::words);
        kinds.put("table", StreamKinds::table);
        kinds.put("runs", StreamKinds::runs);
        kinds.put("units", StreamKinds::units);
        kinds.put("irrelevant", StreamKinds::irrelevant);
        kinds.put("missing", StreamKinds::missing);
        Map<String, LongFunction<StreamGenerators.Stream>> all = new LinkedHashMap<>();
        kinds.forEach((name, kind) -> all.put(name, seed -> kind.apply(new Random(seed))));
        return all;
    }

    private static double between(Random random, double least, double most) {
        return least + (most - least) * random.nextDouble();
    }

    private static int whole(Random random, int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private static double[] gaussians(Random random, int count) {
        double[] numbers = new double[count];
        for (int k = 0; k < count; k++) {
            numbers[k] = random.nextGaussian();
        }
        return numbers;
    }

    /** Unit vector. */
    private static double[] direction(Random random, int count) {
        double[] numbers = gaussians(random, count);
        double length = Math.sqrt(dot(numbers, numbers));
        for (int k = 0; k < count; k++) {
            numbers[k] /= length;
        }
        return numbers;
    }

    private static double dot(double[] w, double[] x) {
        double sum = 0;
        for (int k = 0; k < w.length; k++) {
            sum += w[k] * x[k];
        }
        return sum;
    }

    private static void finish(Example example, boolean isPositive) {
        example.setFeatures(example.vector());
        example.setLabel(Label.of(isPositive ? 1 : -1));
    }

    private static void finishDense(Example example, double[] x, boolean isPositive) {
        example.vector().resetDense();
        for (double value : x) {
            example.vector().append(value);
        }
        finish(example, isPositive);
    }

    /** A hyperplane at a distance from all examples. */
    private static StreamGenerators.Stream separable(Random random) {
        double[] w = direction(random, whole(random, 2, 30));
        double threshold = between(random, -0.5, 0.5);
        double margin = between(random, 0.02, 0.3);
        return example -> {
            double[] x = gaussians(random, w.length);
            while (Math.abs(dot(w, x) - threshold) < margin) {
                x = gaussians(random, w.length);
            }
            finishDense(example, x, dot(w, x) > threshold);
        };
    }

    /** A hyperplane; 10 to 25 % of the labels are inverted. */
    private static StreamGenerators.Stream noisy(Random random) {
        double[] w = direction(random, whole(random, 5, 30));
        double noise = between(random, 0.1, 0.25);
        return example -> {
            double[] x = gaussians(random, w.length);
            finishDense(example, x, dot(w, x) > 0 ^ random.nextDouble() < noise);
        };
    }

    /** Another hyperplane every 500 to 2,000 examples. */
    private static StreamGenerators.Stream abrupt(Random random) {
        double[] w = direction(random, whole(random, 3, 10));
        int concept = whole(random, 500, 2000);
        double noise = between(random, 0, 0.1);
        int[] n = new int[1];
        return example -> {
            if (++n[0] % concept == 0) {
                System.arraycopy(direction(random, w.length), 0, w, 0, w.length);
            }
            double[] x = gaussians(random, w.length);
            finishDense(example, x, dot(w, x) > 0 ^ random.nextDouble() < noise);
        };
    }

    /** A hyperplane that turns steadily: a quarter of a turn in 1,000 to 5,000 examples. */
    private static StreamGenerators.Stream gradual(Random random) {
        int features = whole(random, 3, 15);
        double[] from = direction(random, features);
        double[] towards = direction(random, features);
        double speed = Math.PI / 2 / whole(random, 1000, 5000);
        double noise = between(random, 0, 0.1);
        int[] n = new int[1];
        return example -> {
            double[] x = gaussians(random, features);
            double angle = speed * n[0]++;
            double score = Math.cos(angle) * dot(from, x) + Math.sin(angle) * dot(towards, x);
            finishDense(example, x, score > 0 ^ random.nextDouble() < noise);
        };
    }

    /** 2 to 10 % are +1, around another mean. */
    private static StreamGenerators.Stream imbalanced(Random random) {
        double[] w = direction(random, whole(random, 3, 20));
        double distance = between(random, 2, 4);
        double share = between(random, 0.02, 0.1);
        return example -> {
            boolean isPositive = random.nextDouble() < share;
            double[] x = gaussians(random, w.length);
            for (int k = 0; k < x.length; k++) {
                x[k] += isPositive ? distance * w[k] : 0;
            }
            finishDense(example, x, isPositive);
        };
    }

    /** Counts of 5 to 30 words, some frequent and most rare; each has a weight. */
    private static StreamGenerators.Stream words(Random random) {
        double[] w = gaussians(random, whole(random, 1000, 5000));
        double noise = between(random, 0, 0.5);
        boolean areCounted = random.nextBoolean();
        return example -> {
            TreeMap<Integer, Integer> counts = new TreeMap<>();
            int length = whole(random, 5, 30);
            for (int k = 0; k < length; k++) {
                // the frequency of the n-th word is about 1/n; the first 10 are left out
                int word = (int) Math.pow(w.length + 10, between(random, 0.3, 1)) - 10;
                counts.merge(Math.max(0, Math.min(w.length - 1, word)), 1, Integer::sum);
            }
            double score = noise * Math.sqrt(length) * random.nextGaussian();
            example.vector().resetSparse();
            for (Map.Entry<Integer, Integer> count : counts.entrySet()) {
                int value = areCounted ? count.getValue() : 1;
                example.vector().append(count.getKey(), value);
                score += w[count.getKey()] * value;
            }
            finish(example, score > 0);
        };
    }

    /** Two to six numbers in units of their own, three to six columns of words, and missing cells. */
    private static StreamGenerators.Stream table(Random random) {
        double[] numbers = gaussians(random, whole(random, 2, 6));
        double[] units = new double[numbers.length];
        double[] means = new double[numbers.length];
        for (int k = 0; k < numbers.length; k++) {
            units[k] = Math.pow(10, between(random, -2, 4.5));
            means[k] = units[k] * between(random, -1, 5);
        }
        double[][] columns = new double[whole(random, 3, 6)][];
        for (int c = 0; c < columns.length; c++) {
            columns[c] = gaussians(random, whole(random, 2, 12));
        }
        double missing = between(random, 0, 0.25);
        double noise = between(random, 0.1, 0.6);
        return example -> {
            FeatureVector x = example.vector().resetSparse();
            double score = noise * random.nextGaussian();
            for (int k = 0; k < numbers.length; k++) {
                double value = random.nextGaussian();
                score += numbers[k] * value;
                if (random.nextDouble() >= missing) {
                    x.append(k, means[k] + units[k] * value);
                }
            }
            for (int c = 0; c < columns.length; c++) {
                int word = random.nextInt(columns[c].length);
                score += columns[c][word];
                if (random.nextDouble() >= missing / 2) {
                    x.append(100 + 20 * c + word, 1);
                }
            }
            finish(example, score > 0);
        };
    }

    /**
     * The sign of a hidden state that changes slowly. Four to eight features follow it up to three examples later, each
     * with an error that changes slowly, too, in units of their own.
     */
    private static StreamGenerators.Stream runs(Random random) {
        int features = whole(random, 4, 8);
        double kept = between(random, 0.85, 0.98);
        double error = between(random, 0.1, 1);
        double[] shares = gaussians(random, features);
        double[] errors = gaussians(random, features);
        double[] units = new double[features];
        int[] lags = new int[features];
        for (int k = 0; k < features; k++) {
            units[k] = Math.pow(10, between(random, -2, 3));
            lags[k] = whole(random, 0, 3);
        }
        double[] states = new double[4];
        return example -> {
            System.arraycopy(states, 0, states, 1, states.length - 1);
            states[0] = kept * states[0] + Math.sqrt(1 - kept * kept) * random.nextGaussian();
            double[] x = new double[features];
            for (int k = 0; k < features; k++) {
                errors[k] = 0.95 * errors[k] + Math.sqrt(1 - 0.95 * 0.95) * random.nextGaussian();
                x[k] = units[k] * (3 + shares[k] * states[lags[k]] + error * errors[k]);
            }
            finishDense(example, x, states[0] > 0);
        };
    }

    /** A hyperplane of features in units from 10^-4 to 10^5, around means that are far from 0; some are skewed. */
    private static StreamGenerators.Stream units(Random random) {
        double[] w = direction(random, whole(random, 4, 15));
        double[] units = new double[w.length];
        double[] means = new double[w.length];
        boolean[] areSkewed = new boolean[w.length];
        for (int k = 0; k < w.length; k++) {
            units[k] = Math.pow(10, between(random, -4, 5));
            means[k] = between(random, -10, 10);
            areSkewed[k] = random.nextInt(3) == 0;
        }
        double noise = between(random, 0, 0.1);
        return example -> {
            double[] x = gaussians(random, w.length);
            for (int k = 0; k < w.length; k++) {
                x[k] = areSkewed[k] ? Math.exp(x[k]) - Math.exp(0.5) : x[k];
            }
            boolean isPositive = dot(w, x) > 0 ^ random.nextDouble() < noise;
            for (int k = 0; k < w.length; k++) {
                x[k] = units[k] * (means[k] + x[k]);
            }
            finishDense(example, x, isPositive);
        };
    }

    /** 50 to 200 features, of which three to eight matter. */
    private static StreamGenerators.Stream irrelevant(Random random) {
        double[] w = new double[whole(random, 50, 200)];
        double[] relevant = direction(random, whole(random, 3, 8));
        System.arraycopy(relevant, 0, w, 0, relevant.length);
        double noise = between(random, 0, 0.1);
        return example -> {
            double[] x = gaussians(random, w.length);
            finishDense(example, x, dot(w, x) > 0 ^ random.nextDouble() < noise);
        };
    }

    /** Numbers of units and means of their own, of which 10 to 50 % are missing, each column for itself. */
    private static StreamGenerators.Stream missing(Random random) {
        double[] w = direction(random, whole(random, 6, 20));
        double[] means = new double[w.length];
        double[] present = new double[w.length];
        for (int k = 0; k < w.length; k++) {
            means[k] = between(random, -5, 5);
            present[k] = between(random, 0.5, 0.9);
        }
        return example -> {
            double[] x = gaussians(random, w.length);
            example.vector().resetSparse();
            for (int k = 0; k < w.length; k++) {
                if (random.nextDouble() < present[k]) {
                    example.vector().append(k, 100 * (means[k] + x[k]));
                }
            }
            finish(example, dot(w, x) > 0);
        };
    }
}
