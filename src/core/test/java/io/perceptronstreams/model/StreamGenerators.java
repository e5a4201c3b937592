package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.LongFunction;

/** The generated streams of src/bench/streams.md, without an end; with labels -1 and +1. */
final class StreamGenerators {
    /** A stream: fills the next example. */
    interface Stream {
        void next(Example example);
    }

    private static final double[] SEA_THRESHOLDS = {8, 9, 7, 9.5};
    private static final int SEA_CONCEPT = 25_000;
    private static final int SEA_WIDTH = 10_000;

    private static final double[] POWERS = {1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4, 1e5};

    private StreamGenerators() {}

    /** All streams by name; made of a seed. */
    static Map<String, LongFunction<Stream>> all() {
        Map<String, LongFunction<Stream>> all = new LinkedHashMap<>();
        all.put("sea-abrupt", seed -> sea(new Random(seed), 1));
        all.put("sea-gradual", seed -> sea(new Random(seed), SEA_WIDTH));
        all.put("rotating", seed -> rotating(new Random(seed)));
        all.put("label-noise", seed -> hyperplane(new Random(seed), 0.2, false));
        all.put("scales", seed -> hyperplane(new Random(seed), 0.05, true));
        all.put("features", seed -> correlated(new Random(seed)));
        all.put("imbalance", seed -> imbalance(new Random(seed)));
        all.put("table", StreamKinds.all().get("table"));
        all.put("runs", StreamKinds.all().get("runs"));
        return all;
    }

    /**
     * SEA (Street and Kim 2001): three features in [0,10), +1 if the sum of the first two exceeds a threshold; 10 % of
     * the labels are inverted. The threshold changes every 25,000 examples: between 8, 9, 7 and 9.5.
     *
     * @param width examples around a change in which both concepts occur, with a share that changes linearly
     */
    private static Stream sea(Random random, int width) {
        return new Stream() {
            private long n;

            @Override
            public void next(Example example) {
                double x0 = 10 * random.nextDouble();
                double x1 = 10 * random.nextDouble();
                double x2 = 10 * random.nextDouble();
                double change = random.nextDouble();
                // the concept of a place up to half a width away
                long place = Math.max(0, Math.round(n + (change - 0.5) * (width - 1)));
                double threshold = SEA_THRESHOLDS[(int) (place / SEA_CONCEPT % SEA_THRESHOLDS.length)];
                boolean isPositive = (x0 + x1 > threshold) ^ (random.nextInt(10) == 0);
                example.vector().resetDense();
                example.vector().append(x0);
                example.vector().append(x1);
                example.vector().append(x2);
                finish(example, isPositive);
                n++;
            }
        };
    }

    /**
     * The rotating hyperplane of MOA's HyperplaneGenerator with -k 10 -t .001 -n 5 (Hulten, Spencer and Domingos 2001):
     * ten features in [0,1), +1 if the weighted sum reaches half of the weights; after each example every weight moves
     * by 0.001, and each direction is inverted with probability 0.1; 5 % of the labels are inverted.
     */
    private static Stream rotating(Random random) {
        int features = 10;
        double[] weights = random.doubles(features).toArray();
        double[] directions = random.doubles(features).map(any -> 1).toArray();
        return example -> {
            double sum = 0;
            double half = 0;
            example.vector().resetDense();
            for (int k = 0; k < features; k++) {
                double x = random.nextDouble();
                example.vector().append(x);
                sum += weights[k] * x;
                half += weights[k] / 2;
            }
            finish(example, (sum >= half) ^ (random.nextInt(20) == 0));
            for (int k = 0; k < features; k++) {
                weights[k] += 0.001 * directions[k];
                directions[k] = random.nextInt(10) == 0 ? -directions[k] : directions[k];
            }
        };
    }

    /**
     * A fixed hyperplane through the centre of Gaussian features; a share of the labels is inverted.
     *
     * @param isScaled whether ten features have scales from 1e-4 to 1e5; otherwise there are 20 of scale 1
     */
    private static Stream hyperplane(Random random, double noise, boolean isScaled) {
        int features = isScaled ? 10 : 20;
        double[] weights = new double[features];
        for (int k = 0; k < features; k++) {
            weights[k] = random.nextGaussian();
        }
        return example -> {
            double sum = 0;
            example.vector().resetDense();
            for (int k = 0; k < features; k++) {
                double x = random.nextGaussian();
                example.vector().append(isScaled ? x * POWERS[k] : x);
                sum += weights[k] * x;
            }
            finish(example, (sum >= 0) ^ (random.nextDouble() < noise));
        };
    }

    /**
     * A fixed hyperplane through the centre of 100 Gaussian features of deviation 1, of which any two have correlation
     * 0.8; 5 % of the labels are inverted.
     */
    private static Stream correlated(Random random) {
        double[] weights = new double[100];
        for (int k = 0; k < weights.length; k++) {
            weights[k] = random.nextGaussian();
        }
        return example -> {
            double common = random.nextGaussian();
            double sum = 0;
            example.vector().resetDense();
            for (double weight : weights) {
                double x = Math.sqrt(0.8) * common + Math.sqrt(0.2) * random.nextGaussian();
                example.vector().append(x);
                sum += weight * x;
            }
            finish(example, (sum >= 0) ^ (random.nextInt(20) == 0));
        };
    }

    /**
     * Ten Gaussian features of deviation 1; 1 % of the examples are +1, with a mean that is 3 away from that of the
     * others.
     */
    private static Stream imbalance(Random random) {
        int features = 10;
        double[] direction = new double[features];
        double squares = 0;
        for (int k = 0; k < features; k++) {
            direction[k] = random.nextGaussian();
            squares += direction[k] * direction[k];
        }
        double factor = 3 / Math.sqrt(squares);
        return example -> {
            boolean isPositive = random.nextInt(100) == 0;
            example.vector().resetDense();
            for (int k = 0; k < features; k++) {
                example.vector().append(random.nextGaussian() + (isPositive ? factor * direction[k] : 0));
            }
            finish(example, isPositive);
        };
    }

    private static void finish(Example example, boolean isPositive) {
        example.setFeatures(example.vector());
        example.setLabel(Label.of(isPositive ? 1 : -1));
    }
}
