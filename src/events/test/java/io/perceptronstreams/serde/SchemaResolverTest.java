package io.perceptronstreams.serde;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Examples written with other versions of the schema. */
class SchemaResolverTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);
    private static final String DENSE =
            "{\"type\":\"record\",\"name\":\"DenseVector\",\"fields\":[{\"name\":\"values\","
                    + "\"type\":{\"type\":\"array\",\"items\":\"%s\"}}]}";

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("resolver", true);
    private final InputDecoder decoder = new InputDecoder(registry);
    private final Example example = new Example();

    private static Schema schema(String name, String namespace, String... fields) {
        return new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"" + name + "\",\"namespace\":\"" + namespace + "\",\"fields\":["
                        + String.join(",", fields) + "]}");
    }

    private static Schema example(String... fields) {
        return schema("Example", "io.perceptronstreams.event", fields);
    }

    private static String field(String name, String type) {
        return "{\"name\":\"" + name + "\",\"type\":" + type + "}";
    }

    private static String features(String items) {
        return field("features", "[" + DENSE.formatted(items) + "]");
    }

    private static GenericRecord dense(Schema schema, Object... values) {
        GenericRecord event = new GenericData.Record(schema);
        event.put("id", "7");
        GenericRecord vector = new GenericData.Record(
                schema.getField("features").schema().getTypes().get(0));
        vector.put("values", Arrays.asList(values));
        event.put("features", vector);
        return event;
    }

    /** Reads a good value, and then checks that no piece and no change of it does more than be refused. */
    private void decode(GenericRecord event) {
        int id = registry.register("s", event.getSchema());
        byte[] value = AvroBytes.of(id, event);
        for (int length = WireFormat.HEADER; length < value.length; length++) {
            assertThat(refused(Arrays.copyOf(value, length)).reason())
                    .as("%s of %s bytes", length, value.length)
                    .isEqualTo(RejectReason.MALFORMED_AVRO);
        }
        assertThat(refused(Arrays.copyOf(value, value.length + 1)).reason()).isEqualTo(RejectReason.MALFORMED_AVRO);
        Random random = new Random(value.length);
        for (int k = 0; k < 2000; k++) {
            byte[] changed = value.clone();
            changed[WireFormat.HEADER + random.nextInt(value.length - WireFormat.HEADER)] = (byte) random.nextInt();
            try {
                decoder.decode(changed, HASHER, example);
            } catch (RejectedException e) {
                assertThat(e).hasMessageNotContaining("\n");
            }
        }
        decoder.decode(value, HASHER, example);
    }

    private RejectedException refused(GenericRecord event) {
        return refused(AvroBytes.of(registry.register("s", event.getSchema()), event));
    }

    private RejectedException refused(byte[] value) {
        return catchThrowableOfType(RejectedException.class, () -> decoder.decode(value, HASHER, example));
    }

    private double[] values() {
        return Arrays.copyOf(example.vector().values(), example.vector().size());
    }

    @Test
    void shouldPassOverFieldsThatItDoesNotKnow() {
        Schema newer = example(
                field("note", "[\"null\",{\"type\":\"map\",\"values\":\"bytes\"}]"),
                field("id", "\"string\""),
                field("sum", "{\"type\":\"fixed\",\"name\":\"Sum\",\"size\":4}"),
                features("double"),
                field("flag", "\"boolean\""),
                field("kind", "{\"type\":\"enum\",\"name\":\"K\",\"symbols\":[\"A\",\"B\"]}"),
                field("weight", "\"double\""));
        GenericRecord event = dense(newer, 1.5, 2.5);
        event.put("note", Map.of("n", ByteBuffer.wrap(new byte[3])));
        event.put("sum", new GenericData.Fixed(newer.getField("sum").schema(), new byte[4]));
        event.put("flag", true);
        event.put("kind", new GenericData.EnumSymbol(newer.getField("kind").schema(), "B"));
        event.put("weight", 2.0);
        decode(event);
        assertThat(values()).containsExactly(1.5, 2.5);
        assertThat(example.weight()).isEqualTo(2.0);
        assertThat(example.label()).isNull();
    }

    // Only the log of the engine named them, once, and nothing at all those of weights.
    @Test
    void shouldNameTheFieldsThatItIgnores() {
        Schema newer = example(
                field("amount", "\"double\""),
                field("id", "\"string\""),
                field("label", "\"int\""),
                field("Label", "\"int\""),
                features("double"));
        GenericRecord event = dense(newer, 1.5);
        event.put("amount", 17.5);
        event.put("label", 1);
        event.put("Label", 1);
        assertThat(ignored(event))
                .matches(
                        "fields \\[amount, Label] of Example with schema id \\d+ are ignored: this version does not know them"
                                + " \\(values to learn from belong into features\\)");
        assertThat(ignored(dense(example(field("id", "\"string\""), features("float")), 1f)))
                .isNull();
        assertThat(decoder.ignoredFields("{\"id\":\"7\"}".getBytes(UTF_8))).isNull();

        Schema own = EventSchemas.schema("WeightsSnapshot");
        List<Schema.Field> fields = new ArrayList<>();
        own.getFields().forEach(each -> fields.add(new Schema.Field(each, each.schema())));
        fields.add(new Schema.Field("origin", Schema.create(Schema.Type.STRING)));
        Schema weights = Schema.createRecord(own.getName(), null, own.getNamespace(), false, fields);
        assertThat(decoder.ignoredFields(header(weights))).startsWith("fields [origin] of WeightsSnapshot ");
        assertThat(decoder.ignoredFields(header(own))).isNull();
    }

    private String ignored(GenericRecord event) {
        return decoder.ignoredFields(AvroBytes.of(registry.register("s", event.getSchema()), event));
    }

    private byte[] header(Schema schema) {
        byte[] value = new byte[WireFormat.HEADER];
        WireFormat.writeHeader(value, registry.register("w", schema));
        return value;
    }

    @Test
    void shouldFillInDefaultsForFieldsThatAreNotThere() {
        decode(dense(example(field("id", "\"string\""), features("double")), 1.5));
        assertThat(example.id()).hasToString("7");
        assertThat(example.weight()).isEqualTo(1.0);
        assertThat(example.label()).isNull();
        assertThat(values()).containsExactly(1.5);
    }

    @Test
    void shouldPromoteFloatsAndInts() {
        for (String type : List.of("float", "int", "long")) {
            Object[] values = type.equals("float")
                    ? new Object[] {1f, -2f}
                    : type.equals("int") ? new Object[] {1, -2} : new Object[] {1L, -2L};
            GenericRecord event =
                    dense(example(field("weight", "\"float\""), features(type), field("id", "\"string\"")), values);
            event.put("weight", 0.5f);
            decode(event);
            assertThat(values()).as(type).containsExactly(1, -2);
            assertThat(example.weight()).isEqualTo(0.5);
        }
    }

    @Test
    void shouldTakeAnIntLabelThatIsNoUnion() {
        GenericRecord event =
                dense(example(features("double"), field("label", "\"int\""), field("id", "\"string\"")), 1.0);
        event.put("label", -1);
        decode(event);
        assertThat(example.label()).isEqualTo(Label.MINUS_ONE);
    }

    @Test
    void shouldTakeBytesAsAnId() {
        GenericRecord event = dense(example(features("double"), field("id", "\"bytes\"")), 1.0);
        event.put("id", ByteBuffer.wrap(new byte[] {'a', 'b'}));
        decode(event);
        assertThat(example.id()).hasToString("ab");
    }

    @Test
    void shouldTakeTheSchemaInAnotherNamespace() {
        decode(dense(schema("Example", "com.example", field("id", "\"string\""), features("double")), 1.0));
        assertThat(values()).containsExactly(1.0);
    }

    @Test
    void shouldCheckValuesAfterResolution() {
        Schema floats = example(field("id", "\"string\""), features("float"));
        assertThat(refused(dense(floats, 1f, Float.NaN)).reason()).isEqualTo(RejectReason.NON_FINITE_VALUE);
    }

    @Test
    void shouldSayThatASchemaCannotBeRead() {
        Schema strings = example(field("id", "\"string\""), features("string"));
        RejectedException refusal = refused(dense(strings, "x"));
        assertThat(refusal.reason()).isEqualTo(RejectReason.INCOMPATIBLE_SCHEMA);
        assertThat(refusal).hasMessageStartingWith("the writer's schema must be readable as Example");
    }

    @Test
    void shouldNotWalkForEverThroughItemsOfNoSize() {
        Schema nulls = example(
                field("id", "\"string\""),
                features("double"),
                field("nothing", "{\"type\":\"array\",\"items\":\"null\"}"));
        byte[] value = new byte[400_000];
        WireFormat.writeHeader(value, registry.register("s", nulls));
        // id "", no values, then block after block of 100,000 nulls, each of which takes three bytes
        byte[] block = {(byte) 0xc0, (byte) 0x9a, 0x0c};
        for (int at = 8; at + block.length < value.length; at += block.length) {
            System.arraycopy(block, 0, value, at, block.length);
        }
        assertThat(refused(value).reason()).isEqualTo(RejectReason.MALFORMED_AVRO);
    }

    @Test
    void shouldNotWalkForEverThroughRecordsOfNoSize() {
        StringBuilder type = new StringBuilder("\"null\"");
        for (int depth = 0; depth < 40; depth++) {
            type = new StringBuilder("{\"type\":\"record\",\"name\":\"R" + depth
                    + "\",\"fields\":[{\"name\":\"a\",\"type\":"
                    + type + "},{\"name\":\"b\",\"type\":" + (depth == 0 ? "\"null\"" : "\"R" + (depth - 1) + "\"")
                    + "}]}");
        }
        Schema bomb = example(field("bomb", type.toString()), field("id", "\"string\""), features("double"));
        byte[] value = new byte[20];
        WireFormat.writeHeader(value, registry.register("s", bomb));
        assertThat(refused(value).reason()).isEqualTo(RejectReason.INCOMPATIBLE_SCHEMA);
    }

    private static final String MAP =
            "{\"type\":\"record\",\"name\":\"FeatureMap\",\"fields\":[{\"name\":\"named\",\"type\":{\"type\":\"map\",\"values\":%s}}]}";

    private static GenericRecord named(Schema schema, Map<String, Object> values) {
        GenericRecord event = new GenericData.Record(schema);
        GenericRecord features =
                new GenericData.Record(schema.getField("features").schema());
        features.put("named", values);
        event.put("features", features);
        return event;
    }

    /** Each of these labels was refused: "Found long, expecting union[null, int, string, array]". */
    @Test
    void shouldReadLabelsOfOtherTypes() {
        String kind =
                "{\"type\":\"enum\",\"name\":\"Kind\",\"namespace\":\"io.perceptronstreams.event\",\"symbols\":[\"ham\",\"spam\"]}";
        for (String type : List.of("\"long\"", "\"boolean\"", "\"double\"", "\"float\"", kind)) {
            for (String each : List.of(type, "[\"null\"," + type + "]", "[" + type + ",\"null\"]")) {
                Schema schema = example(field("label", each), field("features", MAP.formatted("\"double\"")));
                GenericRecord event = named(schema, Map.of("age", 34.0));
                event.put(
                        "label",
                        switch (type) {
                            case "\"long\"" -> 1L;
                            case "\"boolean\"" -> true;
                            case "\"double\"" -> 1.0;
                            case "\"float\"" -> 1f;
                            default -> new GenericData.EnumSymbol(new Schema.Parser().parse(kind), "spam");
                        });
                decode(event);
                assertThat(example.label())
                        .as(each)
                        .isEqualTo(type.equals(kind) ? new Label.ClassName("spam") : Label.of(1));
                assertThat(example.id().length()).isZero();
                assertThat(example.weight()).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldReadNullsOfOptionalFields() {
        String optional = "[\"null\",\"double\"]";
        Schema schema = example(
                field("id", "[\"null\",\"string\"]"),
                field("label", "[\"null\",\"long\"]"),
                field("weight", optional),
                field("features", MAP.formatted(optional)));
        Map<String, Object> values = new HashMap<>(Map.of("age", 34.0));
        values.put("fare", null);
        decode(named(schema, values));
        assertThat(example.label()).isNull();
        assertThat(example.weight()).isEqualTo(1);
        assertThat(values()).containsExactly(34.0);
    }

    @Test
    void shouldNameTheFieldThatCannotBeRead() {
        Schema lists = example(
                field("id", "\"string\""),
                field("label", "{\"type\":\"map\",\"values\":\"int\"}"),
                field("features", MAP.formatted("\"double\"")));
        GenericRecord event = named(lists, Map.of("age", 34.0));
        event.put("id", "7");
        event.put("label", Map.of());
        assertThat(refused(event))
                .hasMessageStartingWith("the writer's schema must be readable as Example, got: ")
                .hasMessageEndingWith("(field label)");
    }

    @Test
    void shouldRefuseLabelsThatAreNoInts() {
        Schema schema = example(field("label", "\"long\""), field("features", MAP.formatted("\"double\"")));
        GenericRecord event = named(schema, Map.of("age", 34.0));
        event.put("label", 1L << 31);
        RejectedException refusal = refused(event);
        assertThat(refusal.reason()).isEqualTo(RejectReason.INVALID_LABEL);
        assertThat(refusal).hasMessage("label must be a whole number of 32 bits, got 2147483648");
    }

    @Test
    void shouldReadTheBooleanOfALateLabel() {
        Schema schema = schema(
                "Label", "io.perceptronstreams.event", field("exampleId", "\"string\""), field("label", "\"boolean\""));
        GenericRecord event = new GenericData.Record(schema);
        event.put("exampleId", "7");
        event.put("label", true);
        decode(event);
        assertThat(decoder.label().label()).isEqualTo(Label.of(1));
        assertThat(decoder.label().weight()).isEqualTo(1);
    }
}
