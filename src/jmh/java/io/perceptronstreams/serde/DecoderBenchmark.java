package io.perceptronstreams.serde;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
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
 * From Avro binary to features: examples of 40 non-zeros, few that stay in the processor's caches or many that do not.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class DecoderBenchmark {
    private static final int NON_ZEROS = 40;

    @Param({"14", "24"})
    private int bits;

    @Param({"64", "65536"})
    private int examples;

    private final ExampleDecoder decoder = new ExampleDecoder();
    private final AvroReader in = new AvroReader();
    private final FeatureHasher hasher = new FeatureHasher(18);
    private final Example example = new Example();
    private byte[][] values;
    private int next;

    /** Makes the examples. */
    @Setup
    public void stream() {
        Random random = new Random(1);
        values = new byte[examples][];
        for (int e = 0; e < examples; e++) {
            AvroWriter out = new AvroWriter()
                    .writeString(Integer.toString(e))
                    .writeLong(1)
                    .writeLong(random.nextBoolean() ? 1 : -1)
                    .writeLong(1)
                    .writeLong(NON_ZEROS);
            random.ints(0, 1 << bits).distinct().limit(NON_ZEROS).sorted().forEach(out::writeLong);
            out.writeLong(0).writeLong(NON_ZEROS);
            random.doubles(NON_ZEROS).forEach(out::writeDouble);
            values[e] = out.writeLong(0).writeDouble(1.0).toBytes();
        }
    }

    /** One example. */
    @Benchmark
    public int decode() {
        byte[] bytes = values[next++ & examples - 1];
        in.reset(bytes, 0);
        decoder.decode(in, bytes, hasher, example, ExampleDecoder.ALL_BRANCHES);
        return example.vector().size();
    }
}
