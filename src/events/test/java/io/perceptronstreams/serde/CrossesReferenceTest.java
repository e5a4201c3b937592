package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Crosses, ignored and kept namespaces against what {@code src/test/python/crosses.py} computes, in Avro and in JSON.
 */
class CrossesReferenceTest {
    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("crosses", true);
    private final InputDecoder decoder = new InputDecoder(registry);
    private final Example example = new Example();
    private final int id = registry.register("e", EventSchemas.schema("Example"));

    @AfterEach
    void close() {
        registry.close();
    }

    @Test
    void shouldGiveTheFeaturesOfAnIndependentComputation() throws IOException {
        int crossed = 0;
        for (JsonNode test : cases()) {
            FeatureHasher hasher = hasher(test.get("settings"));
            Map<Integer, Double> expected = new TreeMap<>();
            test.get("expected")
                    .forEach(each ->
                            expected.put(each.get(0).intValue(), each.get(1).doubleValue() + 0.0));
            crossed += expected.size() > 9 ? 1 : 0;
            JsonNode features = features(test);
            String json = "{\"id\":\"7\",\"label\":1,\"features\":" + features + "}";
            JsonExampleReader reader = new JsonExampleReader();
            byte[] utf8 = json.getBytes(StandardCharsets.UTF_8);
            reader.readExample(utf8, 0, utf8.length);
            GenericRecord record = reader.record("7");

            decoder.decode(AvroBytes.of(id, record), hasher, example);
            assertThat(features()).as("Avro: %s", test).isEqualTo(expected);
            decoder.decode(AvroBytes.inBlocks(id, record), hasher, example);
            assertThat(features()).as("Avro in blocks: %s", test).isEqualTo(expected);
            decoder.decode(utf8, hasher, example);
            assertThat(features()).as("JSON: %s", test).isEqualTo(expected);
        }
        assertThat(crossed).isGreaterThan(50);
    }

    // Three factors of which the products round differently in different orders.
    @Test
    void shouldGiveTheSameBitsInAnyOrderOfTheFeatures() {
        FeatureHasher hasher = Settings.DEFAULTS
                .with(Map.of("crosses", "user*item*hour,*****", "hash.bits", "6"))
                .hasher();
        Random random = new Random(5);
        List<String> names = new ArrayList<>();
        Map<String, Double> values = new HashMap<>();
        for (String name : List.of("user^a", "user^b", "item^a", "item^b", "hour^1", "x", "y")) {
            names.add(name);
            values.put(name, random.nextGaussian());
        }
        String first = null;
        for (int round = 0; round < 50; round++) {
            Collections.shuffle(names, random);
            Map<String, Double> shuffled = new LinkedHashMap<>();
            names.forEach(name -> shuffled.put(name, values.get(name)));
            decoder.decode(
                    AvroBytes.of(id, new io.perceptronstreams.event.Example("7", 1, new NamedFeatures(shuffled), 1.0)),
                    hasher,
                    example);
            String bits = FeatureText.of(example.vector());
            first = first == null ? bits : first;
            assertThat(bits).isEqualTo(first);
        }
    }

    /** Sequences and candidates are not crossed: their learners refuse the settings. */
    @Test
    void shouldLeaveSequencesAndCandidatesAsTheyAre() {
        FeatureHasher plain = new FeatureHasher(18);
        FeatureHasher hasher = Settings.DEFAULTS
                .with(Map.of("crosses", "***", "namespaces.ignore", "a"))
                .hasher();
        byte[] sequence = json("{\"tokens\":[[\"a^1\",\"b^2\"]]}");
        byte[] candidates = json("{\"candidates\":[{\"output\":\"o\",\"features\":{\"a^1\":1,\"b^2\":2}}]}");
        for (FeatureHasher each : List.of(plain, hasher)) {
            decoder.decode(sequence, each, example);
            assertThat(example.sequence().token(0).size()).isEqualTo(2);
            decoder.decode(candidates, each, example);
            assertThat(example.candidates().features(0).size()).isEqualTo(2);
        }
    }

    private static byte[] json(String features) {
        return ("{\"features\":" + features + "}").getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode cases() throws IOException {
        try (InputStream in = CrossesReferenceTest.class.getResourceAsStream("/reference/crosses.json")) {
            return new ObjectMapper().readTree(in);
        }
    }

    private static FeatureHasher hasher(JsonNode settings) {
        Map<String, String> changes = new HashMap<>();
        settings.properties()
                .forEach(each -> changes.put(each.getKey(), each.getValue().textValue()));
        return Settings.DEFAULTS.with(changes).hasher();
    }

    private static JsonNode features(JsonNode test) {
        if (test.has("named")) {
            return test.get("named");
        }
        return test.has("dense")
                ? test.get("dense")
                : new ObjectMapper()
                        .createObjectNode()
                        .<ObjectNode>set("indices", test.get("indices"))
                        .set("values", test.get("values"));
    }

    private Map<Integer, Double> features() {
        FeatureVector x = example.vector();
        Map<Integer, Double> features = new TreeMap<>();
        int last = -1;
        for (int k = 0; k < x.size(); k++) {
            assertThat(x.index(k)).isGreaterThan(last);
            last = x.index(k);
            // 0.0 is -0.0 here
            features.put(last, x.values()[k] + 0.0);
        }
        return features;
    }
}
