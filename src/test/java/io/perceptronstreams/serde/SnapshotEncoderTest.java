package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.EventEncoder.Origin;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.util.Utf8;
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

    private static final Origin ORIGIN = new Origin(3, 4_000_000_000L);

    private static SnapshotEncoder encoder(boolean isJson) {
        return new SnapshotEncoder(7, isJson);
    }

    private static List<byte[]> chunks(Model model, boolean isJson) {
        List<byte[]> chunks = new ArrayList<>();
        assertThat(encoder(isJson).encode(model, ORIGIN, chunks::add)).isEqualTo(chunks.size());
        return chunks;
    }

    // A replay does not send a snapshot, but the number of its chunks is part of the model's state.
    @SeededTest
    void shouldCountTheChunksThatItEncodes(long seed) {
        for (Map<String, String> settings : SETTINGS) {
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

    // Settings that came after the digests.
    private static final List<String> LATER = List.of(
            "await.labels.ms",
            "await.examples.ms",
            "await.labels.max",
            "label.default",
            "dedupe.last",
            "h.positive",
            "h.negative",
            "class.weights",
            "threshold",
            "crosses",
            "crosses.max",
            "namespaces.ignore",
            "namespaces.keep",
            "loss",
            "rate",
            "normalised",
            "implicit",
            "average.halflife",
            "confidence",
            "auc.window",
            "explain",
            "window.examples");

    // The digests are those of the chunks before they were encoded one by one.
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
                        .map(chunk -> withoutNames(chunk, isJson))
                        .toList();
                digests.add(chunks.size() + " " + digest(chunks));
            }
        }
        assertThat(digests)
                .containsExactly(
                        "1 650ec8e7402d5d59",
                        "2 7baed23fa45b53be",
                        "4 199556e06322a814",
                        "11 58a4bcdc0251707f",
                        "4 43d4686d0cc9febe",
                        "12 60f6b6a8ab1e4e5f",
                        "9 ac1b83f6c477ab47",
                        "31 06ddc125da8104d9",
                        "7 efc537515a577a4d",
                        "23 209f3dcad7be277f",
                        "2 6b3f4737b9b0a0ac",
                        "5 6ef9a7c300817847",
                        "1 ace3555c133d5f06",
                        "2 39285d87791f3332",
                        "2 1979f65c78b0c4cb",
                        "7 815307e70f67ec92",
                        "1 86848fe3d3e5e43d",
                        "2 f7d304dbf7aa2fc6",
                        "1 1e4b2518acfe69bd",
                        "2 d401b1a59f582286");
    }

    /** Removes the setting names.max and the empty names of features, which earlier versions did not have. */
    private static byte[] withoutNames(byte[] chunk, boolean isJson) {
        String text = new String(chunk, StandardCharsets.ISO_8859_1);
        text = isJson ? inEarlierOrder(text) : text;
        int settings = Settings.DEFAULTS.toMap().size();
        for (String name : LATER) {
            String value = Settings.DEFAULTS.toMap().get(name);
            text = isJson
                    ? text.replace(",\"" + name + "\":\"" + value + "\"", "")
                    : text.replace((char) (2 * name.length()) + name + (char) (2 * value.length()) + value, "");
        }
        // in Avro counts and lengths are doubled
        String earlier = isJson
                ? text.replace("\"names.max\":\"10000\",", "").replace(",\"featureNames\":[]}", "}")
                : text.substring(0, text.length() - 1)
                        .replace("\022names.max\01210000", "")
                        .replace(
                                (char) (2 * settings) + "\022algorithm",
                                (char) (2 * (settings - 1 - LATER.size())) + "\022algorithm");
        return earlier.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Orders settings as a HashMap of at most 48 has them, from which JSON takes them; a larger one has another order. */
    private static String inEarlierOrder(String text) {
        int from = text.indexOf("\"settings\":{") + "\"settings\":{".length();
        int to = text.indexOf('}', from);
        Map<String, String> present = new HashMap<>();
        for (String each : text.substring(from, to).split(",(?=\"[a-z.]+\":)", -1)) {
            present.put(each.substring(1, each.indexOf("\":")), each);
        }
        Map<Utf8, String> ordered = new HashMap<>(64);
        for (String name : Settings.DEFAULTS.toMap().keySet()) {
            if (!LATER.contains(name)) {
                ordered.put(new Utf8(name), present.get(name));
            }
        }
        return text.substring(0, from) + String.join(",", ordered.values()) + text.substring(to);
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
