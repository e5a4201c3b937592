package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.SchemaRegistry;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Malformed chunks of weights are rejected at a bounded cost. */
final class HostileImportTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final FeatureHasher HASHER = new FeatureHasher(18);
    private static final int MUTATIONS = 2_000;
    private static final String FIVE = "\"0\",\"0\",\"0\",\"0\",\"0\"";
    private static final String SEVEN = FIVE + ",\"0\",\"0\"";

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("hostile", true);
    private final InputDecoder decoder = new InputDecoder(registry);

    /** Loads classes and schemas, whose memory is not that of an import. */
    @BeforeEach
    void importOnce() {
        imported(json("perceptron", "", SEVEN, "", "").getBytes(StandardCharsets.UTF_8));
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private static String json(String algorithm, String settings, String numbers, String names, String blocks) {
        return "{\"epoch\":0,\"updates\":0,\"partition\":-1,\"offset\":-1,\"chunk\":0,\"chunks\":1,\"examples\":0,"
                + "\"labelled\":0,\"mistakes\":0,\"algorithm\":\"" + algorithm + "\",\"settings\":{" + settings
                + "},\"vectors\":[],\"state\":{\"errors\":0,\"marginMistakes\":0,\"hingeLoss\":0,\"numbers\":["
                + numbers + "],\"names\":[" + names + "],\"blocks\":[" + blocks + "]}}";
    }

    private static String block(int vector, int number, int length, String positions, String values) {
        return "{\"vector\":" + vector + ",\"number\":" + number + ",\"length\":" + length + ",\"positions\":["
                + positions + "],\"values\":[" + values + "]}";
    }

    private static String names(int count) {
        return IntStream.range(0, count).mapToObj(k -> "\"" + k + "\"").collect(Collectors.joining(","));
    }

    /** What the engine makes of a record that is the only chunk. */
    private Model imported(byte[] value) {
        assertThat(decoder.decode(value, HASHER, new Example())).isEqualTo(InputDecoder.Kind.WEIGHTS);
        WeightsChunk chunk = decoder.weights();
        ModelBuilder model = new ModelBuilder(chunk.header());
        model.add(chunk);
        return model.finish();
    }

    private void assertRefused(String json, String message) {
        assertRefused(json.getBytes(StandardCharsets.UTF_8), message);
    }

    private void assertRefused(byte[] value, String message) {
        long start = System.nanoTime();
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        assertThatThrownBy(() -> imported(value))
                .isInstanceOfAny(IllegalArgumentException.class, RejectedException.class)
                .hasMessageContaining(message);
        long allocated = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        // JSON alone takes some dozens of bytes for each; Avro's reader almost 400 for each block of an array
        assertThat(allocated).isLessThan(8_000_000 + 200L * value.length);
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
    }

    static LongStream seeds() {
        return Fuzz.seeds("weights", 0.1, MUTATIONS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldImportOrRefuseWhatMutationsMakeOfAChunk(long seed) {
        Random random = new Random(seed);
        List<byte[]> chunks = List.of(
                        json("perceptron", "\"scale\":\"standard\"", SEVEN, "", block(0, 0, 256, "0,3", "\"1\",\"2\"")),
                        json("multiclass", "", FIVE, "\"a\",\"b\"", block(1, 1, 8, "0,1", "\"1\",\"-1\"")),
                        json("arow", "", "\"0\",\"0\",\"0\",\"1\"", "", block(0, 1, 256, "7", "\"0.5\"")),
                        json("kernel", "\"kernel\":\"rbf(g=1)\"", SEVEN, "", block(0, 0, 8, "0", "\"1\"")))
                .stream()
                .map(json -> json.getBytes(StandardCharsets.UTF_8))
                .toList();
        String likely = "{}[]\",:0123456789.eE-+utf";
        for (int k = 0; k < MUTATIONS; k++) {
            byte[] value = chunks.get(random.nextInt(chunks.size())).clone();
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
                value[1 + random.nextInt(value.length - 1)] = random.nextInt(8) == 0
                        ? (byte) random.nextInt()
                        : (byte) likely.charAt(random.nextInt(likely.length()));
            }
            try {
                if (decoder.decode(value, HASHER, new Example()) == InputDecoder.Kind.WEIGHTS) {
                    imported(value);
                }
            } catch (IllegalArgumentException | RejectedException e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
            }
        }
    }

    // A row of 2^20 numbers was stored as one record of 8 MB, which no producer sends.
    @Test
    void shouldRefuseRowsLongerThanTheClassesNeed() {
        for (String algorithm : List.of("multiclass", "sequence")) {
            for (int vector = 0; vector < 2; vector++) {
                assertRefused(
                        json(algorithm, "", FIVE, "", block(vector, 0, 1 << 20, "", "")),
                        "must have at most 0 numbers, got 1048576");
                assertRefused(
                        json(algorithm, "", FIVE, "\"a\",\"b\"", block(vector, 0, 16, "", "")),
                        "must have at most 8 numbers, got 16");
            }
        }
        assertRefused(
                json("multiclass", "", FIVE, "\"a\"", block(1, 1, 8, "0", "1")), "must have a number below 1, got 1");
        assertRefused(
                json("sequence", "", FIVE, "\"a\"", block(1, 4, 8, "0", "1")), "must have a number below 4, got 4");
    }

    // A name of more than 65,535 bytes made the header unwritable; equal names made two classes of one.
    @Test
    void shouldRefuseNamesThatNoClassHas() {
        for (String algorithm : List.of("multiclass", "sequence")) {
            for (String names : List.of("\"" + "n".repeat(257) + "\"", "\"\"", "\"a\",\"a\"", "\"a\\nb\"")) {
                assertRefused(json(algorithm, "", FIVE, names, ""), "classes must have different names");
            }
            String long256 = IntStream.range(0, 1100)
                    .mapToObj(k -> "\"" + "n".repeat(250) + (1000 + k) + "\"")
                    .collect(Collectors.joining(","));
            assertRefused(json(algorithm, "", FIVE, long256, ""), "in all at most 262144 bytes");
            assertRefused(json(algorithm, "", FIVE, names(10_001), ""), "more than 10000");
            assertRefused(
                    json(algorithm, "\"classes\":\"a,b\"", FIVE, "\"b\",\"a\"", ""), "those of its setting classes");
        }
    }

    // 100,000 tags made 10^10 names of pairs; 10,000 still 10^8.
    @Test
    void shouldTakeManyTagsInAShortTime() {
        byte[] value = json("sequence", "", FIVE, names(10_000), "").getBytes(StandardCharsets.UTF_8);
        long start = System.nanoTime();
        Model model = imported(value);
        assertThat(new SnapshotEncoder(1, false).count(model)).isPositive();
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
    }

    // 81 blocks of 2^20 numbers and no values, in 730 bytes, took 680 MB.
    @Test
    void shouldNotTakeMemoryForBlocksWithoutValues() {
        String rows =
                IntStream.range(0, 3000).mapToObj(k -> block(0, k, 256, "", "")).collect(Collectors.joining(","));
        assertRefused(json("perceptron", "", SEVEN, "", rows), "numbers in its blocks");
        assertRefused(json("perceptron", "\"blocks.max\":\"16777216\"", SEVEN, "", rows), "numbers in its blocks");
        assertRefused(json("perceptron", "", SEVEN, "", block(0, 0, 65_536, "", "")), "must have at most");
        assertRefused(json("perceptron", "\"scale\":\"standard\"", SEVEN, "", block(-1, 0, 65_536, "", "")), "at most");
    }

    // One support vector in slot 2^24 - 1 took 470 MB, and as much again with the first score.
    @Test
    void shouldRefuseSupportVectorsInSlotsFarAway() {
        assertRefused(
                json("kernel", "", SEVEN, "", block(1, (1 << 24) - 1, 3, "1,2", "5,1")),
                "must lie in a slot below 131072");
        assertRefused(
                json("kernel", "", SEVEN, "", block(2, (1 << 24) - 1, 3, "1,2", "5,1")),
                "must lie in a slot below 131072");
        assertRefused(json("kernel", "", SEVEN, "", block(2, 0, 11, "1,2", "5,1")), "at most 10 numbers");
        assertRefused(
                json("kernel", "", SEVEN, "", block(0, (1 << 17) - 1, 384, "0,256", "1,1")),
                "must have a number below 1024");
        assertRefused(json("kernel", "", SEVEN, "", block(0, 0, 384, "0,256", "1,1")), "serial number");
    }

    // Arrays grew by one number in each Avro block: 500,000 blocks took 500 GB of copying.
    @Test
    void shouldReadArraysInManyBlocksInLinearTime() {
        int id = registry.register("w", EventSchemas.schema("WeightsSnapshot"));
        AvroWriter out = new AvroWriter();
        for (boolean isState : new boolean[] {false, true}) {
            out.start(id)
                    .writeLong(0)
                    .writeLong(0)
                    .writeLong(-1)
                    .writeLong(-1)
                    .writeLong(0)
                    .writeLong(1);
            out.writeLong(0).writeLong(0).writeLong(0).writeString("perceptron").writeLong(0);
            if (!isState) {
                out.writeLong(1).writeString("").writeDouble(0.0).writeDouble(0.0);
                ints(out);
                out.writeLong(0).writeLong(0).writeLong(0).writeLong(0).writeLong(0);
            } else {
                out.writeLong(0)
                        .writeLong(1)
                        .writeLong(0)
                        .writeLong(0)
                        .writeDouble(0.0)
                        .writeArray(List.of("0", "0", "0", "0", "0", "0", "0"));
                out.writeLong(0).writeLong(1).writeLong(0).writeLong(0).writeLong(256);
                ints(out);
                // one block, no other block, no calibration
                out.writeLong(0).writeLong(0).writeLong(0).writeLong(0);
            }
            // nothing emitted, no last epoch, no beginning of counts
            out.writeLong(0).writeLong(0).writeLong(0);
            assertRefused(out.toBytes(), isState ? "as many values" : "exact state");
        }
    }

    private static void ints(AvroWriter out) {
        for (int k = 0; k < 250_000; k++) {
            out.writeLong(1).writeLong(0);
        }
        out.writeLong(0);
    }

    @Test
    void shouldRefuseAChunkThatIsTooLongBeforeItIsRead() {
        int id = registry.register("w", EventSchemas.schema("WeightsSnapshot"));
        AvroWriter out = new AvroWriter().start(id);
        for (int k = 0; k < 600_000; k++) {
            out.writeBoolean(false);
        }
        assertThatThrownBy(() -> imported(out.toBytes()))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(RejectReason.INVALID_WEIGHTS))
                .hasMessage("a chunk must have at most 524288 bytes, got 600005 (cut the weights into more chunks)");
        assertThatThrownBy(() -> imported(
                        json("multiclass", "", FIVE, names(100_000), "").getBytes(StandardCharsets.UTF_8)))
                .hasMessageStartingWith("a chunk must have at most 524288 bytes, got ");
    }

    // Each unknown setting added the list of all known ones to the message.
    @Test
    void shouldNotListEachOfManyUnknownSettings() {
        String settings =
                IntStream.range(0, 30_000).mapToObj(k -> "\"s" + k + "\":\"\"").collect(Collectors.joining(","));
        assertRefused(json("perceptron", settings, SEVEN, "", ""), "unknown setting 's0'");
        assertRefused(json("perceptron", "\"" + "s".repeat(40_000) + "\":\"\"", SEVEN, "", ""), "unknown setting 'sss");
    }
}
