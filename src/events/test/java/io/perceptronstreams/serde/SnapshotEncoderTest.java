package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventEncoder.Origin;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

final class SnapshotEncoderTest {
    private static final List<Map<String, String>> SETTINGS = List.of(
            Map.of(),
            Map.of("predict", "averaged", "scale", "standard"),
            Map.of("algorithm", "arow"),
            Map.of("algorithm", "multiclass", "predict", "averaged", "classes.max", "5000"),
            Map.of("algorithm", "sequence", "predict", "averaged"),
            Map.of("algorithm", "structured"),
            Map.of("kernel", "linear"),
            Map.of("kernel", "rbf(g=0.5)", "budget", "50", "budget.policy", "random"),
            Map.of("predict", "voted"),
            Map.of("comparator", "3"));

    private static final List<Map<String, String>> SURE = List.of(
            Map.of("calibrate", "platt", "coverage", "0.9"),
            Map.of("calibrate", "platt", "algorithm", "multiclass", "classes.max", "5000"));

    private static final Origin ORIGIN = new Origin(3, 4_000_000_000L);

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("snapshot-encoder", true);
    private final Schema schema = EventSchemas.schema(Topic.WEIGHTS);
    private final int id = registry.register("s", schema);
    private final EventReader<WeightsSnapshot> reader = EventReader.of(WeightsSnapshot.class, registry);

    // what is written without probabilities, of which an empty list has come
    private final EventWriter writer = new EventWriter(
            new Schema.Parser()
                    .parse(schema.toString().replaceFirst(",\\{\"name\":\"calibration\".*?\"default\":\\[]}", "")),
            id);

    private SnapshotEncoder encoder(boolean isJson) {
        return new SnapshotEncoder(id, isJson);
    }

    private List<byte[]> chunks(Model model, boolean isJson) {
        List<byte[]> chunks = new ArrayList<>();
        assertThat(encoder(isJson).encode(model, ORIGIN, false, (chunk, number) -> chunks.add(number, chunk)))
                .isEqualTo(chunks.size());
        return chunks;
    }

    // A replay does not send a snapshot, but the number of its chunks is part of the model's state.
    @SeededTest
    void shouldCountTheChunksThatItEncodes(long seed) {
        for (Map<String, String> settings :
                Stream.concat(SETTINGS.stream(), SURE.stream()).toList()) {
            Random random = new Random(seed);
            Model model = new Model();
            model.configure(settings);
            int width = 1 + (int) Math.exp(random.nextDouble() * Math.log(15_000));
            for (int k = 0; k < 8; k++) {
                learn(model, settings, random, width);
                for (boolean isJson : k % 4 == 3 ? new boolean[] {false, true} : new boolean[] {false}) {
                    List<byte[]> chunks = chunks(model, isJson);
                    assertThat(encoder(isJson).count(model))
                            .as("seed %d, %s, width %d, JSON %b", seed, settings, width, isJson)
                            .isEqualTo(chunks.size());
                    assertThat(chunks).allMatch(chunk -> chunk.length < WeightsChunk.MAX_BYTES);
                }
            }
        }
    }

    // The chunks are those of the encoder that did not cut them one by one.
    @Test
    void shouldWriteTheBytesOfEarlierVersions() {
        List<String> digests = new ArrayList<>();
        for (Map<String, String> settings : SETTINGS) {
            Random random = new Random(7);
            Model model = new Model();
            model.configure(settings);
            for (int k = 0; k < 8; k++) {
                learn(model, settings, random, 5_000);
            }
            for (boolean isJson : new boolean[] {false, true}) {
                List<byte[]> chunks = chunks(model, isJson).stream()
                        .map(chunk -> withoutSettings(chunk, model, isJson))
                        .toList();
                digests.add(chunks.size() + " " + digest(chunks));
            }
        }
        assertThat(digests)
                .containsExactly(
                        "1 67e01c22bb403e0a",
                        "2 c5c47583560dac74",
                        "4 9de4d1cc6287eec8",
                        "11 ccda3041bdeb25ef",
                        "4 44cc80423f1f48b6",
                        "12 cbc192403cd2c641",
                        "9 df2ba9704dfdd437",
                        "31 a16f7eb0a6605c6a",
                        "7 e4f49fda03aa99b0",
                        "23 b0deab6f50997138",
                        "2 84f04d4f12ea83dd",
                        "5 30d5a4b9a6490980",
                        "1 1a9107d7909bf502",
                        "2 585af82e25bd92d6",
                        "2 d42ec17e58c814c6",
                        "7 e6b172e2726274fb",
                        "1 1a9107d7909bf502",
                        "2 585af82e25bd92d6",
                        "1 2d9a0e0cf5037977",
                        "2 4c07ad218daf06be");
    }

