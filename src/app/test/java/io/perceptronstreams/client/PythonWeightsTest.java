package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.InputDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code clients/python/perceptron_weights.py} predicts as the engine does, bit for bit. */
class PythonWeightsTest {
    private static final Path PYTHON = Path.of("/usr/bin/python3");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TRAINED = 500;
    private static final int PREDICTED = 1_000;

    private final Example example = new Example();
    private final InputDecoder decoder =
            new InputDecoder(SchemaRegistries.of(Map.of("schema.registry.url", "mock://python-weights")));

    @TempDir
    Path folder;

    @BeforeEach
    void requirePython() {
        assumeTrue(Files.isExecutable(PYTHON), "skipped: needs /usr/bin/python3 (Debian: python3)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "h=1 eta=0.1",
                "predict=averaged",
                "predict=averaged survival.start=0 bias=false",
                "predict=averaged scale=standard",
                "predict=averaged average.halflife=1",
                "scale=unit-norm bias=false",
                "scale=unit-norm-bias h=1 predict=averaged",
                "scale=unit-norm-bias algorithm=sgd normalised=true",
                "scale=unit-norm-bias algorithm=sgd normalised=true rate=adagrad predict=averaged",
                "scale=unit-norm-bias algorithm=alma",
                "scale=unit-norm-bias algorithm=multiclass predict=averaged",
                "scale=unit-norm-bias bias=false",
                "labels=no,yes",
                "threshold=1.5",
                "threshold=-0.5 predict=averaged",
                "threshold=0.01 algorithm=alma",
                "negative.label=0",
                "hash.bits=3 predict=averaged scale=standard",
                "algorithm=pa",
                "algorithm=pa-i c=0.1 predict=averaged",
                "algorithm=pa-ii scale=standard",
                "algorithm=arow",
                "algorithm=scw c=0.1",
                "algorithm=alma",
                "algorithm=romma",
                "algorithm=romma aggressive=true scale=standard",
                "algorithm=pdm alpha=0.2 predict=averaged",
                "algorithm=alma scale=standard",
                "algorithm=sgd predict=averaged",
                "algorithm=sgd loss=hinge normalised=true bias=false",
                "algorithm=sgd rate=adagrad loss=logistic",
                "algorithm=sgd rate=adagrad normalised=true predict=averaged",
                "algorithm=sgd stacked=true loss=hinge",
                "algorithm=sgd stacked=true rate=adagrad implicit=true scale=standard",
                "algorithm=sgd stacked=true normalised=true predict=averaged labels=no,yes threshold=0.2",
                "algorithm=multiclass",
                "algorithm=multiclass predict=averaged",
                "algorithm=multiclass h=1 bias=false scale=unit-norm",
                "algorithm=multiclass-pa predict=averaged scale=standard",
                "algorithm=softmax rate=adagrad scale=standard",
                "algorithm=softmax rate=adagrad implicit=true predict=averaged average.halflife=50",
                "algorithm=multiclass classes=c3,c1,c0,c2,c4,c5,c6,never predict=averaged scale=standard hash.bits=6"
            })
    void shouldPredictEveryBitAsTheEngine(String settings) throws Exception {
        long seed = settings.hashCode();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Model model = new Model();
        model.configure(map(settings));
        int classes = settings.contains("multiclass") ? 7 : settings.contains("labels=") ? -2 : 2;
        for (int n = 0; n < TRAINED; n++) {
            int y = random.nextInt(Math.abs(classes));
            decode(json(n, label(y, classes, settings), features(random, y, 60)), model);
            model.process(example, 0);
        }
        // its label is not known: the next example has no label before, as in a snapshot
        decode(json(TRAINED, "null", "[1]"), model);
        model.process(example, 0);
        assertThat(model.current().version()).isGreaterThan(10);
        assertSameAsPython(model, random);
    }

    @Test
    void shouldReadWeightsOfSeveralChunks() throws Exception {
        Random random = new Random(1);
        Model model = new Model();
        model.configure(map("predict=averaged"));
        for (int n = 0; n < TRAINED; n++) {
            decode(json(n, n % 2 == 0 ? "1" : "-1", features(random, n % 2, 200_000)), model);
            model.process(example, 0);
        }
        assertThat(assertSameAsPython(model, random)).isGreaterThan(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "algorithm=multiclass"})
    void shouldPredictNothingBeforeTheFirstLabel(String settings) throws Exception {
        Model model = new Model();
        model.configure(map(settings));
        decode(json(0, "null", "[1,2]"), model);
        assertThat(model.process(example, 0).predicted()).isNull();
        assertSameAsPython(model, new Random(2));
    }

