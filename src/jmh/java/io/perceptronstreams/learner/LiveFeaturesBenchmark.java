package io.perceptronstreams.learner;

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
 * The two-class learner on 40 features of n live ones, each as likely as the others, beside a loop over flat arrays w
 * and a of the same range of indices: how cost grows with the memory that is touched.
 *
 * <p>All n features have weights when it begins. Examples are drawn as they are needed, because stored ones would hold
 * few of many features; {@link #draw} is what that takes. One more feature, always there, has the label as its sign,
 * but for one example in twenty: with it one example in ten makes an update.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "-Xmx3g")
public class LiveFeaturesBenchmark {
    /** Whether the live features are the first indices, or one in each interval of equal length below 2^24. */
    public enum Layout {
        DENSE,
        SPREAD
    }

    private static final int RANGE = 1 << 24;
    private static final int DRAWN = 40;
    private static final int VALUES = 1 << 10;
    private static final int CHECKED = 100_000;

    @Param({"16384", "262144", "1048576", "4194304"})
    private int live;

    @Param
    private Layout layout;

    private final double[] values = new double[VALUES + DRAWN];
    private final FeatureVector x = new FeatureVector();
    private final Outcome outcome = new Outcome();
    private Learner learner;
    private double[] w;
    private double[] a;
    private double u;
    private double survivals;
    private double squaredNorm;
    private double squaredRadius;
    private long next;
    private int sign;

    /** Makes all features live, and compares the first scores. */
    @Setup
    public void stream() {
        Random random = new Random(1);
        for (int k = 0; k < values.length; k++) {
            values[k] = random.nextGaussian();
        }
        learner = new Perceptron(Settings.DEFAULTS.with(Map.of("bias", "false")));
        w = new double[layout == Layout.DENSE ? live : RANGE];
        a = new double[w.length];
        for (int from = 0; from < live; from += DRAWN) {
            x.resetSparse();
            for (int j = from; j < Math.min(live, from + DRAWN); j++) {
                x.append(index(j), values[j & VALUES - 1]);
            }
            learner.learn(x, Label.of(1), 1, outcome);
            learnFlat(1);
        }
        x.resetSparse();
        for (int k = 0; k <= DRAWN; k++) {
            x.append(k, 1);
        }
        int updates = 0;
        for (int e = 0; e < CHECKED; e++) {
            drawNext();
            learner.learn(x, Label.of(sign), 1, outcome);
            boolean isMistake = learnFlat(sign);
            updates += isMistake ? 1 : 0;
            if (isMistake != outcome.isUpdated()
                    || Double.doubleToLongBits(u) != Double.doubleToLongBits(outcome.score())) {
                throw new IllegalStateException(
                        "example " + e + ": the score must be " + u + ", got " + outcome.score());
            }
        }
        System.out.println("updates: " + updates + " of " + CHECKED);
    }

    private int index(int j) {
        int gap = RANGE / live;
        return layout == Layout.DENSE ? j : j * gap + (j * 0x9e3779b1 >>> 8 & gap - 1);
    }

    /** Draws a feature from each of 40 intervals, so that they ascend. */
    private void drawNext() {
        int[] indices = x.indices();
        double[] drawn = x.values();
        long e = next++;
        sign = e * 0x9e3779b97f4a7c15L < 0 ? -1 : 1;
        indices[0] = 0;
        drawn[0] = 100.0 * sign;
        if (e % 20 == 19) {
            sign = -sign;
        }
        int interval = live / DRAWN;
        int from = 1;
        int value = (int) (e * 7 & VALUES - 1);
        for (int k = 1; k <= DRAWN; k++) {
            long hash = (e * DRAWN + k) * 0x9e3779b97f4a7c15L;
            hash = (hash ^ hash >>> 32) * 0xd6e8feb86659fd93L;
            indices[k] = index(from + (int) ((hash >>> 32) * (interval - 1) >>> 32));
            drawn[k] = values[value + k - 1];
            from += interval;
        }
    }

    /** What both others do besides. */
    @Benchmark
    public int draw() {
        drawNext();
        return x.index(7);
    }

    /** The learner of the engine. */
    @Benchmark
    public boolean learner() {
        drawNext();
        learner.learn(x, Label.of(sign), 1, outcome);
        return outcome.isUpdated();
    }

    /** The loop for this one case. */
    @Benchmark
    public boolean handWritten() {
        drawNext();
        return learnFlat(sign);
    }

    private boolean learnFlat(int y) {
        int[] indices = x.indices();
        double[] of = x.values();
        int size = x.size();
        double sum = 0;
        double squaredLength = 0;
        for (int k = 0; k < size; k++) {
            sum += w[indices[k]] * of[k];
            squaredLength += of[k] * of[k];
        }
        u = sum;
        squaredRadius = Math.max(squaredRadius, squaredLength);
        boolean isMistake = y * sum <= 0;
        if (isMistake) {
            for (int k = 0; k < size; k++) {
                double change = y * of[k];
                double before = w[indices[k]];
                w[indices[k]] = before + change;
                a[indices[k]] += survivals * change;
                squaredNorm += change * (before + before + change);
            }
        }
        survivals += 1;
        return isMistake;
    }

    @Override
    public String toString() {
        return "|w|^2 " + squaredNorm + ", R^2 " + squaredRadius;
    }
}
