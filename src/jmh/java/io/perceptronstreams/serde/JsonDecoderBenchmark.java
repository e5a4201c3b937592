package io.perceptronstreams.serde;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import java.nio.charset.StandardCharsets;
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

/** From JSON to features: examples of 20 named features, always the same names or some of many. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class JsonDecoderBenchmark {
    private static final int FEATURES = 20;
    private static final int EXAMPLES = 16_384;

    @Param({"20", "1000", "100000"})
    private int names;

    private final InputDecoder decoder = new InputDecoder(null);
    private final FeatureHasher hasher = new FeatureHasher(20);
    private final Example example = new Example();
    private final byte[][] values = new byte[EXAMPLES][];
    private int next;

    /** Makes the examples. */
    @Setup
    public void stream() {
        Random random = new Random(1);
        for (int e = 0; e < EXAMPLES; e++) {
            StringBuilder json = new StringBuilder("{\"id\":\"" + e + "\",\"label\":1,\"features\":");
            int first = random.nextInt(names / FEATURES);
            for (int k = 0; k < FEATURES; k++) {
                json.append(k == 0 ? '{' : ',')
                        .append("\"name ")
                        .append(first + k * (names / FEATURES))
                        .append("\":")
                        .append(random.nextInt(1_000) / 100.0);
            }
            values[e] = json.append("}}").toString().getBytes(StandardCharsets.UTF_8);
        }
    }

    /** One example. */
    @Benchmark
    public int decode() {
        decoder.decode(values[next++ & EXAMPLES - 1], hasher, example);
        return example.vector().size();
    }
}
