package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The two-class learner on 40 non-zeros of 2^14, beside loops over the same examples that a programmer would write for
 * it alone.
 *
 * <p>All keep the average and the norms; the loops check nothing. One has w and the average in flat arrays, the other
 * in blocks of 128, as a store needs them that writes only what was changed. The labels are those of a hyperplane, one
 * in a hundred turned round, in each pass others: what is always wrong in the same way is learned, too, and then there
 * would be no more updates.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class TwoClassBenchmark {
    private static final int DIMENSION = 1 << 14;
    private static final int NON_ZEROS = 40;
    private static final int EXAMPLES = 1 << 12;
    private static final int LABELS = EXAMPLES << 8;

    private final FeatureVector[] vectors = new FeatureVector[EXAMPLES];
    private final byte[] labels = new byte[LABELS];
    private final Learner learner = new Perceptron(Settings.DEFAULTS);
    private final Outcome outcome = new Outcome();
    private final double[] w = new double[DIMENSION];
    private final double[] a = new double[DIMENSION];
    private double bias;
    private double biasAverage;
    private double survivals;
    private double squaredNorm;
    private double squaredRadius;
    private final double[][] blocks = new double[DIMENSION >> 7][256];
    private int next;

    /** Makes the stream. */
    @Setup
    public void stream() {
        Random random = new Random(1);
        double[] plane = random.doubles(DIMENSION, -1, 1).toArray();
        for (int e = 0; e < EXAMPLES; e++) {
            int[] indices = random.ints(0, DIMENSION)
                    .distinct()
                    .limit(NON_ZEROS)
                    .sorted()
                    .toArray();
            FeatureVector x = new FeatureVector();
            double score = 0;
            for (int index : indices) {
                double value = random.nextGaussian();
                x.append(index, value);
                score += plane[index] * value;
            }
            vectors[e] = x;
            for (int visit = e; visit < LABELS; visit += EXAMPLES) {
                labels[visit] = (byte) (score >= 0 ^ random.nextInt(100) == 0 ? 1 : -1);
            }
        }
    }

    /** The learner of the engine. */
    @Benchmark
    public boolean learner() {
        int e = next & EXAMPLES - 1;
        learner.learn(vectors[e], Label.of(labels[next++ & LABELS - 1]), 1, outcome);
        return outcome.isUpdated();
    }

    /** The loop for this one case. */
    @Benchmark
    public boolean handWritten() {
        int e = next & EXAMPLES - 1;
        int[] indices = vectors[e].indices();
        double[] values = vectors[e].values();
        int size = vectors[e].size();
        double u = 0;
        double squaredLength = 0;
        for (int k = 0; k < size; k++) {
            u += w[indices[k]] * values[k];
            squaredLength += values[k] * values[k];
        }
        u += bias;
        squaredRadius = Math.max(squaredRadius, squaredLength + 1);
        int y = labels[next++ & LABELS - 1];
        boolean isMistake = y * u <= 0;
        if (isMistake) {
            for (int k = 0; k < size; k++) {
                double change = y * values[k];
                double before = w[indices[k]];
                w[indices[k]] = before + change;
                a[indices[k]] += survivals * change;
                squaredNorm += change * (before + before + change);
            }
            squaredNorm += y * (bias + bias + y);
            bias += y;
            biasAverage += survivals * y;
        }
        survivals += 1;
        return isMistake;
    }

    /** The same with blocks. */
    @Benchmark
    public boolean handWrittenBlocks() {
        int e = next & EXAMPLES - 1;
        int[] indices = vectors[e].indices();
        double[] values = vectors[e].values();
        int size = vectors[e].size();
        double u = 0;
        double squaredLength = 0;
        for (int k = 0; k < size; k++) {
            u += blocks[indices[k] >>> 7][indices[k] & 127] * values[k];
            squaredLength += values[k] * values[k];
        }
        u += bias;
        squaredRadius = Math.max(squaredRadius, squaredLength + 1);
        int y = labels[next++ & LABELS - 1];
        boolean isMistake = y * u <= 0;
        if (isMistake) {
            for (int k = 0; k < size; k++) {
                double[] block = blocks[indices[k] >>> 7];
                int i = indices[k] & 127;
                double change = y * values[k];
                double before = block[i];
                block[i] = before + change;
                block[128 + i] += survivals * change;
                squaredNorm += change * (before + before + change);
            }
            squaredNorm += y * (bias + bias + y);
            bias += y;
            biasAverage += survivals * y;
        }
        survivals += 1;
        return isMistake;
    }

    @Override
    public String toString() {
        return Arrays.toString(new double[] {biasAverage, squaredNorm, squaredRadius});
    }
}
