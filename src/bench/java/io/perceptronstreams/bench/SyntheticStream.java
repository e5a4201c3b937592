package io.perceptronstreams.bench;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.serde.NumberLists;
import java.util.Arrays;
import java.util.Random;

/**
 * A seeded stream of examples, sparse ones that resemble text or dense ones, labelled by a known hyperplane.
 *
 * <p>The labels of the <em>easy</em> stream are correct, and it is separable. The <em>hard</em> stream has the same
 * examples in the same order, with a fraction of the labels turned; see {@link BenchCalibration}.
 */
final class SyntheticStream {
    /*
     * Features: n live features, 2^14 by default. An example has 40 different ones. Feature k (from 1) is drawn with
     * probability log(1 + 1/k) / log(n + 1), approximately Zipf's law: some features are in almost every example, most
     * are rare. As in tf-idf, a rare feature has a larger value, log(1 + k). Then the example is scaled to length 1.
     *
     * Dense examples have a normally distributed value of each feature, and are not scaled.
     *
     * Labels: the coefficients of the hyperplane are normally distributed. Examples near it are omitted. On the easy
     * stream a perceptron makes about 18 mistakes per 100 of the first 100,000 examples, 1 per 100 after the first
     * million. A larger fraction of turned labels turns a superset of the labels.
     *
     * Indices: pseudo-random, like the hash of a name, but without collisions. With the minimum number of bits they are
     * dense; with 24 bits almost every feature has its own block of weights. Otherwise such streams differ only in the
     * encoding of larger numbers: records are 1/8 longer.
     */
    static final int NON_ZEROS = 40;

    /** Minimum number of live features; with fewer, 40 different ones would be most of them. */
    static final int MIN_LIVE = 256;

    static final int MAX_LIVE = 1 << 22;

    /** Maximum number of features of a dense example. */
    static final int MAX_DENSE = 1 << 14;

    // scores have a standard normal distribution: about a quarter of all examples is omitted
    private static final double MIN_SCORE = 0.3;

    private final Random random;
    private final int live;
    private final boolean isDense;
    private final double[] normal;
    private final double normalLength;
    private final double[] rarity;

    // number of the draw in which a feature was drawn last
    private final long[] drawnFor;
    private long draws;

    private final int[] features = new int[NON_ZEROS];
    private final long[] byIndex = new long[NON_ZEROS];
    private double length;

    // of a dense example
    private final double[] values;

    private int side;
    private double turn;
    private long number;

    private SyntheticStream(long seed, int live, boolean isDense) {
        this.random = new Random(seed);
        this.live = live;
        this.isDense = isDense;
        this.normal = new double[live];
        this.rarity = new double[live];
        this.drawnFor = new long[live];
        this.values = new double[isDense ? live : 0];
        double squaredLength = 0;
        for (int feature = 0; feature < live; feature++) {
            normal[feature] = random.nextGaussian();
            rarity[feature] = Math.log(feature + 2);
            squaredLength += normal[feature] * normal[feature];
        }
        normalLength = Math.sqrt(squaredLength);
    }

    /**
     * Creates a stream of sparse examples.
     *
     * @param live number of features, from {@link #MIN_LIVE} to {@link #MAX_LIVE}
     */
    static SyntheticStream ofSparse(long seed, int live) {
        return new SyntheticStream(seed, live, false);
    }

    /**
     * Creates a stream of dense examples.
     *
     * @param size number of features, from 1 to {@link #MAX_DENSE}
     */
    static SyntheticStream ofDense(long seed, int size) {
        return new SyntheticStream(seed, size, true);
    }

    /** Moves to the next example and returns its number, from 1, which is also its id. */
    long next() {
        double score = draw();
        while (Math.abs(score) < MIN_SCORE) {
            score = draw();
        }
        side = score > 0 ? 1 : -1;
        turn = random.nextDouble();
        return ++number;
    }

    /** Returns the example's label, 1 or -1, if a fraction {@code turned} of all labels is turned. */
    int label(double turned) {
        return turn < turned ? -side : side;
    }

    private double draw() {
        return isDense ? drawDense() : drawSparse();
    }

    private double drawDense() {
        double sum = 0;
        for (int feature = 0; feature < live; feature++) {
            values[feature] = random.nextGaussian();
            sum += normal[feature] * values[feature];
        }
        return sum / normalLength;
    }

    private double drawSparse() {
        draws++;
        double squaredLength = 0;
        double sum = 0;
        for (int drawn = 0; drawn < NON_ZEROS; ) {
            int feature = (int) Math.exp(random.nextDouble() * Math.log(live + 1)) - 1;
            if (drawnFor[feature] != draws) {
                drawnFor[feature] = draws;
                features[drawn++] = feature;
                squaredLength += rarity[feature] * rarity[feature];
                sum += rarity[feature] * normal[feature];
            }
        }
        length = Math.sqrt(squaredLength);
        return sum / length;
    }

    /**
     * A permutation of the numbers below 2^bits, by the final steps of MurmurHash3. A single odd factor is also a
     * permutation, but places the features at equal distances, for which multiplicative hashing has too few collisions.
     */
    private static int index(int feature, int bits) {
        int mask = (1 << bits) - 1;
        int index = (feature * 0x85ebca6b) & mask;
        index ^= index >>> (bits / 2);
        index = (index * 0xc2b2ae35) & mask;
        return index ^ (index >>> (bits / 2));
    }

    /** Minimum number of bits of all indices. */
    int bits() {
        return Integer.SIZE - Integer.numberOfLeadingZeros(live - 1);
    }

    /** Sets {@code vector} to the example's features, in ascending order of their indices. */
    void fill(FeatureVector vector) {
        if (isDense) {
            vector.resetDense();
            for (double value : values) {
                vector.append(value);
            }
            return;
        }
        sort(bits());
        vector.resetSparse();
        for (long each : byIndex) {
            vector.append((int) (each >>> Integer.SIZE), rarity[(int) each] / length);
        }
    }

    /**
     * Returns the example as an event.
     *
     * @param bits the features of a sparse example are spread over 2^bits indices
     * @param turned fraction of turned labels
     */
    Example example(int bits, double turned) {
        Object features = isDense ? new DenseVector(NumberLists.doubles(values, live)) : sparse(bits);
        return new Example(Long.toString(number), label(turned), features, 1.0);
    }

    private SparseVector sparse(int bits) {
        sort(bits);
        int[] indices = new int[NON_ZEROS];
        double[] numbers = new double[NON_ZEROS];
        for (int k = 0; k < NON_ZEROS; k++) {
            indices[k] = (int) (byIndex[k] >>> Integer.SIZE);
            numbers[k] = rarity[(int) byIndex[k]] / length;
        }
        return new SparseVector(NumberLists.ints(indices, NON_ZEROS), NumberLists.doubles(numbers, NON_ZEROS));
    }

    private void sort(int bits) {
        for (int k = 0; k < NON_ZEROS; k++) {
            byIndex[k] = (long) index(features[k], bits) << Integer.SIZE | features[k];
        }
        Arrays.sort(byIndex);
    }
}
