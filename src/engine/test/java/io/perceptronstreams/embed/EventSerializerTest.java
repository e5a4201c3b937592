package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class EventSerializerTest {
    private static final Map<String, String> SETTINGS = Map.of("schema.registry.url", "mock://event-serializer");

    private final EventSerializer serializer = new EventSerializer();
    private final EventDeserializer deserializer = new EventDeserializer();

    @BeforeEach
    void configure() {
        serializer.configure(SETTINGS, false);
        deserializer.configure(SETTINGS, false);
    }

    @AfterEach
    void close() {
        serializer.close();
        deserializer.close();
    }

    @Test
    void shouldRegisterExamplesAndLabelsUnderTheirSubjects() {
        GenericRecord example = new Example("7", 1, new NamedFeatures(Map.of("age", 0.3)), 1.0);
        GenericRecord label = new GenericRecordBuilder(EventSerializer.schema("Label"))
                .set("exampleId", "7")
                .set("label", 1)
                .build();
        try (SchemaRegistry registry = SchemaRegistries.of(SETTINGS)) {
            int exampleId = WireFormat.schemaId(serializer.serialize("p-examples", example));
            int labelId = WireFormat.schemaId(serializer.serialize("p-examples", label));
            assertThat(registry.schema(exampleId)).isEqualTo(EventSerializer.schema("Example"));
            assertThat(registry.schema(labelId)).isEqualTo(label.getSchema());
            assertThat(registry.register("p-examples-value", EventSerializer.schema("Example")))
                    .isEqualTo(exampleId);
            assertThat(registry.register("p-examples-Label", label.getSchema())).isEqualTo(labelId);
        }
    }

    @Test
    void shouldReadWhatItWrites() {
        GenericRecord prediction = new GenericRecordBuilder(EventSerializer.schema("Prediction"))
                .set("exampleId", "7")
                .set("label", -1)
                .set("score", 0.1)
                .set("updates", 1L)
                .set("examples", 2L)
                .build();
        byte[] avro = serializer.serialize("p-predictions", prediction);
        // Avro compares strings by their type, too
        assertThat(deserializer.deserialize("p-predictions", avro)).hasToString(prediction.toString());
        byte[] json = "{\"exampleId\":\"7\",\"label\":-1,\"score\":0.1,\"updates\":1,\"examples\":2}"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(deserializer.deserialize("p-predictions", json)).hasToString(prediction.toString());
        assertThat(serializer.serialize("p-predictions", null)).isNull();
        assertThat(deserializer.deserialize("p-predictions", null)).isNull();
    }

    @Test
    void shouldRefuseWhatIsNoEvent() {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> deserializer.deserialize("other", new byte[0]))
                .withMessage("topic must be one of the engine's, such as perceptron-predictions, got other");
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> deserializer.deserialize("p-mistakes", new byte[] {'{', '['}))
                .withMessageStartingWith("record of p-mistakes: value must be a Mistake, got ");
    }
}
