package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small schemas that Avro would expand to gigabytes, or deeper than the stack, for a record of a few bytes. */
class SchemaBombTest {
    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("bombs", true);
    private final InputDecoder decoder = new InputDecoder(registry);

    @AfterEach
    void close() {
        registry.close();
    }

    /** Each record contains the one before twice: 2^depth types. */
    @ParameterizedTest
    @CsvSource({"20,array", "27,array", "31,array", "40,array", "40,map", "40,union", "200,array"})
    void shouldRefuseRecordsThatDouble(int depth, String kind) {
        String type = "\"int\"";
        for (int k = 1; k <= depth; k++) {
            type = "{\"type\":\"record\",\"name\":\"R" + k + "\",\"fields\":[{\"name\":\"a\",\"type\":" + type
                    + "},{\"name\":\"b\",\"type\":" + (k == 1 ? "\"int\"" : "\"R" + (k - 1) + "\"") + "}]}";
        }
        assertRefused(
                switch (kind) {
                    case "array" -> "{\"type\":\"array\",\"items\":" + type + "}";
                    case "map" -> "{\"type\":\"map\",\"values\":" + type + "}";
                    default -> "[\"null\"," + type + "]";
                });
    }

    /** Fields that hold a chain of records, one defined after the other, each of which contains the one before. */
    @ParameterizedTest
    @ValueSource(ints = {65, 1_000})
    void shouldRefuseALongChainOfRecords(int length) {
        StringBuilder fields = new StringBuilder();
        for (int k = 0; k < length; k++) {
            fields.append(k == 0 ? "" : ",")
                    .append("{\"name\":\"f" + k + "\",\"type\":{\"type\":\"record\",\"name\":\"R" + k
                            + "\",\"fields\":[" + (k == 0 ? "" : "{\"name\":\"a\",\"type\":\"R" + (k - 1) + "\"}")
                            + "]}}");
        }
        assertRefused(
                "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"All\",\"fields\":[" + fields + "]}}");
    }

    @Test
    void shouldReadASchemaThatRefersToItself() {
        Schema schema = example("[\"null\",{\"type\":\"record\",\"name\":\"List\",\"fields\":["
                + "{\"name\":\"next\",\"type\":[\"null\",\"List\"]}]}]");
        assertThat(decoder.decode(value(schema), new FeatureHasher(18), new Example()))
                .isEqualTo(InputDecoder.Kind.EXAMPLE);
    }

    @Test
    void shouldBeFarAboveOurOwnSchemas() {
        for (Topic topic : Topic.values()) {
            if (topic.event() != null) {
                assertThat(SchemaSize.fault(EventSchemas.schema(topic))).isNull();
            }
        }
        assertThat(SchemaSize.fault(EventSchemas.schema("Example"))).isNull();
        assertThat(SchemaSize.fault(EventSchemas.schema("WeightsSnapshot"))).isNull();
    }

    private void assertRefused(String type) {
        Schema schema = example(type);
        byte[] value = value(schema);
        for (int k = 0; k < 2; k++) {
            RejectedException refusal = catchThrowableOfType(
                    RejectedException.class, () -> decoder.decode(value, new FeatureHasher(18), new Example()));
            assertThat(refusal.reason()).isEqualTo(RejectReason.INCOMPATIBLE_SCHEMA);
            assertThat(refusal).hasMessageContaining("must have at most");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventReader.generic(EventSchemas.schema("Example"), registry)
                        .read(value))
                .withMessageContaining("must have at most");
    }

    /** An example with one more field, of {@code type}. */
    private static Schema example(String type) {
        return new Schema.Parser()
                .parse(
                        "{\"type\":\"record\",\"name\":\"Example\",\"namespace\":\"io.perceptronstreams.event\",\"fields\":["
                                + "{\"name\":\"bomb\",\"type\":" + type + "},{\"name\":\"id\",\"type\":\"string\"},"
                                + "{\"name\":\"features\",\"type\":[{\"type\":\"record\",\"name\":\"DenseVector\",\"fields\":"
                                + "[{\"name\":\"values\",\"type\":{\"type\":\"array\",\"items\":\"double\"}}]}]}]}");
    }

    /** An empty array, map or null; id "a"; the first kind of features, without values. */
    private byte[] value(Schema schema) {
        byte[] value = {0, 0, 0, 0, 0, 0, 2, 'a', 0, 0};
        WireFormat.writeHeader(value, registry.register("bombs-value", schema));
        return value;
    }
}
