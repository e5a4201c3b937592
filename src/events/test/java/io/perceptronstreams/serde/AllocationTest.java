package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.settings.Settings;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds the heap allocation of the decoders, for valid and invalid values. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final FeatureHasher HASHER = new FeatureHasher(18);
    private static final int MUTATIONS = 5_000;

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("allocation", true);
    private final InputDecoder decoder = new InputDecoder(registry);
    private final Example example = new Example();

    static LongStream avroSeeds() {
        return Fuzz.seeds("Avro", 0.35, MUTATIONS);
    }

    static LongStream jsonSeeds() {
        return Fuzz.seeds("JSON", 0.3, MUTATIONS);
    }

    @Test
    void shouldAllocateNothingButOutputsForSparseExamples() {
        List<byte[]> values = values();
        EventEncoder encoder = new EventEncoder(new EventIds(1, 7, 2, 3, 4, 5, 6), false);
        Model model = new Model();
        // the first round touches all blocks and lets everything grow
        run(values, model, encoder);
        run(values, model, encoder);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long outputs = run(values, model, encoder);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat((allocated - outputs) / values.size())
                .as("bytes per example besides its prediction")
                .isLessThan(100);
    }

    /** Decodes, learns and encodes predictions; returns how many bytes these take. */
    private long run(List<byte[]> values, Model model, EventEncoder encoder) {
        long bytes = 0;
        for (byte[] value : values) {
            decoder.decode(value, HASHER, example);
            Outcome outcome = model.process(example, 5);
            bytes += encoder.prediction(
                            example,
                            outcome,
                            model.current().epoch(),
                            model.current().version(),
                            1)
                    .length;
        }
        return bytes;
    }

    @Test
    void shouldAllocateNothingForCrosses() {
        FeatureHasher hasher = Settings.DEFAULTS
                .with(Map.of("crosses", "user*item,***,user*item*_", "namespaces.ignore", "raw"))
                .hasher();
        Random random = new Random(3);
        int id = registry.register("e", RandomExamples.SCHEMA);
        List<byte[]> values = new ArrayList<>();
        for (int k = 0; k < 1_000; k++) {
            Map<String, Double> features = new HashMap<>();
            for (int i = 0; i < 40; i++) {
                features.put(
                        List.of("user^", "item^", "raw^", "").get(i % 4) + random.nextInt(1_000), random.nextDouble());
            }
            values.add(AvroBytes.of(
                    id, new io.perceptronstreams.event.Example("e" + k, 1, new NamedFeatures(features), 1.0)));
        }
        for (int round = 0; round < 20; round++) {
            values.forEach(value -> decoder.decode(value, hasher, example));
        }
        assertThat(example.vector().size()).isGreaterThan(1_000);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (byte[] value : values) {
            decoder.decode(value, hasher, example);
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated / values.size()).as("bytes per example").isLessThan(100);
    }

    /** 10,000 examples of 40 sparse features. */
    private List<byte[]> values() {
        Random random = new Random(3);
        int id = registry.register("e", RandomExamples.SCHEMA);
        List<byte[]> values = new ArrayList<>();
        for (int k = 0; k < 10_000; k++) {
            List<Integer> indices =
                    random.ints(0, 20_000).distinct().limit(40).sorted().boxed().toList();
            SparseVector features =
                    new SparseVector(indices, random.doubles(40).boxed().toList());
            values.add(AvroBytes.of(
                    id, new io.perceptronstreams.event.Example("e" + k, random.nextBoolean() ? 1 : -1, features, 1.0)));
        }
        return values;
    }

    /** Tags and their list for label, prediction and comparison are all that a token costs. */
    @Test
    void shouldAllocateLittlePerTokenOfASequence() {
        List<byte[]> values = sequences();
        EventEncoder encoder = new EventEncoder(new EventIds(1, 7, 2, 3, 4, 5, 6), false);
        Model model = new Model();
        for (int round = 0; round < 5; round++) {
            run(values, model, encoder);
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long outputs = run(values, model, encoder);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat((allocated - outputs) / (values.size() * 20L))
                .as("bytes per token besides its prediction")
                .isLessThan(150);
    }

    /**
     * 2,000 sequences of 20 tokens with 10 features; their tags cannot be learned, so that every one makes an update.
     */
    private List<byte[]> sequences() {
        Random random = new Random(3);
        int id = registry.register("e", RandomExamples.SCHEMA);
        List<byte[]> values = new ArrayList<>();
        for (int n = 0; n < 2_000; n++) {
            List<List<String>> tokens = new ArrayList<>();
            List<String> tags = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                tokens.add(random.ints(10, 0, 1_000).mapToObj(k -> "f" + k).toList());
                tags.add("T" + random.nextInt(17));
            }
            values.add(AvroBytes.of(
                    id,
                    new io.perceptronstreams.event.Example(
                            "e" + n, tags, new io.perceptronstreams.event.Sequence(tokens), 1.0)));
        }
        return values;
    }

    @ParameterizedTest
    @MethodSource("avroSeeds")
    @Tag("fuzz")
    void shouldOnlyRefuseWhatMutationsMakeOfExamplesAndAllocateLittle(long seed) {
        Random random = new Random(seed);
        int own = registry.register("e", RandomExamples.SCHEMA);
        int other = registry.register("o", withOneFieldMore());
        for (int k = 0; k < MUTATIONS; k++) {
            io.perceptronstreams.event.Example written = RandomExamples.next(random);
            byte[] value = AvroBytes.of(own, written);
            if (k % 2 == 0) {
                // the same fields and one more at the end, that mutations write
                WireFormat.writeHeader(value, other);
            }
            mutate(value, random);
            check(value, 100_000 + 60L * value.length);
        }
    }

    @ParameterizedTest
    @MethodSource("jsonSeeds")
    @Tag("fuzz")
    void shouldOnlyRefuseWhatMutationsMakeOfJsonAndAllocateLittle(long seed) {
        Random random = new Random(seed);
        List<byte[]> texts = IntStream.range(0, 50)
                .mapToObj(k -> EventJson.fromAvro(
                        RandomExamples.SCHEMA, AvroBytes.of(1, RandomExamples.next(random)), WireFormat.HEADER))
                .toList();
        for (int k = 0; k < MUTATIONS; k++) {
            byte[] value = texts.get(random.nextInt(texts.size())).clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                String likely = "{}[]\",:0123456789.eE-+\\untf";
                value[1 + random.nextInt(value.length - 1)] = random.nextInt(4) == 0
                        ? (byte) random.nextInt()
                        : (byte) likely.charAt(random.nextInt(likely.length()));
            }
            check(value, 100_000 + 100L * value.length);
        }
    }

    private void check(byte[] value, long limit) {
        decode(value);
        // the second time, when classes are loaded and arrays have grown
        long before = THREADS.getCurrentThreadAllocatedBytes();
        RejectedException refusal = decode(value);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThan(limit);
        if (refusal != null) {
            assertThat(refusal).hasMessageNotContaining("\n");
            return;
        }
        assertThat(example.weight()).isPositive().isFinite();
        if (example.features() instanceof Sequence sequence) {
            for (int i = 0; i < sequence.size(); i++) {
                check(sequence.token(i));
            }
        } else if (example.features() instanceof Candidates candidates) {
            for (int k = 0; k < candidates.size(); k++) {
                check(candidates.features(k));
            }
        } else {
            check(example.vector());
        }
    }

    private static void check(FeatureVector x) {
        int last = -1;
        for (int k = 0; k < x.size(); k++) {
            assertThat(x.index(k)).isGreaterThan(last);
            assertThat(x.values()[k]).isFinite();
            last = x.index(k);
        }
    }

    /** Why the value was refused, or null. */
    private RejectedException decode(byte[] value) {
        try {
            decoder.decode(value, HASHER, example);
            return null;
        } catch (RejectedException e) {
            return e;
        }
    }

    private static void mutate(byte[] value, Random random) {
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
            int at = WireFormat.HEADER + random.nextInt(value.length - WireFormat.HEADER);
            value[at] = (byte) random.nextInt();
            if (random.nextInt(3) == 0) {
                // a length of several bytes
                for (int k = at; k < Math.min(value.length, at + random.nextInt(10)); k++) {
                    value[k] |= (byte) 0x80;
                }
            }
        }
    }

    private static Schema withOneFieldMore() {
        List<Schema.Field> fields = new ArrayList<>();
        RandomExamples.SCHEMA.getFields().forEach(field -> fields.add(new Schema.Field(field, field.schema())));
        fields.add(new Schema.Field("more", Schema.createArray(Schema.create(Schema.Type.STRING))));
        return Schema.createRecord("Example", null, "io.perceptronstreams.event", false, fields);
    }
}