    @Test
    void shouldRefuseWhatItCannotPredict() throws Exception {
        Model kernel = new Model();
        kernel.configure(map("kernel=rbf(g=1)"));
        decode(json(0, "1", "[1,2]"), kernel);
        kernel.process(example, 0);
        Path weights = folder.resolve("kernel.json");
        WeightsFile.write(kernel, weights);
        assertThat(refusal(weights, ""))
                .isEqualTo(
                        "perceptron_weights.py: algorithm must be one with linear weights, got kernel (predict in the"
                                + " engine)\n");

        for (String rule : List.of("crosses=drink*user", "namespaces.ignore=hour", "namespaces.keep=user")) {
            Model ruled = new Model();
            ruled.configure(map(rule));
            decode(json(0, "1", "{\"user^a\":1,\"drink^b\":1}"), ruled);
            ruled.process(example, 0);
            WeightsFile.write(ruled, weights);
            assertThat(refusal(weights, ""))
                    .isEqualTo("perceptron_weights.py: " + rule.replace("=", " must be empty, got ")
                            + " (predict in the engine)\n");
        }

        Model model = new Model();
        decode(json(0, "1", "[1,2]"), model);
        model.process(example, 0);
        Path whole = folder.resolve("whole.json");
        WeightsFile.write(model, whole);
        String text = Files.readString(whole);
        Path part = folder.resolve("part.json");
        Files.writeString(part, text.replace("\"chunks\":1", "\"chunks\":2"));
        assertThat(refusal(part, "")).contains("must have the chunks 0 to 1 of one snapshot, in order");
        Files.writeString(
                part, text.replaceAll("\"state\":\\{.*\\},\"featureNames\"", "\"state\":null,\"featureNames\""));
        assertThat(refusal(part, "")).contains("got readable weights only (export without --limit)");
        Files.writeString(part, "{\"model\":\"m\"}\n");
        assertThat(refusal(part, "")).contains("must have a WeightsSnapshot on each line");

        assertThat(refusal(whole, "{\"features\":[1e200,1]}")).contains("must be finite, got an overflow");
        assertThat(refusal(whole, "{\"features\":[NaN]}")).contains("feature values must be finite, got nan");
        assertThat(refusal(whole, "{\"features\":{\"indices\":[2,1],\"values\":[1,1]}}"))
                .contains("indices must be >= 0 and ascend");
    }

    /**
     * Predicts without labels, which changes no more than the statistics of scale=standard; returns the number of
     * chunks.
     */
    private long assertSameAsPython(Model model, Random random) throws Exception {
        Path weights = folder.resolve("weights.json");
        WeightsFile.write(model, weights);
        StringBuilder input = new StringBuilder();
        List<String> expected = new ArrayList<>();
        Map<Object, Integer> labels = new HashMap<>();
        for (int n = 0; n < PREDICTED; n++) {
            String json = json(n, "null", features(random, random.nextInt(7), n % 3 == 0 ? 200_000 : 60));
            decode(json, model);
            Outcome outcome = model.process(example, 0);
            expected.add(n + " " + outcome.predicted() + " " + bits(outcome.predictedScore()));
            labels.merge(String.valueOf(outcome.predicted()), 1, Integer::sum);
            input.append(json).append('\n');
        }
        assertThat(labels.size()).isGreaterThan(model.counts().totals().labelled() == 0 ? 0 : 1);
        List<String> actual = new ArrayList<>();
        for (String line : run(0, weights, input.toString()).lines().toList()) {
            JsonNode prediction = JSON.readTree(line);
            actual.add(prediction.get("id").asText() + " "
                    + prediction.get("predicted").asText() + " "
                    + bits(prediction.get("score").doubleValue()));
        }
        assertThat(actual).isEqualTo(expected);
        return Files.readAllLines(weights).size();
    }

    private static String bits(double score) {
        return Long.toHexString(Double.doubleToRawLongBits(score));
    }

    private void decode(String json, Model model) {
        decoder.decode(json.getBytes(StandardCharsets.UTF_8), model.pipeline().hasher(), example);
    }

    private static String json(int id, String label, String features) {
        return "{\"id\":\"" + id + "\",\"label\":" + label + ",\"features\":" + features + "}";
    }

    private static String label(int y, int classes, String settings) {
        return classes == 7
                ? "\"c" + y + "\""
                : classes < 0
                        ? (y == 0 ? "\"no\"" : "\"yes\"")
                        : settings.contains("negative.label=0") || y == 1 ? "" + y : "-1";
    }

    /** Dense, sparse or named features with texts, booleans and names beyond ASCII; the label shows in some. */
    private static String features(Random random, int y, int range) {
        int kind = random.nextInt(3);
        if (kind == 0) {
            List<Double> values = new ArrayList<>();
            for (int k = 0; k < 8; k++) {
                values.add(value(random) + (k == y ? 1 : 0));
            }
            return values.toString();
        }
        Map<Integer, Double> sparse = new TreeMap<>();
        Map<String, Object> named = new TreeMap<>(Map.of("city", "Zürich 東京 𝄞" + y, "is tall", random.nextBoolean()));
        for (int k = random.nextInt(range > 60 ? 200 : 20); k >= 0; k--) {
            int index = random.nextInt(range);
            sparse.put(index, value(random));
            named.put("é".repeat(index % 4) + "name " + index, random.nextInt(9) == 0 ? index : value(random));
        }
        try {
            return JSON.writeValueAsString(
                    kind == 1 ? Map.of("indices", sparse.keySet(), "values", sparse.values()) : named);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static double value(Random random) {
        return random.nextInt(10) == 0 ? 0 : random.nextGaussian() * Math.pow(10, random.nextInt(4) - 2);
    }

    private static Map<String, String> map(String settings) {
        Map<String, String> map = new HashMap<>();
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(" ")) {
            map.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        return map;
    }

    private String refusal(Path weights, String input) throws Exception {
        return run(1, weights, input);
    }

    private String run(int status, Path weights, String input) throws Exception {
        Path in = Files.writeString(folder.resolve("input.jsonl"), input);
        Process process = new ProcessBuilder(
                        PYTHON.toString(), "clients/python/perceptron_weights.py", weights.toString())
                .redirectInput(in.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return output;
    }
}
