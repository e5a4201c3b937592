package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Python's package avro tells the branches of a union by the names of their fields. */
class PythonAvroTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);

    /** The features of avro_examples.py as JSON. */
    private static final List<String> FEATURES = List.of(
            "[0.5,-2]",
            "{\"indices\":[3,70000],\"values\":[0.5,-2]}",
            "{\"age\":0.3,\"word=thé\":1}",
            "{}",
            "{\"tokens\":[[\"w=the\"],[\"w=dog\",\"w=dog\"]]}",
            "{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":1}},{\"output\":\"b\",\"features\":{\"g\":2}}]}");

    // A dictionary {"values": {"age": 0.3}} is taken for a DenseVector and refused; FeatureMap has a field name of its
    // own.
    @Test
    void shouldReadEveryKindOfFeaturesFromPython() throws Exception {
        Optional<String> python = python();
        assumeTrue(python.isPresent(), "skipped: needs python3 with the package avro (Debian: python3-avro)");
        List<String> lines = run(python.get(), "src/test/python/avro_examples.py", "schemas/Example.avsc")
                .lines()
                .toList();
        assertThat(lines).hasSameSizeAs(FEATURES);
        try (SchemaRegistry registry = SchemaRegistry.InMemory.named("python", true)) {
            int id = registry.register("e", EventSchemas.schema("Example"));
            InputDecoder decoder = new InputDecoder(registry);
            for (int k = 0; k < FEATURES.size(); k++) {
                String json = "{\"id\":\"" + k + "\",\"label\":1,\"features\":" + FEATURES.get(k) + "}";
                assertThat(decoded(decoder, value(id, lines.get(k))))
                        .as(json)
                        .isEqualTo(decoded(decoder, json.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private static byte[] value(int id, String hex) {
        byte[] avro = HexFormat.of().parseHex(hex);
        byte[] value = new byte[WireFormat.HEADER + avro.length];
        WireFormat.writeHeader(value, id);
        System.arraycopy(avro, 0, value, WireFormat.HEADER, avro.length);
        return value;
    }

    private static List<Object> decoded(InputDecoder decoder, byte[] value) {
        Example example = new Example();
        decoder.decode(value, HASHER, example);
        return List.of(example.id().toString(), example.label(), example.weight(), FeatureText.of(example.features()));
    }

    /** A python3 that has avro: Debian's packages are those of /usr/bin/python3 only. */
    private static Optional<String> python() {
        return List.of("python3", "/usr/bin/python3").stream()
                .filter(python -> {
                    try {
                        return run(python, "-c", "import avro.io; print('found')")
                                .equals("found\n");
                    } catch (IOException | AssertionError e) {
                        return false;
                    }
                })
                .findFirst();
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor()).as(output).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return output;
    }
}
