package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.registry.SchemaRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** A writer's schema names Java classes, as those of other Avro programs do: none is loaded. */
final class SchemaClassesTest {
    private static final AtomicInteger LOADED = new AtomicInteger();
    private static final String TRAP = SchemaClassesTest.class.getName() + "$Trap";

    /** A class that a schema names; it must never be initialized. */
    static final class Trap {
        static {
            LOADED.incrementAndGet();
        }

        private Trap() {}
    }

    @Test
    void shouldLoadNoClassThatASchemaNames() throws Exception {
        Schema schema = new Schema.Parser().parse("""
                {"type": "record", "name": "Example", "namespace": "io.perceptronstreams.event", "java-class": "TRAP",
                 "fields": [
                  {"name": "id", "type": {"type": "string", "avro.java.string": "String", "java-class": "TRAP"}},
                  {"name": "features", "type": [{"type": "record", "name": "DenseVector", "java-class": "TRAP",
                    "fields": [{"name": "values", "type": {"type": "array", "items": "double",
                      "java-class": "TRAP", "java-element-class": "TRAP"}}]}]},
                  {"name": "extra", "type": {"type": "map", "values": "string",
                    "avro.java.string": "String", "java-class": "TRAP", "java-key-class": "TRAP"}},
                  {"name": "trap", "type": {"type": "record", "name": "Trap",
                    "namespace": "io.perceptronstreams.serde.SchemaClassesTest", "fields": []}}]}
                """.replace("TRAP", TRAP));
        GenericRecord vector = new GenericData.Record(
                schema.getField("features").schema().getTypes().get(0));
        vector.put("values", List.of(1.0, 2.0));
        GenericRecord event = new GenericData.Record(schema);
        event.put("id", "7");
        event.put("features", vector);
        event.put("extra", Map.of("a", "b"));
        event.put("trap", new GenericData.Record(schema.getField("trap").schema()));
        try (SchemaRegistry registry = SchemaRegistry.InMemory.named("classes", true)) {
            byte[] value = AvroBytes.of(registry.register("s", schema), event);

            Example example = new Example();
            new InputDecoder(registry).decode(value, new FeatureHasher(18), example);
            EventReader.generic(EventSchemas.schema("Example"), registry).read(value);
            EventReader.of(io.perceptronstreams.event.Example.class, registry).read(value);
        }

        assertThat(LOADED).hasValue(0);
        Class.forName(TRAP);
        assertThat(LOADED).as("the trap works").hasValue(1);
    }
}
