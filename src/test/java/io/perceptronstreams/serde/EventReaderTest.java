package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Generated classes hold what a writer of the schema of {@code schemas/} has written, in Avro and in JSON. */
final class EventReaderTest {
    private final SchemaRegistry registry = SchemaRegistry.of(Map.of("schema.registry.url", "mock://event-reader"));

    @Test
    void shouldReadAvroAsGeneratedClass() {
        Schema schema = EventSchemas.schema("Example");
        GenericRecord features = new GenericData.Record(schema.getField("features").schema().getTypes().stream()
                .filter(type -> type.getName().equals("NamedFeatures"))
                .findFirst()
                .orElseThrow());
        features.put(0, Map.of("a", 0.5, "b", -2.0));
        GenericRecord written = new GenericData.Record(schema);
        schema.getFields()
                .forEach(field -> written.put(
                        field.pos(), field.hasDefaultValue() ? GenericData.get().getDefaultValue(field) : null));
        written.put("id", "e1");
        written.put("features", features);
        written.put("label", "spam");
        byte[] value = new EventWriter(schema, registry.register("s", schema)).write(written);

        Example read = EventReader.of(Example.class, registry).read(value);

        assertThat(read.getId()).isEqualTo("e1");
        assertThat(read.getLabel()).isEqualTo("spam");
        assertThat(read.getFeatures()).isEqualTo(new NamedFeatures(Map.of("a", 0.5, "b", -2.0)));
    }

    @Test
    void shouldReadJsonAsGeneratedClass() {
        Alert alert = EventReader.of(Alert.class, registry)
                .read("{\"kind\":\"DRIFT\",\"message\":\"m\",\"partition\":0,\"offset\":4,\"updates\":3}"
                        .getBytes(StandardCharsets.UTF_8));

        assertThat(alert.getKind()).isEqualTo(AlertKind.DRIFT);
        assertThat(alert.getMessage()).isEqualTo("m");
    }

    @Test
    void shouldWriteGeneratedClassAsTheSchemaOfTheRegistry() {
        Schema schema = EventSchemas.schema("Alert");
        EventReader<Alert> reader = EventReader.of(Alert.class, registry);
        Alert alert = reader.read("{\"kind\":\"ADVICE\",\"message\":\"m\",\"partition\":0,\"offset\":4,\"updates\":3}"
                .getBytes(StandardCharsets.UTF_8));

        byte[] value = new EventWriter(schema, registry.register("s", schema)).write(alert);

        assertThat(reader.read(value)).isEqualTo(alert);
    }
}
