package io.perceptronstreams.demo;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Supplier;

/**
 * An infinite stream of examples for the demo.
 *
 * @param name name of the model
 * @param settings initial settings of the model, as JSON
 */
public record DemoStream(String name, String settings, Supplier<Example> examples) {
    /** Names of the streams with rows in the table. */
    public static final List<String> NAMES = List.of("separable", "wdbc");

    static final String DRIFTING = "drifting";
    static final String LATE = "late";

    /** Delay of the labels of the stream {@link #LATE}. */
    static final int LABEL_DELAY_MS = 5_000;

    /** Minimum distance of generated examples from the hyperplane. */
    public static final double MARGIN = 0.05;

    public static final int WDBC_EXAMPLES = 569;

    /** Number of examples of the drifting stream between two changes of its hyperplane. */
    public static final int PERIOD = 4_000;

    // short windows, so that the dashboard changes every second
    private static final String SHORT_WINDOWS = "\"window.ms\":\"1000\",\"snapshot.every\":\"20\"";
    private static final int DIMENSION = 20;

    /** Random unit vectors that a hyperplane through 0 separates with {@link #MARGIN}. */
    static DemoStream separable(long seed) {
        Random random = new Random(seed);
        double[] normal = unitVector(random);
        long[] count = {0};
        String settings = "{\"algorithm\":\"perceptron\",\"bias\":\"false\"," + SHORT_WINDOWS + "}";
        return new DemoStream("separable", settings, () -> separated(random, normal, "s" + ++count[0]));
    }

    /** Like {@link #separable}, but the hyperplane changes every {@link #PERIOD} examples, which resets the model. */
    static DemoStream drifting(long seed) {
        Random random = new Random(seed + 1);
        double[][] normal = {null};
        long[] count = {0};
        String settings =
                "{\"algorithm\":\"perceptron\",\"bias\":\"false\",\"drift\":\"adwin\",\"drift.action\":\"reset\","
                        + SHORT_WINDOWS + "}";
        return new DemoStream(DRIFTING, settings, () -> {
            if (count[0] % PERIOD == 0) {
                normal[0] = unitVector(random);
            }
            return separated(random, normal[0], "d" + ++count[0]);
        });
    }

    /** Like {@link #separable}; the labels are to be sent {@link #LABEL_DELAY_MS} after their examples. */
    static DemoStream late(long seed) {
        Random random = new Random(seed + 2);
        double[] normal = unitVector(random);
        long[] count = {0};
        // with algorithm=auto there would be no prediction before the first label
        String settings =
                "{\"algorithm\":\"perceptron\",\"bias\":\"false\",\"await.labels.ms\":\"60000\"," + SHORT_WINDOWS + "}";
        return new DemoStream(LATE, settings, () -> separated(random, normal, "l" + ++count[0]));
    }

    private static Example separated(Random random, double[] normal, String id) {
        double[] x = unitVector(random);
        double distance = dot(normal, x);
        while (Math.abs(distance) < MARGIN) {
            x = unitVector(random);
            distance = dot(normal, x);
        }
        return new Example(
                id,
                distance > 0 ? 1 : -1,
                new DenseVector(Arrays.stream(x).boxed().toList()),
                1.0);
    }

    /**
     * Wisconsin breast cancer (diagnostic), repeated: 569 samples, 30 named measurements, -1 benign, +1 malignant.
     * Its model has no settings of its own.
     */
    static DemoStream wdbc() {
        ExampleSource source = new ExampleSource("wdbc.csv", ExampleFormat.CSV, LabelType.INT, "diagnosis", "id", null);
        Queue<Example> round = new ArrayDeque<>();
        int[] rounds = {0};
        return new DemoStream("wdbc", "{" + SHORT_WINDOWS + "}", () -> {
            if (round.isEmpty()) {
                round.addAll(read(source, ++rounds[0]));
            }
            return round.remove();
        });
    }

    private static List<Example> read(ExampleSource source, int round) {
        List<Example> examples = new ArrayList<>();
        try (ExampleReader reader = source.open(DemoStream.class.getResourceAsStream("/demo/wdbc.csv"), round)) {
            for (Example example = reader.next(); example != null; example = reader.next()) {
                examples.add(example);
            }
            return examples;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Example next() {
        return examples.get();
    }

    /** The command that creates the model. */
    byte[] command() {
        return ("{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}").getBytes(StandardCharsets.UTF_8);
    }

    private static double[] unitVector(Random random) {
        double[] x = new double[DIMENSION];
        for (int k = 0; k < DIMENSION; k++) {
            x[k] = random.nextGaussian();
        }
        double norm = Math.sqrt(dot(x, x));
        for (int k = 0; k < DIMENSION; k++) {
            x[k] /= norm;
        }
        return x;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
            sum += a[k] * b[k];
        }
        return sum;
    }
}
