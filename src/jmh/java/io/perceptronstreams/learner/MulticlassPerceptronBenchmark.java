package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.multiclass.MulticlassPerceptron;
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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The multiclass learner on 40 non-zeros of 2^14, beside loops over the classes that a programmer would write for these
 * examples alone.
 *
 * <p>All keep the average and the norms; the loops check nothing and know classes by number. In one loop each class has
 * arrays of its own, as it is mostly written; in the other the weights of all classes stand side by side for each
 * feature. The labels are those of random planes, one in a hundred drawn, in each pass others, so that there are
 * mistakes for ever.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class MulticlassPerceptronBenchmark {
    private static final int DIMENSION = 1 << 14;
    private static final int NON_ZEROS = 40;
    private static final int EXAMPLES = 1 << 12;
    private static final int LABELS = EXAMPLES << 8;

    @Param({"10", "100"})
    private int classes;

    private final FeatureVector[] vectors = new FeatureVector[EXAMPLES];
    private final byte[] labels = new byte[LABELS];
    private Label[] names;
    private final Outcome outcome = new Outcome();
    private Learner learner;
    private double[][] w;
    private double[][] a;
    private double[] rows;
    private double[] rowAverages;
    private double[] biases;
    private double[] biasAverages;
    private double[] scores;
    private double survivals;
    private double squaredNorm;
    private double squaredRadius;
    private int next;

    /** Makes the stream. */
    @Setup
    public void stream() {
        learner = new MulticlassPerceptron(Settings.DEFAULTS);
        w = new double[classes][DIMENSION];
        a = new double[classes][DIMENSION];
        rows = new double[DIMENSION * classes];
        rowAverages = new double[DIMENSION * classes];
        biases = new double[classes];
        biasAverages = new double[classes];
        scores = new double[classes];
        names = new Label[classes];
        Arrays.setAll(names, c -> new Label.ClassName("class " + c));
        Random random = new Random(1);
        double[][] planes = new double[classes][];
        Arrays.setAll(planes, c -> random.doubles(DIMENSION, -1, 1).toArray());
        for (int e = 0; e < EXAMPLES; e++) {
            int[] indices = random.ints(0, DIMENSION)
                    .distinct()
                    .limit(NON_ZEROS)
                    .sorted()
                    .toArray();
            FeatureVector x = new FeatureVector();
            double[] sums = new double[classes];
            for (int index : indices) {
                double value = random.nextGaussian();
                x.append(index, value);
                for (int c = 0; c < classes; c++) {
                    sums[c] += planes[c][index] * value;
                }
            }
            vectors[e] = x;
            int best = argmax(sums);
            for (int visit = e; visit < LABELS; visit += EXAMPLES) {
                labels[visit] = (byte) (random.nextInt(100) == 0 ? random.nextInt(classes) : best);
            }
        }
    }

    private static int argmax(double[] values) {
        int best = 0;
        for (int c = 1; c < values.length; c++) {
            best = values[c] > values[best] ? c : best;
        }
        return best;
    }

    /** The learner of the engine. */
    @Benchmark
    public boolean learner() {
        int e = next & EXAMPLES - 1;
        learner.learn(vectors[e], names[labels[next++ & LABELS - 1]], 1, outcome);
        return outcome.isUpdated();
    }

    /** The loop with arrays for each class. */
    @Benchmark
    public boolean handWritten() {
        int e = next & EXAMPLES - 1;
        int[] indices = vectors[e].indices();
        double[] values = vectors[e].values();
        int size = vectors[e].size();
        for (int c = 0; c < classes; c++) {
            double[] weights = w[c];
            double u = 0;
            for (int k = 0; k < size; k++) {
                u += weights[indices[k]] * values[k];
            }
            scores[c] = u + biases[c];
        }
        note(values, size);
        int truth = labels[next++ & LABELS - 1];
        int rival = argmax(scores);
        if (truth != rival) {
            change(truth, indices, values, size, 1);
            change(rival, indices, values, size, -1);
        }
        survivals += 1;
        return truth != rival;
    }

    private void change(int c, int[] indices, double[] values, int size, double y) {
        for (int k = 0; k < size; k++) {
            double change = y * values[k];
            double before = w[c][indices[k]];
            w[c][indices[k]] = before + change;
            a[c][indices[k]] += survivals * change;
            squaredNorm += change * (before + before + change);
        }
        bias(c, y);
    }

    /** The loop with a row for each feature. */
    @Benchmark
    public boolean handWrittenRows() {
        int e = next & EXAMPLES - 1;
        int[] indices = vectors[e].indices();
        double[] values = vectors[e].values();
        int size = vectors[e].size();
        System.arraycopy(biases, 0, scores, 0, classes);
        for (int k = 0; k < size; k++) {
            int row = indices[k] * classes;
            double value = values[k];
            for (int c = 0; c < classes; c++) {
                scores[c] += rows[row + c] * value;
            }
        }
        note(values, size);
        int truth = labels[next++ & LABELS - 1];
        int rival = argmax(scores);
        if (truth != rival) {
            changeRows(truth, indices, values, size, 1);
            changeRows(rival, indices, values, size, -1);
        }
        survivals += 1;
        return truth != rival;
    }

    private void changeRows(int c, int[] indices, double[] values, int size, double y) {
        for (int k = 0; k < size; k++) {
            int i = indices[k] * classes + c;
            double change = y * values[k];
            double before = rows[i];
            rows[i] = before + change;
            rowAverages[i] += survivals * change;
            squaredNorm += change * (before + before + change);
        }
        bias(c, y);
    }

    private void note(double[] values, int size) {
        double squaredLength = 1;
        for (int k = 0; k < size; k++) {
            squaredLength += values[k] * values[k];
        }
        squaredRadius = Math.max(squaredRadius, squaredLength);
    }

    private void bias(int c, double y) {
        squaredNorm += y * (biases[c] + biases[c] + y);
        biases[c] += y;
        biasAverages[c] += survivals * y;
    }

    @Override
    public String toString() {
        return Arrays.toString(new double[] {squaredNorm, squaredRadius});
    }
}
