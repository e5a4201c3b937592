package io.perceptronstreams.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Rejected examples in Avro become JSON that is an example again, with the same features. */
class DeadLetterValuesTest {
    private final SchemaRegistry registry =
            SchemaRegistries.of(Map.of("schema.registry.url", "mock://dead-letter-values"));
    private final Schema schema = EventSchemas.schema("Example");
    private final EventWriter writer = new EventWriter(schema, registry.register("perceptron-examples-value", schema));

    private byte[] example(String form, Map<String, Object> fields) {
        Schema features = schema.getField("features").schema().getTypes().stream()
                .filter(each -> each.getName().equals(form))
                .findFirst()
                .orElseThrow();
        GenericRecord of = new GenericData.Record(features);
        fields.forEach(of::put);
        GenericRecord example = new GenericData.Record(schema);
        example.put("id", "e");
        example.put("label", 1);
        example.put("features", of);
        example.put("weight", 1.0);
        return writer.write(example);
    }

    private String json(byte[] value) {
        return new DeadLetterValues(registry).json(value).orElseThrow();
    }

    @Test
    void shouldLeaveOutTheNameOfTheOnlyField() {
        Map<String, Map<String, Object>> examples = Map.of(
                "DenseVector", Map.of("values", List.of(0.5, 2.0)),
                "NamedFeatures", Map.of("values", Map.of("a", 2.0)),
                "FeatureMap", Map.of("named", Map.of("a", 2.0)),
                "SparseVector", Map.of("indices", List.of(3), "values", List.of(2.0)));
        examples.forEach((form, fields) -> {
            byte[] value = example(form, fields);
            String json = json(value);
            if (Set.of("NamedFeatures", "FeatureMap").contains(form)) {
                assertThat(json).contains("\"features\":{\"a\":2.0}");
            }
            FeatureVector expected = decoded(value);
            FeatureVector actual = decoded(json.getBytes(StandardCharsets.UTF_8));
            assertThat(actual.size()).as(form).isEqualTo(expected.size()).isPositive();
            for (int k = 0; k < actual.size(); k++) {
                assertThat(actual.index(k)).as(form).isEqualTo(expected.index(k));
                assertThat(actual.values()[k]).as(form).isEqualTo(expected.values()[k]);
            }
        });
    }

    /** An array was left out by export --values, and a batch in Avro was a line that produce does not read. */
    @Test
    void shouldTakeSeveralExamplesApart() {
        DeadLetterValues values = new DeadLetterValues(registry);
        byte[] array = "[{\"features\": [1]}, 7]".getBytes(StandardCharsets.UTF_8);
        assertThat(values.examples(array)).extracting(String::new).containsExactly("{\"features\": [1]}", "7");
        assertThat(values.json(array)).hasValue("[{\"features\":[1]},null]");

        Schema batch = EventSchemas.schema("ExampleBatch");
        GenericRecord example = new GenericData.Record(schema);
        GenericRecord features = new GenericData.Record(
                schema.getField("features").schema().getTypes().get(0));
        features.put("values", List.of(2.0));
        example.put("id", "e");
        example.put("features", features);
        example.put("weight", 1.0);
        GenericRecord of = new GenericData.Record(batch);
        of.put("examples", List.of(example, example));
        byte[] avro = new EventWriter(batch, registry.register("ExampleBatch", batch)).write(of);
        assertThat(values.examples(avro))
                .hasSize(2)
                .allSatisfy(each -> assertThat(values.json(each))
                        .hasValueSatisfying(json ->
                                assertThat(json).startsWith("{\"id\":\"e\"").contains("\"features\":[2.0]")));
    }

    private FeatureVector decoded(byte[] value) {
        Example example = new Example();
        new InputDecoder(registry).decode(value, Settings.DEFAULTS.hasher(), example);
        return (FeatureVector) example.features();
    }
}
