package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.ExampleBatch;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExampleListTest {
    private static final FeatureHasher PLAIN = new FeatureHasher(20);
    private static final FeatureHasher CROSSING =
            Settings.DEFAULTS.with(Map.of("crosses", "_*_")).hasher();

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("list", true);
    private final int exampleId = registry.register("e", RandomExamples.SCHEMA);
    private final int batchId = registry.register("b", EventSchemas.schema("ExampleBatch"));
    private final InputDecoder decoder = new InputDecoder(registry);
    private final InputDecoder single = new InputDecoder(registry);
    private final Example example = new Example();

    @AfterEach
    void close() {
        registry.close();
    }

    /** Also more of them than the first pass decodes, long ones, and unreadable ones, in reused arrays. */
    @SeededTest
    void shouldDecodeEachExampleAsThatOfARecordOfItsOwn(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            double other = List.of(0.0, 0.0, 0.01, 0.5).get(random.nextInt(4));
            List<io.perceptronstreams.event.Example> written = new ArrayList<>();
            for (int k = random.nextInt(round % 3 == 0 ? 400 : 20); k >= 0; k--) {
                written.add(random.nextDouble() < other ? other(random) : shortOne(random));
            }
            ExampleBatch batch = new ExampleBatch(written);
            byte[] value = random.nextBoolean() ? AvroBytes.of(batchId, batch) : AvroBytes.inBlocks(batchId, batch);
            FeatureHasher hasher = random.nextInt(4) == 0 ? CROSSING : PLAIN;

            assertThat(decoder.decode(value, hasher, example)).isEqualTo(InputDecoder.Kind.EXAMPLES);

            assertThat(decoder.examples().size()).isEqualTo(written.size());
            for (int k : random.ints(2L * written.size(), 0, written.size()).toArray()) {
                byte[] alone = AvroBytes.of(exampleId, written.get(k));
                Example expected = new Example();
                String rule = result(expected, () -> single.decode(alone, hasher, expected));
                assertThat(result(example, () -> {
                            decoder.examples().decode(k, hasher, example);
                            return null;
                        }))
                        .as("round %d, example %d", round, k)
                        .isEqualTo(rule);
                // as the scaling of a model does
                Arrays.fill(example.vector().values(), 0.5);
            }
        }
    }

    /** Up to the largest vector that is decoded by the first pass, and one above it. */
    private static io.perceptronstreams.event.Example shortOne(Random random) {
        int size = random.nextInt(20) == 0 ? 60 + random.nextInt(6) : random.nextInt(12);
        List<Double> values = random.doubles(size).boxed().toList();
        List<Integer> indices =
                random.ints(0, 1 << 20).distinct().limit(size).sorted().boxed().toList();
        return new io.perceptronstreams.event.Example(
                RandomExamples.text(random, 10),
                List.of(1, -1, "name").get(random.nextInt(3)),
                random.nextBoolean() ? new DenseVector(values) : new SparseVector(indices, values),
                1.0);
    }

    /** One of any kind, often with a fault that refuses it alone. */
    private static io.perceptronstreams.event.Example other(Random random) {
        io.perceptronstreams.event.Example any = RandomExamples.next(random);
        switch (random.nextInt(6)) {
            case 0 -> any.setWeight(-1.0);
            case 1 -> any.setId("x".repeat(1025));
            case 2 -> any.setFeatures(new SparseVector(List.of(5, 5), List.of(1.0, 2.0)));
            case 3 -> any.setFeatures(new DenseVector(List.of(1.0, Double.NaN)));
            default -> {
                // it can be read
            }
        }
        return any;
    }

    /** All that was decoded, or why nothing was. */
    private static String result(Example of, Supplier<Object> decoding) {
        try {
            var unused = decoding.get();
        } catch (RejectedException e) {
            return e.reason() + ": " + e.getMessage().replaceAll("at byte .*", "");
        }
        List<String> names = new ArrayList<>();
        if (of.names() != null) {
            of.names()
                    .forEach((utf8, from, length) ->
                            names.add(Arrays.toString(Arrays.copyOfRange(utf8, from, from + length))));
        }
        return of.id() + " " + of.label() + " " + of.weight() + " " + names + " " + features(of);
    }

    private static String features(Example of) {
        if (of.features() instanceof Sequence sequence) {
            return IntStream.range(0, sequence.size())
                    .mapToObj(k -> text(sequence.token(k)))
                    .toList()
                    .toString();
        } else if (of.features() instanceof Candidates candidates) {
            return IntStream.range(0, candidates.size())
                    .mapToObj(k -> candidates.output(k) + text(candidates.features(k)))
                    .toList()
                    .toString();
        }
        return text((FeatureVector) of.features());
    }

    private static String text(FeatureVector x) {
        List<String> features = IntStream.range(0, x.size())
                .mapToObj(k -> x.index(k) + ":" + x.values()[k])
                .toList();
        return (x.isDense() ? "dense" : x.isHashed() ? "hashed" : "sparse") + x.bias() + features;
    }

    @Test
    void shouldRefuseARecordThatEndsBeforeItsLastExample() {
        Random random = new Random(3);
        byte[] value = AvroBytes.of(
                batchId,
                new ExampleBatch(
                        IntStream.range(0, 5).mapToObj(k -> shortOne(random)).toList()));
        for (int length = WireFormat.HEADER; length < value.length; length++) {
            byte[] cut = Arrays.copyOf(value, length);
            assertThatThrownBy(() -> decoder.decode(cut, PLAIN, example))
                    .isInstanceOfSatisfying(
                            RejectedException.class,
                            e -> assertThat(e.reason()).isEqualTo(RejectReason.MALFORMED_AVRO));
        }
    }
}
