package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Processor time of a model with {@code portfolio=true}, beside its first member alone and a perceptron, by turns in
 * one thread.
 *
 * <p>Sparse: 40 of 16,384 features, whose frequencies follow Zipf's law. Dense: 30 features in different units.
 * Labelled by a hyperplane, one label in 20 inverted. Decoding and sending are not measured, so the ratios are larger
 * than those of an engine.
 */
public final class PortfolioCost {
    private static final int BLOCK = 50_000;
    private static final int WARM_UP = 6;
    private static final int ROUNDS = 15;
    private static final int LIVE = 1 << 14;

    private static final List<Map<String, String>> SETTINGS = List.of(
            Map.of("algorithm", "perceptron"),
            Map.of("algorithm", "scw", "scale", "standard", "drift", "adwin", "drift.action", "reset"),
            Map.of("portfolio", "true"));

    private final Random random = new Random(1);
    private final double[] separator = random.doubles(LIVE, -1, 1).toArray();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private PortfolioCost() {}

    public static void main(String[] args) {
        new PortfolioCost().run("sparse");
        new PortfolioCost().run("dense");
    }

    private void run(String stream) {
        FeatureVector[] examples = new FeatureVector[BLOCK];
        Label[] labels = new Label[BLOCK];
        for (int k = 0; k < BLOCK; k++) {
            examples[k] = stream.equals("sparse") ? sparse() : dense();
            double score = 0;
            for (int position = 0; position < examples[k].size(); position++) {
                score += examples[k].values()[position] * separator[examples[k].index(position)];
            }
            labels[k] = Label.of(score > 0 != (random.nextInt(20) == 0) ? 1 : -1);
        }
        int count = SETTINGS.size();
        Model[] models = new Model[count];
        double[][] times = new double[count][ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (int which = 0; which < count; which++) {
                if (models[which] == null) {
                    models[which] = new Model();
                    models[which].configure(SETTINGS.get(which));
                }
                double nanos = (double) time(models[which], examples, labels) / BLOCK;
                if (round >= 0) {
                    times[which][round] = nanos;
                }
            }
        }
        for (double[] each : times) {
            Arrays.sort(each);
        }
        System.out.println(String.format(
                Locale.ROOT,
                "%s, ns per example: perceptron %.0f, scw %.0f, portfolio %.0f (quartiles %.0f and %.0f), %.1f times scw",
                stream,
                times[0][ROUNDS / 2],
                times[1][ROUNDS / 2],
                times[2][ROUNDS / 2],
                times[2][ROUNDS / 4],
                times[2][3 * ROUNDS / 4],
                times[2][ROUNDS / 2] / times[1][ROUNDS / 2]));
    }

    private FeatureVector sparse() {
        FeatureVector x = new FeatureVector().resetSparse();
        random.ints(0, Integer.MAX_VALUE)
                .map(any -> (int) Math.exp(random.nextDouble() * Math.log(LIVE)))
                .filter(rank -> rank < LIVE)
                .distinct()
                .limit(40)
                // spread over the indices as hashes of names
                .mapToObj(rank -> new int[] {(rank * 0x9e37) & (LIVE - 1), rank})
                .sorted((one, other) -> Integer.compare(one[0], other[0]))
                .forEach(each -> x.append(each[0], Math.log(1 + each[1])));
        x.scaleToUnitNorm();
        return x;
    }

    private FeatureVector dense() {
        FeatureVector x = new FeatureVector().resetDense();
        for (int index = 0; index < 30; index++) {
            x.append((1 + index) * random.nextGaussian());
        }
        return x;
    }

    private long time(Model model, FeatureVector[] examples, Label[] labels) {
        Example example = new Example();
        long start = threads.getCurrentThreadCpuTime();
        for (int k = 0; k < BLOCK; k++) {
            example.vector().set(examples[k]);
            example.setLabel(labels[k]);
            model.process(example, 0);
        }
        return threads.getCurrentThreadCpuTime() - start;
    }
}
