package io.perceptronstreams.embed;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Examples per second that an {@link OnlineModel} learns, without and with its bytes after each one.
 *
 * <p>One thread; examples of 20 features out of as many as the model has weights, labelled by a hyperplane, with
 * algorithm pa-i.
 */
public final class EmbeddedRate {
    private static final int FEATURES = 20;
    private static final int ROUNDS = 7;
    private static final long ROUND_NANOS = 1_000_000_000;

    private EmbeddedRate() {}

    public static void main(String[] args) {
        for (int weights : new int[] {100, 1_000, 10_000}) {
            Random random = new Random(1);
            OnlineModel model = OnlineModel.create(Map.of("algorithm", "pa-i"));
            LearnExample all = LearnExample.of("all").label(1);
            for (int index = 0; index < weights; index++) {
                all.feature(index, random.nextGaussian());
            }
            var unused = model.learn(all);
            LearnExample[] examples = new LearnExample[10_000];
            Arrays.setAll(examples, k -> example(k, weights, random));
            System.out.println(String.format(
                    Locale.ROOT,
                    "%6d weights, %7d bytes: %8.0f examples/s learned, %7.0f with the bytes after each",
                    weights,
                    model.toBytes().length,
                    rate(model, examples, false),
                    rate(model, examples, true)));
        }
    }

    private static LearnExample example(int number, int weights, Random random) {
        LearnExample example = LearnExample.of("e" + number);
        double sum = 0;
        for (int k = 0; k < FEATURES; k++) {
            int index = random.nextInt(weights);
            double value = random.nextGaussian();
            sum += index % 2 == 0 ? value : -value;
            example.feature(index, value);
        }
        return example.label(sum > 0 ? 1 : -1);
    }

    /** Median of the rounds after two that are not counted. */
    private static double rate(OnlineModel model, LearnExample[] examples, boolean isStored) {
        double[] rates = new double[ROUNDS];
        long bytes = 0;
        for (int round = -2; round < ROUNDS; round++) {
            int count = 0;
            long start = System.nanoTime();
            while (System.nanoTime() - start < ROUND_NANOS) {
                var unused = model.learn(examples[count % examples.length]);
                bytes += isStored ? model.toBytes().length : 0;
                count++;
            }
            if (round >= 0) {
                rates[round] = count * 1e9 / (System.nanoTime() - start);
            }
        }
        if (isStored && bytes == 0) {
            throw new IllegalStateException("nothing was stored");
        }
        Arrays.sort(rates);
        return rates[ROUNDS / 2];
    }
}
