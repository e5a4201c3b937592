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
 * Processor time of probabilities, and of sets of labels, beside a model without them, by turns in one thread.
 *
 * <p>Examples of 40 of 100,000 features whose frequencies follow Zipf's law, labelled by a hyperplane. The argument is
 * the fraction of labels that are inverted, 0.02 by default. Decoding and sending are not measured, so the ratios are
 * larger than those of an engine.
 */
public final class ProbabilityCost {
    private static final int BLOCK = 20_000;
    private static final int WARM_UP = 30;
    private static final int ROUNDS = 45;
    private static final int NON_ZEROS = 40;
    private static final int FEATURES = 100_000;

    private static final List<Map<String, String>> SETTINGS = List.of(
            Map.of(),
            Map.of("calibrate", "platt"),
            Map.of("calibrate", "platt", "coverage", "0.95"),
            Map.of("calibrate", "platt", "coverage", "0.95", "threshold", "cost:1:5"));

    private final Random random = new Random(1);
    private final double[] separator = random.doubles(FEATURES, -1, 1).toArray();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    private ProbabilityCost() {}

    public static void main(String[] args) {
        new ProbabilityCost().run(args.length > 0 ? Double.parseDouble(args[0]) : 0.02);
    }

    private void run(double inverted) {
        int count = SETTINGS.size();
        Model[] models = new Model[count];
        for (int which = 0; which < count; which++) {
            models[which] = new Model();
            models[which].configure(Map.of("algorithm", "perceptron"));
            models[which].configure(SETTINGS.get(which));
        }
        FeatureVector[] examples = new FeatureVector[BLOCK];
        Label[] labels = new Label[BLOCK];
        double[][] nanos = new double[count][ROUNDS];
        long mistakes = 0;
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (int k = 0; k < BLOCK; k++) {
                fill(examples, labels, k, inverted);
            }
            if (round == 0) {
                mistakes = models[0].counts().totals().mistakes();
            }
            for (int turn = 0; turn < count; turn++) {
                // the first one has the colder cache
                int which = Math.floorMod(turn + round, count);
                double time = time(models[which], examples, labels) / (double) BLOCK;
                if (round >= 0) {
                    nanos[which][round] = time;
                }
            }
        }
        mistakes = models[0].counts().totals().mistakes() - mistakes;
        double[] without = nanos[0].clone();
        for (int which = 0; which < count; which++) {
            double[] ratios = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                ratios[round] = nanos[which][round] / without[round];
            }
            Arrays.sort(ratios);
            Arrays.sort(nanos[which]);
            System.out.println(String.format(
                    Locale.ROOT,
                    "%-60s %.0f ns per example; ratio: median %.3f, quartiles %.3f and %.3f",
                    SETTINGS.get(which),
                    nanos[which][ROUNDS / 2],
                    ratios[ROUNDS / 2],
                    ratios[ROUNDS / 4],
                    ratios[3 * ROUNDS / 4]));
        }
        System.out.println(String.format(Locale.ROOT, "mistakes %.1f %%", 100.0 * mistakes / ROUNDS / BLOCK));
    }

    private void fill(FeatureVector[] examples, Label[] labels, int k, double inverted) {
        double score = 0;
        FeatureVector x = new FeatureVector();
        while (Math.abs(score) < 3) {
            int[] indices = random.doubles(0, 1)
                    .mapToInt(u -> (int) (StrictMath.exp(u * StrictMath.log(FEATURES)) - 1))
                    .distinct()
                    .limit(NON_ZEROS)
                    .sorted()
                    .toArray();
            score = 0;
            x.resetSparse();
            for (int index : indices) {
                x.append(index, 1);
                score += separator[index];
            }
        }
        examples[k] = x;
        labels[k] = Label.of(score > 0 != random.nextDouble() < inverted ? 1 : -1);
    }

    private long time(Model model, FeatureVector[] examples, Label[] labels) {
        Example example = new Example();
        long start = threads.getCurrentThreadCpuTime();
        for (int k = 0; k < BLOCK; k++) {
            FeatureVector x = example.vector().resetSparse();
            FeatureVector from = examples[k];
            for (int position = 0; position < from.size(); position++) {
                x.append(from.index(position), from.values()[position]);
            }
            example.setFeatures(x);
            example.setLabel(labels[k]);
            model.process(example, 0);
        }
        return threads.getCurrentThreadCpuTime() - start;
    }
}
