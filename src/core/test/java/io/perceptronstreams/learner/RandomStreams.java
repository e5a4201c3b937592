package io.perceptronstreams.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Generated streams of examples; each depends only on the random generator. */
public final class RandomStreams {
    private RandomStreams() {}

    /** Examples that some unit vector separates with a known margin. */
    public record Separable(List<Sample> samples, double margin) {}

    /**
     * Points in directions of any kind, of length 1 or of lengths from 0.1 to 5 (margins are those of the points as
     * they are), without those closer to the hyperplane than {@code margin}.
     */
    public static Separable separable(Random random, int n, int dimension, double margin, boolean isUnit) {
        double[] separator = direction(random, dimension);
        List<Sample> samples = new ArrayList<>();
        double smallest = Double.POSITIVE_INFINITY;
        while (samples.size() < n) {
            double[] x = direction(random, dimension);
            double length = isUnit ? 1 : 0.1 + 4.9 * random.nextDouble();
            for (int k = 0; k < dimension; k++) {
                x[k] *= length;
            }
            double score = Sample.dense(1, x).dot(separator);
            if (Math.abs(score) >= margin) {
                samples.add(Sample.dense(score > 0 ? 1 : -1, x));
                smallest = Math.min(smallest, Math.abs(score));
            }
        }
        return new Separable(samples, smallest);
    }

    /** Sparse examples with labels that mostly, but not always, follow a hyperplane. */
    public static List<Sample> noisy(Random random, int n, int dimension, int nonZeros) {
        double[] hidden = direction(random, dimension);
        List<Sample> samples = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            Sample sample = Sample.sparse(1, indices(random, dimension, nonZeros), values(random, nonZeros));
            boolean isPositive = sample.dot(hidden) >= 0 ^ random.nextInt(5) == 0;
            samples.add(Sample.sparse(isPositive ? 1 : -1, sample.indices, sample.values));
        }
        return samples;
    }

    /** A vector of length 1. */
    public static double[] direction(Random random, int dimension) {
        double[] x = values(random, dimension);
        double norm = Math.sqrt(Sample.dense(1, x).squaredNorm());
        for (int k = 0; k < dimension; k++) {
            x[k] /= norm;
        }
        return x;
    }

    private static double[] values(Random random, int n) {
        double[] values = new double[n];
        for (int k = 0; k < n; k++) {
            values[k] = random.nextGaussian();
        }
        return values;
    }

    private static int[] indices(Random random, int dimension, int nonZeros) {
        TreeSet<Integer> indices = new TreeSet<>();
        while (indices.size() < nonZeros) {
            indices.add(random.nextInt(dimension));
        }
        return indices.stream().mapToInt(index -> index).toArray();
    }
}
