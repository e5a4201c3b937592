package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Processor time of {@code explain=5} in a model, beside {@code explain=0}, by turns in one thread.
 *
 * <p>Examples of 40 of 2,560 features, labelled by a hyperplane; those near it are left out, and one label in 200 is
 * inverted, so that the perceptron makes a mistake in about one of 50 in the end. Decoding and sending are not
 * measured, so the ratio is larger than that of an engine; the names of features, read for each mistake, are not
 * either.
 */
public final class ExplainCost {
    private static final int BLOCK = 10_000;
    private static final int ROUNDS = 21;
    private static final int FEATURES = 40;
    private static final int PART = 64;

    private final Random random = new Random(1);
    private final double[] separator = new double[FEATURES * PART];
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private ExplainCost() {
        Arrays.setAll(separator, k -> random.nextGaussian());
    }

    public static void main(String[] args) {
        new ExplainCost().run(args.length > 0 ? Double.parseDouble(args[0]) : 1.0);
    }

    private void run(double distance) {
        int[][] indices = new int[BLOCK][];
        Label[] labels = new Label[BLOCK];
        Model[] models = {model(0), model(5)};
        double[] ratios = new double[ROUNDS];
        double[] times = new double[ROUNDS];
        double mistakes = 0;
        for (int round = -20; round < ROUNDS; round++) {
            for (int k = 0; k < BLOCK; k++) {
                fill(indices, labels, k, distance);
            }
            double[] nanos = new double[2];
            for (int turn = 0; turn < 2; turn++) {
                // the first one has the colder cache: in each round the other
                int which = (turn + round) & 1;
                long before = models[which].counts().totals().mistakes();
                nanos[which] = time(models[which], indices, labels);
                mistakes = (models[which].counts().totals().mistakes() - before) / (double) BLOCK;
            }
            if (round >= 0) {
                ratios[round] = nanos[1] / nanos[0];
                times[round] = nanos[0] / BLOCK;
            }
        }
        Arrays.sort(ratios);
        Arrays.sort(times);
        System.out.println(String.format(
                Locale.ROOT,
                "explain=5/explain=0: median %.3f, quartiles %.3f and %.3f; %.0f ns per example without; mistakes %.2f %%",
                ratios[ROUNDS / 2],
                ratios[ROUNDS / 4],
                ratios[3 * ROUNDS / 4],
                times[ROUNDS / 2],
                100 * mistakes));
    }

    private static Model model(int explain) {
        Model model = new Model();
        model.configure(Map.of("algorithm", "perceptron", "explain", "" + explain));
        return model;
    }

    private void fill(int[][] indices, Label[] labels, int k, double distance) {
        double score = 0;
        while (Math.abs(score) < distance * Math.sqrt(FEATURES)) {
            int[] x = new int[FEATURES];
            for (int part = 0; part < FEATURES; part++) {
                x[part] = part * PART + random.nextInt(PART);
            }
            indices[k] = x;
            score = Arrays.stream(indices[k])
                    .mapToDouble(index -> separator[index])
                    .sum();
        }
        labels[k] = Label.of(score > 0 != (random.nextInt(200) == 0) ? 1 : -1);
    }

    private long time(Model model, int[][] indices, Label[] labels) {
        Example example = new Example();
        long start = threads.getCurrentThreadCpuTime();
        for (int k = 0; k < BLOCK; k++) {
            FeatureVector x = example.vector().resetSparse();
            for (int index : indices[k]) {
                x.append(index, 1);
            }
            example.setFeatures(x);
            example.setLabel(labels[k]);
            model.process(example, 0);
        }
        return threads.getCurrentThreadCpuTime() - start;
    }
}
