package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.ExampleBatch;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.SparseVector;
import io.perceptronstreams.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that are written and read, as objects of generated classes or as generic records. */
final class EventReaderTest {
    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("generic-events", true);

    @AfterEach
    void close() {
        registry.close();
    }

    @Test
    void shouldReadWhatItWrote() {
        Example example = new Example(
                "a",
                List.of("D", "N"),
                new SparseVector(
                        NumberLists.ints(new int[] {1, 900}, 2), NumberLists.doubles(new double[] {0.5, -2}, 2)),
                2.0);

        assertThat(EventReader.of(Example.class, registry).read(write(example))).isEqualTo(example);
    }

    @Test
    void shouldReadAvroOfAGenericRecordAsGeneratedClass() {
        Example example = new Example("e1", "spam", new NamedFeatures(Map.of("a", 0.5, "b", -2.0)), 1.0);
        byte[] value = write(reader("Example").read(write(example)));

        assertThat(EventReader.of(Example.class, registry).read(value)).isEqualTo(example);
    }

    @Test
    void shouldReadJsonAsGeneratedClassAndWriteIt() {
        EventReader<Alert> reader = EventReader.of(Alert.class, registry);
        Alert alert = reader.read("{\"kind\":\"DRIFT\",\"message\":\"m\",\"partition\":0,\"offset\":4,\"updates\":3}"
                .getBytes(StandardCharsets.UTF_8));

        assertThat(alert.getKind()).isEqualTo(AlertKind.DRIFT);
        assertThat(alert.getMessage()).isEqualTo("m");
        assertThat(reader.read(write(alert))).isEqualTo(alert);
    }

    @Test
    void shouldPutTheSchemasIdIntoTheHeader() {
        byte[] value = write(new Example("a", 1, new DenseVector(NumberLists.doubles(new double[] {1}, 1)), 1.0));

        assertThat(registry.schema(WireFormat.schemaId(value))).isEqualTo(EventSchemas.schema("Example"));
    }

    // The object was returned as an Example, and a ClassCastException ended the thread of the reader.
    @Test
    void shouldRefuseSeveralEventsWhereOneIsRead() {
        Example example = new Example("a", 1, new DenseVector(NumberLists.doubles(new double[] {1}, 1)), 1.0);
        byte[] value = write(new ExampleBatch(List.of(example, example)));
        EventReader<Example> reader = EventReader.of(Example.class, registry);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader.read(value))
                .withMessage("value must be a Example, got several of them");
        assertThat(reader.readAll(value)).containsExactly(example, example);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"exampleId\":\"a\",\"label\":null,\"score\":0,\"scores\":null,\"correct\":null,\"updates\":0,\"examples\":1}",
                "{\"exampleId\":\"a\",\"label\":-1,\"score\":0.1,\"scores\":{\"b\":2},\"correct\":true,\"updates\":9007199254740993,\"examples\":1}",
                "{\"exampleId\":\"a\",\"label\":\"spam\",\"score\":1e-300,\"version\":0,\"seen\":1}",
                "{\"exampleId\":\"a\",\"label\":[\"D\",\"N\"],\"score\":2,\"correct\":false,\"updates\":0,\"examples\":1,\"new\":[]}"
            })
    void shouldReadJsonAsTheAvroOfTheSameEvent(String json) {
        GenericRecord event = reader("Prediction").read(json.getBytes(StandardCharsets.UTF_8));

        assertThat(reader("Prediction").read(write(event))).isEqualTo(event);
    }

    @Test
    void shouldReadAnUnknownKindAsItsDefault() {
        String json = "{\"kind\":\"OF_A_LATER_VERSION\",\"message\":\"x\",\"partition\":1,\"offset\":2,\"updates\":3}";

        assertThat(reader("Alert").read(json.getBytes(StandardCharsets.UTF_8)).get("kind"))
                .hasToString("OTHER");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "{",
                "{}",
                "{\"exampleId\":1}",
                "{\"exampleId\":\"a\",\"label\":1.5,\"score\":0,\"updates\":0,\"examples\":1}",
                "{\"exampleId\":\"a\",\"label\":1,\"score\":\"0\",\"updates\":0,\"examples\":1}",
                "{\"exampleId\":\"a\",\"label\":1,\"score\":0,\"scores\":{\"b\":\"c\"},\"updates\":0,\"examples\":1}"
            })
    void shouldRefuseWhatIsNoEvent(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader("Prediction").read(value.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldRefuseAvroCutShortAnywhere() {
        byte[] value = write(reader("Prediction")
                .read("{\"exampleId\":\"a\",\"label\":\"spam\",\"score\":1,\"updates\":0,\"examples\":1}"
                        .getBytes(StandardCharsets.UTF_8)));

        for (int length = 0; length < value.length; length++) {
            byte[] cut = Arrays.copyOf(value, length);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> reader("Prediction").read(cut));
        }
    }

    /** Avro throws an UnsupportedOperationException for lengths above 2,147,483,639. */
    @Test
    void shouldRefuseAStringOfMoreThanTwoGigabytes() {
        byte[] value = {0, 0, 0, 0, 0, (byte) 0xfe, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f};
        Schema schema = EventSchemas.schema("Prediction");
        WireFormat.writeHeader(value, registry.register("s-Prediction", schema));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader("Prediction").read(value))
                .withMessageContaining("must be a Prediction");
    }

    private byte[] write(GenericRecord event) {
        Schema schema = EventSchemas.schema(event.getSchema().getName());
        return new EventWriter(schema, registry.register("s-" + schema.getName(), schema)).write(event);
    }

    private EventReader<GenericRecord> reader(String event) {
        return EventReader.generic(EventSchemas.schema(event), registry);
    }
}
