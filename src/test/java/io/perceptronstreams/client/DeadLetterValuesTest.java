package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.registry.SchemaRegistry;
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
            SchemaRegistry.of(Map.of("schema.registry.url", "mock://dead-letter-values"));
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

    private FeatureVector decoded(byte[] value) {
        Example example = new Example();
        new InputDecoder(registry).decode(value, Settings.DEFAULTS.hasher(), example);
        return (FeatureVector) example.features();
    }
}
