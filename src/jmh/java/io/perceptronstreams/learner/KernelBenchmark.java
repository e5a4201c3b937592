package io.perceptronstreams.learner;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The score of one dense example of 784 features with a polynomial kernel, beside the same number of multiplications
 * and additions over one flat matrix, in the order in which this machine does them fastest.
 *
 * <p>The support is made by learning random labels with an h that no margin reaches: every example joins.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class KernelBenchmark {
    private static final int DIMENSION = 784;
    private static final int EXAMPLES = 64;

    @Param({"1000", "10000"})
    private int support;

    private final FeatureVector[] vectors = new FeatureVector[EXAMPLES];
    private final Outcome outcome = new Outcome();
    private final double[][] raw = new double[EXAMPLES][];
    private Learner learner;
    private double[] matrix;
    private double[] sums;
    private int next;

    /** Makes the support and the matrix, and examples to score. */
    @Setup
    public void learn() {
        Random random = new Random(1);
        Settings settings = Settings.DEFAULTS.with(
                Map.of("kernel", "poly(c=1,k=2)", "bias", "false", "h", "1e300", "algorithm", "kernel"));
        learner = Algorithm.of(settings).create(settings);
        for (int s = 0; s < support; s++) {
            learner.learn(
                    dense(random.doubles(DIMENSION).toArray()), Label.of(random.nextBoolean() ? 1 : -1), 1, outcome);
        }
        matrix = random.doubles((long) DIMENSION * support).toArray();
        sums = new double[support];
        for (int e = 0; e < EXAMPLES; e++) {
            raw[e] = random.doubles(DIMENSION).toArray();
            vectors[e] = dense(raw[e]);
        }
    }

    private static FeatureVector dense(double[] values) {
        FeatureVector x = new FeatureVector().resetDense();
        for (double value : values) {
            x.append(value);
        }
        return x;
    }

    /** The learner of the engine. */
    @Benchmark
    public double learner() {
        learner.predict(vectors[next++ & EXAMPLES - 1], outcome);
        return outcome.score();
    }

    /** One pass over a matrix by feature, all sums at a time. */
    @Benchmark
    public double multiplyAdds() {
        double[] x = raw[next++ & EXAMPLES - 1];
        double[] u = sums;
        for (int k = 0; k < DIMENSION; k++) {
            double value = x[k];
            int from = k * support;
            for (int i = 0; i < u.length; i++) {
                u[i] += value * matrix[from + i];
            }
        }
        return u[0];
    }

    /**
     * The same over a matrix by vector, four sums at a time, which reads the matrix once and the sums from registers.
     */
    @Benchmark
    public double multiplyAddsByVector() {
        double[] x = raw[next++ & EXAMPLES - 1];
        double[] u = sums;
        for (int i = 0; i < u.length; i++) {
            int from = i * DIMENSION;
            double s0 = 0;
            double s1 = 0;
            double s2 = 0;
            double s3 = 0;
            for (int k = 0; k < DIMENSION; k += 4) {
                s0 += x[k] * matrix[from + k];
                s1 += x[k + 1] * matrix[from + k + 1];
                s2 += x[k + 2] * matrix[from + k + 2];
                s3 += x[k + 3] * matrix[from + k + 3];
            }
            u[i] = s0 + s1 + s2 + s3;
        }
        return u[0];
    }
}
