package io.perceptronstreams.bench;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.serde.EventSchemas;
import java.util.Arrays;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;

/**
 * A seeded stream of sparse examples as they come from text, with a known hyperplane.
 *
 * <p>There are n live features, 2^14 unless set. An example has 40 different ones, and feature k (from 1) is drawn with probability
 * log(1 + 1/k) / log(n + 1): nearly Zipf's law, so that some features are in almost every example and most are rare. As in tf-idf, a
 * rare feature weighs more: its value is log(1 + k), and then the example is scaled to length 1.
 *
 * <p>The <em>easy</em> stream has as label the side of a hyperplane with normally distributed coefficients; examples near it are left
 * out, so that the stream is separable and the mistakes become fewer and fewer: about 18 in 100 of the first 100,000 examples, 1 in 100
 * after the first million. The <em>hard</em> stream has the same examples in the same order, with a fraction of the labels turned; see
 * {@link BenchCalibration}. A larger fraction turns all labels that a smaller one turns, and others.
 *
 * <p>The index of a feature is as good as random, as a hash of its name would be, but no two features share one. With the fewest bits
 * that are enough they lie close together; with 24 the same features lie far apart, nearly each in a block of its own. Such streams
 * differ in nothing else but the bytes that greater numbers take: a record is an eighth longer.
 */
final class SyntheticStream {
    static final int NON_ZEROS = 40;

    /** How many live features a stream may have; below, 40 different ones would be most of them. */
    static final int MIN_LIVE = 256;

    static final int MAX_LIVE = 1 << 22;

    // Scores are distributed normally with deviation 1: about a quarter of all examples is left out.
    private static final double LEAST_SCORE = 0.3;

    private static final Schema EXAMPLE = EventSchemas.schema("Example");
    private static final Schema SPARSE =
            EXAMPLE.getField("features").schema().getTypes().get(1);
    private static final Schema INTS = SPARSE.getField("indices").schema();
    private static final Schema DOUBLES = SPARSE.getField("values").schema();

    private final Random random;
    private final int live;
    private final double[] normal;
    private final double[] rarity;

    // Which example a feature was drawn for last.
    private final long[] drawnFor;
    private long draws;

    private final int[] features = new int[NON_ZEROS];
    private final long[] byIndex = new long[NON_ZEROS];
    private double length;
    private int side;
    private double turn;
    private long number;

    /** @param live how many features there are, from {@link #MIN_LIVE} to {@link #MAX_LIVE} */
    SyntheticStream(long seed, int live) {
        this.random = new Random(seed);
        this.live = live;
        this.normal = new double[live];
        this.rarity = new double[live];
        this.drawnFor = new long[live];
        for (int feature = 0; feature < live; feature++) {
            normal[feature] = random.nextGaussian();
            rarity[feature] = Math.log(feature + 2);
        }
    }

    /** Goes on to the next example and returns its number, from 1; the number is also its id. */
    long next() {
        double score = draw();
        while (Math.abs(score) < LEAST_SCORE) {
            score = draw();
        }
        side = score > 0 ? 1 : -1;
        turn = random.nextDouble();
        return ++number;
    }

    /** The example's label, 1 or -1, where a fraction {@code turned} of all labels is turned; 0: the easy stream. */
    int label(double turned) {
        return turn < turned ? -side : side;
    }

    private double draw() {
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
     * A permutation of the numbers below 2^bits, by the steps that end MurmurHash3. One odd factor alone would do for that, too,
     * but it would lay the features out at even distances, where whatever is hashed by another factor has too few collisions.
     */
    private static int index(int feature, int bits) {
        int mask = (1 << bits) - 1;
        int index = (feature * 0x85ebca6b) & mask;
        index ^= index >>> (bits / 2);
        index = (index * 0xc2b2ae35) & mask;
        return index ^ (index >>> (bits / 2));
    }

    /** The least number of bits that all indices fit into. */
    int bits() {
        return Integer.SIZE - Integer.numberOfLeadingZeros(live - 1);
    }

    /** Puts the example's features, in ascending order of their indices, into {@code vector}. */
    void fill(FeatureVector vector) {
        sort(bits());
        vector.resetSparse();
        for (long each : byIndex) {
            vector.append((int) (each >>> Integer.SIZE), rarity[(int) each] / length);
        }
    }

    /**
     * The example as an event.
     *
     * @param bits its features are spread over 2^bits indices
     * @param turned fraction of the labels that are turned
     */
    GenericRecord example(int bits, double turned) {
        sort(bits);
        IntArray indices = new IntArray(NON_ZEROS, INTS);
        DoubleArray values = new DoubleArray(NON_ZEROS, DOUBLES);
        for (int k = 0; k < NON_ZEROS; k++) {
            indices.add(k, (int) (byIndex[k] >>> Integer.SIZE));
            values.add(k, rarity[(int) byIndex[k]] / length);
        }
        GenericRecord sparse = new GenericData.Record(SPARSE);
        sparse.put("indices", indices);
        sparse.put("values", values);
        GenericRecord example = new GenericData.Record(EXAMPLE);
        example.put("id", Long.toString(number));
        example.put("label", label(turned));
        example.put("features", sparse);
        example.put("weight", 1.0);
        return example;
    }

    private void sort(int bits) {
        for (int k = 0; k < NON_ZEROS; k++) {
            byIndex[k] = (long) index(features[k], bits) << Integer.SIZE | features[k];
        }
        Arrays.sort(byIndex);
    }
}
