package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Fields of Avro records that an event does not have: Avro's resolution ignores them, so that a misspelt label was no
 * label.
 */
@ExtendWith(EngineExtension.class)
final class AvroFieldsTest {
    private static final String OWN = "io.perceptronstreams.event";

    private final EngineDriver engine;

    AvroFieldsTest(EngineDriver engine) {
        this.engine = engine;
    }

    /** Sends an example with an id of a number, and one more field. */
    private void send(String namespace, String field, String type, Object value) {
        Schema schema = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"Example\",\"namespace\":\"" + namespace
                        + "\",\"fields\":[{\"name\":\"id\",\"type\":\"double\"},{\"name\":\"features\",\"type\":{\"type\":\"record\","
                        + "\"name\":\"FeatureMap\",\"fields\":[{\"name\":\"named\",\"type\":{\"type\":\"map\",\"values\":\"double\"}}]}},"
                        + "{\"name\":\"" + field + "\",\"type\":\"" + type + "\"}]}");
        GenericRecord features =
                new GenericData.Record(schema.getField("features").schema());
        features.put("named", Map.of("age", 1.0));
        GenericRecord example = new GenericData.Record(schema);
        example.put("id", 17.0);
        example.put("features", features);
        example.put(field, value);
        engine.send("m", engine.encode(example), 5);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            io.perceptronstreams.event | Label     | got 'Label' (call it 'label')
            io.perceptronstreams.event | lable     | got 'lable' (call it 'label')
            io.perceptronstreams.event | labels    | got 'labels' (call it 'label')
            io.perceptronstreams.event | Weight    | got 'Weight' (call it 'weight')
            io.perceptronstreams.event | timestamp | got 'timestamp' (in Avro the timestamp of the record is the event time
            shop                       | country   | got 'country' (values belong into features; or leave it out
            """)
    void shouldRefuseAFieldThatWouldBeIgnored(String namespace, String field, String message) {
        send(namespace, field, "int", 1);

        assertThat(engine.records(Topic.DEAD_LETTERS)).singleElement().satisfies(letter -> {
            assertThat(EngineDriver.reason(letter)).isEqualTo("INCOMPATIBLE_SCHEMA");
            assertThat(EngineDriver.message(letter))
                    .contains("must have fields of [id, label, features, weight], ")
                    .contains(message);
        });
    }

    /** Avro reads bytes as UTF-8: decimals became labels of a few signs, and ids that are the same text. */
    @ParameterizedTest
    @CsvSource({"label", "id"})
    void shouldRefuseDecimalsInBytesWhereTextsBelong(String field) {
        String other = field.equals("id") ? "label" : "id";
        Schema schema = new Schema.Parser()
                .parse(
                        "{\"type\":\"record\",\"name\":\"Example\",\"namespace\":\"" + OWN
                                + "\",\"fields\":[{\"name\":\"" + field
                                + "\",\"type\":{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}},"
                                + "{\"name\":\"" + other
                                + "\",\"type\":\"string\"},{\"name\":\"features\",\"type\":{\"type\":\"record\","
                                + "\"name\":\"FeatureMap\",\"fields\":[{\"name\":\"named\",\"type\":{\"type\":\"map\",\"values\":\"double\"}}]}}]}");
        GenericRecord features =
                new GenericData.Record(schema.getField("features").schema());
        features.put("named", Map.of("age", 1.0));
        GenericRecord example = new GenericData.Record(schema);
        example.put(field, ByteBuffer.wrap(new byte[] {65}));
        example.put(other, "1");
        example.put("features", features);
        engine.send("m", engine.encode(example), 5);

        assertThat(engine.records(Topic.DEAD_LETTERS)).singleElement().satisfies(letter -> {
            assertThat(EngineDriver.reason(letter)).isEqualTo("INCOMPATIBLE_SCHEMA");
            assertThat(EngineDriver.message(letter))
                    .contains("must have a text or a number as " + field
                            + ", got bytes of a decimal (write it as a text or a double)");
        });
    }

    /** Later versions of Example may have more fields. */
    @Test
    void shouldReadALaterVersion() {
        send(OWN, "source", "string", "sensor 1");

        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(each -> each.get("exampleId").toString())
                .containsExactly("17");
    }
}
