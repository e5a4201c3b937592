package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.event.Candidates;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.FeatureMap;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.Sequence;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureRules;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.registry.FailingRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InputDecoderTest {
    private static final FeatureHasher HASHER = new FeatureHasher(30);

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("decoder", true);
    private final int exampleId = registry.register("e", RandomExamples.SCHEMA);
    private final InputDecoder decoder = new InputDecoder(registry);
    private final Example example = new Example();

    @AfterEach
    void close() {
        registry.close();
    }

    @SeededTest
    void shouldReadWhatAvroWrites(long seed) {
        Random random = new Random(seed);
        for (int k = 0; k < 500; k++) {
            io.perceptronstreams.event.Example written = RandomExamples.next(random);
            check(AvroBytes.of(exampleId, written), written);
            check(AvroBytes.inBlocks(exampleId, written), written);
        }
    }

    @SeededTest
    void shouldReadTheSameByResolutionAsDirectly(long seed) {
        Random random = new Random(seed);
        // the same fields in another order: everything is resolved
        Schema own = RandomExamples.SCHEMA;
        Schema reordered = Schema.createRecord(own.getName(), null, own.getNamespace(), false);
        reordered.setFields(List.of("weight", "features", "label", "id").stream()
                .map(name ->
                        new Schema.Field(own.getField(name), own.getField(name).schema()))
                .toList());
        int id = registry.register("reordered", reordered);
        for (int k = 0; k < 200; k++) {
            io.perceptronstreams.event.Example written = RandomExamples.next(random);
            GenericRecord moved = new GenericData.Record(reordered);
            for (Schema.Field field : reordered.getFields()) {
                moved.put(field.name(), written.get(field.name()));
            }
            check(AvroBytes.of(id, moved), written);
            check(AvroBytes.inBlocks(id, moved), written);
        }
    }

    @SeededTest
    void shouldReadExamplesOfTheFirstSchemaDirectly(long seed) throws IOException {
        Schema first = firstSchema();
        assertThat(ExampleDecoder.readableBranches(first)).isEqualTo(5);
        int id = registry.register("first", first);
        Random random = new Random(seed);
        for (int k = 0; k < 200; k++) {
            io.perceptronstreams.event.Example written = RandomExamples.next(random);
            byte[] value = AvroBytes.of(exampleId, written);
            // the same bytes with another id: the first schema has all branches of the current one but the last
            WireFormat.writeHeader(value, id);
            if (written.getFeatures() instanceof FeatureMap) {
                assertThatThrownBy(() -> decoder.decode(value, HASHER, example))
                        .isInstanceOf(RejectedException.class)
                        .hasMessageContaining("features must be of branch 0 to 4 of their union");
            } else {
                check(value, written);
            }
        }
    }

    @Test
    void shouldRefuseABranchThatTheWriterDoesNotHaveAlsoForCrosses() {
        Schema own = RandomExamples.SCHEMA;
        Schema few = Schema.createRecord(own.getName(), null, own.getNamespace(), false);
        few.setFields(own.getFields().stream()
                .map(field -> field.name().equals("features")
                        ? new Schema.Field(
                                field.name(),
                                Schema.createUnion(field.schema().getTypes().subList(0, 2)))
                        : new Schema.Field(field, field.schema()))
                .toList());
        assertThat(ExampleDecoder.readableBranches(few)).isEqualTo(2);
        byte[] value = AvroBytes.of(
                exampleId, new io.perceptronstreams.event.Example("7", null, new NamedFeatures(Map.of("a", 1.0)), 1.0));
        WireFormat.writeHeader(value, registry.register("few", few));
        FeatureHasher crossing = new FeatureHasher(18, FeatureRules.of("a*b", 100, List.of(), List.of()));
        for (FeatureHasher hasher : List.of(HASHER, crossing)) {
            assertThatThrownBy(() -> decoder.decode(value, hasher, example))
                    .isInstanceOf(RejectedException.class)
                    .hasMessageContaining("features must be of branch 0 to 1 of their union");
        }
    }

    private static Schema firstSchema() throws IOException {
        return new Schema.Parser()
                .parse(Path.of("src/test/resources/schemas/v1/Example.avsc").toFile());
    }

    @Test
    void shouldResolveSchemasWithOtherFeatures() throws IOException {
        String text = RandomExamples.SCHEMA.toString();
        assertThat(ExampleDecoder.readableBranches(RandomExamples.SCHEMA)).isEqualTo(6);
        for (String other : List.of(
                text.replace("\"named\"", "\"values\""),
                text.replace("\"FeatureMap\"", "\"Features\""),
                text.replace("\"items\":\"double\"", "\"items\":\"float\""),
                text.replace("\"name\":\"features\",\"type\":[", "\"name\":\"features\",\"type\":[\"null\","),
                text.replace("\"name\":\"features\"", "\"name\":\"feature\""),
                firstSchema().toString().replace("\"output\"", "\"out\""))) {
            assertThat(other).isNotEqualTo(text);
            assertThat(ExampleDecoder.readableBranches(new Schema.Parser().parse(other)))
                    .as(other)
                    .isZero();
        }
    }

    @Test
    void shouldAskForAnUnknownIdOnceASecond() {
        AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 500_000_000);
        try (SchemaRegistry empty = SchemaRegistry.InMemory.named("empty", true)) {
            FailingRegistry counting = new FailingRegistry(empty, 0);
            InputDecoder patient = new InputDecoder(counting, nanoTime::get);
            byte[] unknown = AvroBytes.of(1, RandomExamples.next(new Random(1)));
            for (int k = 0; k < 100; k++) {
                assertThat(reason(patient, unknown)).isEqualTo(RejectReason.UNKNOWN_SCHEMA);
                nanoTime.addAndGet(9_999_999);
            }
            assertThat(counting.asked()).isEqualTo(1);

            nanoTime.addAndGet(100);
            assertThat(empty.register("e", RandomExamples.SCHEMA)).isEqualTo(1);

            assertThat(patient.decode(unknown, HASHER, example)).isEqualTo(InputDecoder.Kind.EXAMPLE);
            assertThat(counting.asked()).isEqualTo(2);
        }
    }

    private RejectReason reason(InputDecoder reader, byte[] value) {
        return catchThrowableOfType(RejectedException.class, () -> reader.decode(value, HASHER, example))
                .reason();
    }

    private void check(byte[] value, io.perceptronstreams.event.Example written) {
        assertThat(decoder.decode(value, HASHER, example)).isEqualTo(InputDecoder.Kind.EXAMPLE);
        assertThat(example.id()).hasToString(written.getId());
        assertThat(example.weight()).isEqualTo(written.getWeight());
        assertThat(example.label()).isEqualTo(label(written.getLabel()));
        assertThat(FeatureText.of(example.features())).isEqualTo(text(written.getFeatures()));
    }

    /** Text of features as {@link FeatureText} has it of those that the engine decodes. */
    private static String text(Object features) {
        if (features instanceof DenseVector dense) {
            return IntStream.range(0, dense.getValues().size())
                    .mapToObj(k -> k + ":" + dense.getValues().get(k))
                    .collect(Collectors.joining(" ", "dense ", ""));
        } else if (features instanceof SparseVector sparse) {
            Map<Integer, Double> values = new TreeMap<>();
            sparse.getIndices()
                    .forEach(index -> values.put(index, sparse.getValues().get(values.size())));
            return text(values);
        } else if (features instanceof Sequence sequence) {
            return sequence.getTokens().stream()
                    .map(token -> token.stream().collect(Collectors.toMap(name -> name, name -> 1.0, Double::sum)))
                    .map(token -> "[" + hashed(token) + "]")
                    .collect(Collectors.joining());
        } else if (features instanceof Candidates candidates) {
            return candidates.getCandidates().stream()
                    .map(each -> each.getOutput() + "[" + hashed(each.getFeatures()) + "]")
                    .collect(Collectors.joining());
        }
        return hashed(features instanceof FeatureMap map ? map.getNamed() : ((NamedFeatures) features).getValues());
    }

    private static String hashed(Map<String, Double> named) {
        Map<Integer, Double> hashed = new TreeMap<>();
        named.forEach((name, value) -> {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            // 30 bits: no collisions among the few names of these seeds
            assertThat(hashed.put(HASHER.index(utf8, 0, utf8.length), value)).isNull();
        });
        return text(hashed);
    }

    private static String text(Map<Integer, Double> values) {
        return values.entrySet().stream()
                .map(each -> each.getKey() + ":" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private static Label label(Object written) {
        if (written == null) {
            return null;
        } else if (written instanceof Integer number) {
            return Label.of(number);
        } else if (written instanceof String name) {
            return new Label.ClassName(name);
        }
        return new Label.Tags(((List<?>) written).stream().map(Object::toString).toList());
    }

    @Test
    void shouldReadCommandsAndLabels() {
        Schema commands = EventSchemas.schema("ModelCommand");
        GenericRecord command = new GenericData.Record(commands);
        command.put(
                "action", new GenericData.EnumSymbol(commands.getField("action").schema(), "FREEZE"));
        command.put("settings", Map.of("h", "1", "é", "ß"));
        int id = registry.register("c", commands);
        for (byte[] value : List.of(AvroBytes.of(id, command), AvroBytes.inBlocks(id, command))) {
            assertThat(decoder.decode(value, HASHER, example)).isEqualTo(InputDecoder.Kind.COMMAND);
            assertThat(decoder.command())
                    .isEqualTo(new ModelCommand(ModelCommand.Action.FREEZE, Map.of("h", "1", "é", "ß")));
        }
        io.perceptronstreams.event.Label label = new io.perceptronstreams.event.Label("7", 1, 0.5, "review", 12L);
        assertThat(decoder.decode(AvroBytes.of(registry.register("l", label.getSchema()), label), HASHER, example))
                .isEqualTo(InputDecoder.Kind.LABEL);
        assertThat(decoder.label()).isEqualTo(new LabelEvent(new Utf8Slice().set("7"), Label.of(1), 0.5, "review", 12));
        byte[] named = "{\"exampleId\":7,\"label\":1,\"source\":\"a.B_9-\",\"knowableAt\":\"1970-01-01T00:00:01Z\"}"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(decoder.decode(named, HASHER, example)).isEqualTo(InputDecoder.Kind.LABEL);
        assertThat(decoder.label()).isEqualTo(new LabelEvent(new Utf8Slice().set("7"), Label.of(1), 1, "a.B_9-", 1000));
        byte[] json = "{\"exampleId\":\"é\",\"label\":[\"D\",\"N\"]}".getBytes(StandardCharsets.UTF_8);
        assertThat(decoder.decode(json, HASHER, example)).isEqualTo(InputDecoder.Kind.LABEL);
        assertThat(decoder.label())
                .isEqualTo(new LabelEvent(new Utf8Slice().set("é"), new Label.Tags(List.of("D", "N")), 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"source\":\"\";INVALID_SOURCE",
                "\"source\":\"a b\";INVALID_SOURCE",
                "\"source\":\"a\\nb\";INVALID_SOURCE",
                "\"source\":\"x2345678901234567890123456789012345678901\";INVALID_SOURCE",
                "\"source\":7;MALFORMED_JSON",
                "\"source\":[\"a\"];MALFORMED_JSON",
                "\"knowableAt\":-1;INVALID_TIMESTAMP",
                "\"knowableAt\":\"soon\";INVALID_TIMESTAMP",
                "\"knowableAt\":{};INVALID_TIMESTAMP",
                "\"Source\":\"a\";MALFORMED_JSON"
            })
    void shouldRefuseSourcesThatCannotBe(String field, RejectReason reason) {
        byte[] json = ("{\"exampleId\":7,\"label\":1," + field + "}").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> decoder.decode(json, HASHER, example))
                .isInstanceOfSatisfying(
                        RejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    // A source of an example would be lost silently: its label has none.
    @Test
    void shouldRefuseSourcesOfExamples() {
        byte[] json = "{\"label\":1,\"features\":[1],\"source\":\"a\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> decoder.decode(json, HASHER, example)).hasMessageContaining("source");
    }

    // Labels of the first version of the schema have no weight.
    @Test
    void shouldReadLabelsWithoutAWeight() {
        Schema first = new Schema.Parser()
                .parse(
                        "{\"type\":\"record\",\"name\":\"Label\",\"namespace\":\"io.perceptronstreams.event\",\"fields\":["
                                + "{\"name\":\"exampleId\",\"type\":\"string\"},{\"name\":\"label\",\"type\":[\"int\",\"string\","
                                + "{\"type\":\"array\",\"items\":\"string\"}]}]}");
        GenericRecord label = new GenericData.Record(first);
        label.put("exampleId", "7");
        label.put("label", "ham");
        assertThat(decoder.decode(AvroBytes.of(registry.register("l", first), label), HASHER, example))
                .isEqualTo(InputDecoder.Kind.LABEL);
        assertThat(decoder.label()).isEqualTo(new LabelEvent(new Utf8Slice().set("7"), new Label.ClassName("ham"), 1));
    }

    // Before the first label of a model that was frozen, a label of any length became part of a Mistake.
    @Test
    void shouldRefuseLabelsThatMakeEventsTooLarge() {
        String longest = "😀".repeat(128);
        assertThat(labelOf("\"" + longest + "\"", longest)).isEqualTo(new Label.ClassName(longest));
        assertRefused("n".repeat(257), "label must have names or tags of at most 256 characters, got 257");
        assertRefused(longest + "é", "label must have names or tags of at most 256 characters, got 257");
        assertRefused("n".repeat(300_000), "label must have names or tags of at most 256 characters, got ");
        assertRefused(
                List.of("N", "n".repeat(257)), "label must have names or tags of at most 256 characters, got 257");
        assertRefused(
                Collections.nCopies(16_385, "N"),
                "label must have at most 16384 tags, one for each token, got 16385 (cut the sequence)");
        assertRefused(
                Collections.nCopies(513, "n".repeat(256)),
                "label must have at most 131072 characters in all its tags together, got 131328 (use shorter tags");
        List<String> most = Collections.nCopies(512, "n".repeat(256));
        assertThat(labelOf("[\"" + String.join("\",\"", most) + "\"]", most)).isEqualTo(new Label.Tags(most));
    }

    // A label of true or 1.0, a text as a feature's value and a missing id were malformed.
    @Test
    void shouldTakeOrdinaryJson() {
        for (String label : List.of("true", "1", "1.0", "1e0")) {
            assertThat(labelOf(label, 1)).isEqualTo(Label.PLUS_ONE);
        }
        for (String label : List.of("false", "0", "0.0", "-0.0")) {
            assertThat(labelOf(label, 0)).isEqualTo(Label.ZERO);
        }
        assertThat(labelOf("-1.0", -1)).isEqualTo(Label.MINUS_ONE);

        decode("{\"features\":{\"city\":\"Rome\",\"age\":30,\"new\":true,\"old\":false},\"timestamp\":5}");
        assertThat(example.id().length()).isZero();
        String features = FeatureText.of(example.features());
        decode("{\"id\":\"7\",\"features\":{\"city=Rome\":1,\"age\":30,\"new\":1,\"old\":0}}");
        assertThat(features).isEqualTo(FeatureText.of(example.features()));
    }

    private void decode(String json) {
        decoder.decode(json.getBytes(StandardCharsets.UTF_8), HASHER, example);
    }

    /** The label of an example by Avro, which is that by JSON. */
    private Label labelOf(String json, Object avro) {
        decoder.decode(
                ("{\"id\":\"\",\"label\":" + json + ",\"features\":[]}").getBytes(StandardCharsets.UTF_8),
                HASHER,
                example);
        Label fromJson = example.label();
        decoder.decode(avroLabel(avro), HASHER, example);
        assertThat(example.label()).isEqualTo(fromJson);
        return fromJson;
    }

    private byte[] avroLabel(Object label) {
        io.perceptronstreams.event.Example written = RandomExamples.next(new Random(1));
        written.setLabel(label);
        return AvroBytes.of(exampleId, written);
    }

    private void assertRefused(Object label, String message) {
        String json = label instanceof List<?> tags
                ? tags.stream().map(tag -> "\"" + tag + "\"").toList().toString()
                : "\"" + label + "\"";
        for (byte[] value : List.of(
                ("{\"id\":\"\",\"label\":" + json + ",\"features\":[]}").getBytes(StandardCharsets.UTF_8),
                avroLabel(label))) {
            RejectedException e =
                    catchThrowableOfType(RejectedException.class, () -> decoder.decode(value, HASHER, example));
            assertThat(e.reason()).isEqualTo(RejectReason.INVALID_LABEL);
            assertThat(e).hasMessageStartingWith(message);
        }
    }
}