    /** What is imported goes on with the bits of what was exported. */
    @SeededTest
    void shouldGiveAllThatProbabilitiesAreMadeFrom(long seed) {
        for (Map<String, String> settings : SURE) {
            for (boolean isJson : new boolean[] {false, true}) {
                Random random = new Random(seed);
                Model model = new Model();
                model.configure(settings);
                for (int k = 0; k < 60; k++) {
                    learn(model, settings, random, k < 8 ? 15_000 : 20);
                }
                List<WeightsChunk> read = chunks(model, isJson).stream()
                        .map(chunk -> SnapshotDecoder.chunk(reader.read(chunk)))
                        .toList();
                assertThat(read).hasSizeGreaterThan(1);
                assertThat(read.get(0).calibration()).hasSize(33);
                assertThat(read.subList(1, read.size())).allMatch(chunk -> chunk.calibration().length == 0);
                ModelBuilder builder = new ModelBuilder(read.get(0).header());
                read.forEach(builder::add);
                Model imported = builder.finish();

                assertThat(imported.current().calibrationNumbers())
                        .isEqualTo(model.current().calibrationNumbers())
                        .hasSize(33);
                Random both = new Random(seed);
                for (int k = 0; k < 20; k++) {
                    Example example = new Example();
                    fill(example.vector(), both, 20);
                    Outcome expected = model.evaluate(copy(example));
                    Outcome outcome = imported.evaluate(example);
                    assertThat(outcome.millionths())
                            .isEqualTo(expected.millionths())
                            .isPositive();
                    assertThat(outcome.labelSet()).isEqualTo(expected.labelSet());
                }
            }
        }
    }

    private static Example copy(Example example) {
        Example copy = new Example();
        copy.vector().resetSparse();
        for (int k = 0; k < example.vector().size(); k++) {
            copy.vector().append(example.vector().index(k), example.vector().values()[k]);
        }
        return copy;
    }

    /** A chunk without the settings, of which there are more in each version, and without what only a name brings. */
    private byte[] withoutSettings(byte[] chunk, Model model, boolean isJson) {
        WeightsSnapshot snapshot = reader.read(chunk);
        assertThat(snapshot.getSettings()).isEqualTo(model.pipeline().shown());
        if (isJson) {
            String text = new String(chunk, StandardCharsets.ISO_8859_1);
            return text.replaceFirst("\"settings\":\\{[^}]*}", "")
                    .replace(",\"calibration\":[]", "")
                    .replace(",\"emitted\":null,\"lastEpoch\":null,\"countsSince\":null", "")
                    .getBytes(StandardCharsets.ISO_8859_1);
        }
        snapshot.setSettings(Map.of());
        byte[] written = writer.write(snapshot);
        // the last fields
        int end = written.length - 3;
        assertThat(Arrays.copyOfRange(written, end, written.length)).containsOnly(0);
        return Arrays.copyOf(written, end);
    }

    private static String digest(List<byte[]> chunks) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            chunks.forEach(digest::update);
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void learn(Model model, Map<String, String> settings, Random random, int width) {
        Example example = new Example();
        example.id().set("x");
        String algorithm = settings.getOrDefault("algorithm", "");
        switch (algorithm) {
            case "sequence" -> {
                List<String> tags = new ArrayList<>();
                example.sequence().clear();
                for (int token = 0; token < 20; token++) {
                    fill(example.sequence().append(), random, width / 20);
                    tags.add("täg" + random.nextInt(40));
                }
                example.setFeatures(example.sequence());
                example.setLabel(new Label.Tags(tags));
            }
            case "structured" -> {
                example.candidates().clear();
                for (int k = 0; k < 3; k++) {
                    fill(example.candidates().append("candidate " + k), random, width / 3);
                }
                example.setFeatures(example.candidates());
                example.setLabel(new Label.ClassName("candidate " + random.nextInt(3)));
            }
            default -> {
                fill(example.vector(), random, width);
                example.setFeatures(example.vector());
                example.setLabel(
                        algorithm.equals("multiclass")
                                ? new Label.ClassName("class ß" + random.nextInt(3000))
                                : Label.of(2 * random.nextInt(2) - 1));
            }
        }
        example.setWeight(1);
        try {
            model.process(example, 0);
        } catch (RejectedException e) {
            // too many numbers for a support vector
        }
    }

    private static void fill(FeatureVector x, Random random, int size) {
        x.resetSparse();
        int index = 0;
        for (int k = 0; k < size; k++) {
            index += 1 + random.nextInt(random.nextInt(50) == 0 ? 5000 : 3);
            x.append(index, random.nextInt(3) == 0 ? 1 : random.nextGaussian());
        }
    }
}
