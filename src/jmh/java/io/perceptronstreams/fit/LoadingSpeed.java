package io.perceptronstreams.fit;

import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

/**
 * Speed and heap of loading a LIBSVM file as {@code fit} does: 200,000 examples, or as many as the argument says, of 40
 * of 2^18 features, with values of six decimals.
 */
public final class LoadingSpeed {
    private static final int EXAMPLES = 200_000;
    private static final int FEATURES = 40;
    private static final int DIMENSION = 1 << 18;
    private static final int ROUNDS = 6;

    private LoadingSpeed() {}

    public static void main(String[] arguments) throws IOException {
        Path file = write(arguments.length > 0 ? Integer.parseInt(arguments[0]) : EXAMPLES);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        ExampleSource source =
                new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.AUTO, null, null, null);
        System.out.println("round  examples/s  examples/s of processor time  bytes of heap per example  estimated");
        for (int round = 1; round <= ROUNDS; round++) {
            long before = usedHeap();
            long start = System.nanoTime();
            long processor = threads.getCurrentThreadCpuTime();
            ExampleBuffer examples = new ExampleLoader(new FeatureHasher(18)).load(source, count -> true);
            processor = threads.getCurrentThreadCpuTime() - processor;
            long end = System.nanoTime();
            long after = usedHeap();
            System.out.println(String.format(
                    Locale.ROOT,
                    "%5d  %,10.0f  %,28.0f  %25.1f  %9.1f",
                    round,
                    1e9 * examples.size() / (end - start),
                    1e9 * examples.size() / processor,
                    (double) (after - before) / examples.size(),
                    (double) examples.heapBytes() / examples.size()));
        }
        Files.delete(file);
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static Path write(int count) throws IOException {
        Path file = Files.createTempFile("loading", ".libsvm");
        Random random = new Random(1);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int k = 0; k < count; k++) {
                out.write(random.nextBoolean() ? "+1" : "-1");
                int[] indices = random.ints(0, DIMENSION)
                        .distinct()
                        .limit(FEATURES)
                        .sorted()
                        .toArray();
                for (int index : indices) {
                    out.write(String.format(Locale.ROOT, " %d:%.6f", index, random.nextGaussian()));
                }
                out.write('\n');
            }
        }
        return file;
    }
}
