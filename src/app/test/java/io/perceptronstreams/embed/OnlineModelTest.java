package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.InputDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An embedded model has the bits of a model of the engine, before and after it was stored. */
final class OnlineModelTest {
    private static final List<String> SETTINGS = List.of(
            "algorithm=auto",
            "algorithm=perceptron predict=averaged",
            "algorithm=perceptron h=1 scale=unit-norm-bias predict=voted",
            "algorithm=pa",
            "algorithm=pa-i labels=no,yes scale=standard",
            "algorithm=pa-ii c=0.5 class.weights=-1:2",
            "algorithm=arow scale=standard",
            "algorithm=scw",
            "algorithm=sgd loss=logistic rate=adagrad normalised=true predict=averaged",
            "algorithm=alma",
            "algorithm=romma",
            "algorithm=pdm",
            "algorithm=kernel kernel=rbf(g=0.5) budget=20",
            "algorithm=multiclass predict=averaged",
            "algorithm=multiclass-pa scale=standard crosses=x0*x1",
            "algorithm=softmax rate=adagrad implicit=true scale=standard predict=averaged");

    private static final List<String> SURE = List.of(
            "algorithm=perceptron calibrate=platt coverage=0.9 threshold=cost:1:5",
            "algorithm=multiclass calibrate=platt coverage=0.8",
            "algorithm=perceptron predict=voted calibrate=platt coverage=0.9",
            "algorithm=kernel kernel=rbf(g=0.5) budget=20 calibrate=platt");

    /** Bytes of models that versions have written; a line {@code settings | Base64} each. */
    private static final Path STORED = Path.of("src/test/resources/embed/models-0.2.0.txt");

    /** The same of versions that have written the weights a second time, readable. */
    private static final Path READABLE = Path.of("src/test/resources/embed/models-readable.txt");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alma",
                "averaged",
                "averaged-003",
                "hinge",
                "margin",
                "margin-inclusive",
                "pdm",
                "perceptron",
                "romma",
                "scw",
                "sgd"
            })
    void shouldGoAsTheGoldenTraceSays(String trace) throws IOException {
        OnlineModel online = null;
        Model engine = null;
        int count = 0;
        for (String line : Files.readAllLines(Path.of("src/test/resources/golden", trace + ".trace"))) {
            if (line.startsWith("settings ")) {
                Map<String, String> settings = settings(line.substring("settings ".length()));
                online = OnlineModel.create(settings);
                engine = new Model();
                engine.configure(settings);
            } else if (!line.startsWith("#") && line.contains("|")) {
                String[] sides = line.split("\\|", -1);
                String[] input = sides[0].trim().split("\\*", -1);
                Sample sample =
                        Sample.parse(input[0].trim()).withWeight(input.length > 1 ? Double.parseDouble(input[1]) : 1);

                LearnResult result = online.learn(example(sample));

                assertSame(result, engine.process(sample.example(), 0));
                String[] expected = sides[1].trim().split(" ", -1);
                assertThat(engine.current().version()).isEqualTo(online.updates());
                assertThat(Integer.parseInt(result.predicted())).isEqualTo(Integer.parseInt(expected[1]));
                assertThat(result.margin() * sample.y)
                        .as(line)
                        .isCloseTo(Double.parseDouble(expected[0]), within(1e-12));
                assertThat(online.toBytes()).isEqualTo(OnlineModel.toBytes(engine));
                count++;
            }
        }
        assertThat(count).isPositive();
    }

    @SeededTest
    void shouldHaveTheBitsOfTheEngineBeforeAndAfterItWasStored(long seed) {
        InputDecoder decoder = new InputDecoder(SchemaRegistry.InMemory.named("none", true));
        for (String each : all()) {
            Map<String, String> settings = settings(each);
            Random random = new Random(seed);
            OnlineModel online = OnlineModel.create(settings);
            Model engine = new Model();
            engine.configure(settings);
            Example record = new Example();
            for (int n = 0; n < 200; n++) {
                double[] x = {random.nextGaussian(), random.nextGaussian(), random.nextInt(3)};
                String label = random.nextInt(8) == 0 ? null : label(settings, x);
                if (n == 70 || n == 71) {
                    online = OnlineModel.fromBytes(online.toBytes());
                }
                byte[] json = json(x, label).getBytes(StandardCharsets.UTF_8);

                var unused = decoder.decode(json, engine.pipeline().hasher(), record);
                assertSame(online.learn(example(x, label)), engine.process(record, 0));
            }
            assertThat(online.toBytes()).as(each).isEqualTo(OnlineModel.toBytes(engine));
            assertThat(online.updates()).as(each).isPositive();
        }
    }

    @Test
    void shouldPredictWithoutAnyChange() {
        for (String each : all()) {
            OnlineModel model = model(each, 50);
            byte[] before = model.toBytes();
            double[] x = {0.5, -2, 1};

            LearnResult predicted = model.predict(example(x, null));

            assertThat(model.toBytes()).as(each).isEqualTo(before);
            LearnResult learned = model.learn(example(x, label(settings(each), x)));
            assertThat(learned.predicted()).as(each).isEqualTo(predicted.predicted());
            assertThat(learned.score()).as(each).isEqualTo(predicted.score());
            assertThat(learned.probability()).as(each).isEqualTo(predicted.probability());
            assertThat(learned.labelSet()).as(each).isEqualTo(predicted.labelSet());
            assertThat(learned.probability() != null).as(each).isEqualTo(SURE.contains(each));
        }
    }

    // -Dgolden.write=true adds what this version writes; bytes of a released version never change
    @Test
    void shouldReadTheBytesOfAllVersionsAndContinue() throws IOException {
        if (Boolean.getBoolean("golden.write")) {
            List<String> lines = new ArrayList<>();
            SETTINGS.forEach(each -> lines.add(each + " | "
                    + Base64.getEncoder().encodeToString(model(each, 50).toBytes())));
            Files.write(STORED, lines);
        }
        assertThat(Files.readAllLines(STORED)).hasSameSizeAs(SETTINGS);
        shouldContinue(STORED);
        shouldContinue(READABLE);
    }

    private static void shouldContinue(Path stored) throws IOException {
        for (String line : Files.readAllLines(stored)) {
            String[] parts = line.split(" \\| ", -1);
            OnlineModel continued = OnlineModel.fromBytes(Base64.getDecoder().decode(parts[1]));
            learn(continued, parts[0], 50, 80);

            assertThat(continued.toBytes())
                    .as(parts[0])
                    .isEqualTo(model(parts[0], 80).toBytes());
        }
    }

    /** A position of two bytes and a double for each weight; a second, readable one took 19 bytes more. */
    @Test
    void shouldStoreEachWeightOnce() {
        OnlineModel model = OnlineModel.create(Map.of("algorithm", "perceptron"));
        int empty = model.toBytes().length;
        double[] x = new double[10_000];
        Arrays.fill(x, 0.1);
        model.learn(LearnExample.of("a").features(x).label(1));

        assertThat(model.toBytes().length - empty).isBetween(10_000 * 8, 10_000 * 11);
    }

    @ParameterizedTest
    @CsvSource({
        "algorithm, adaptive, auto or the name of a learner",
        "drift, ddm, none",
        "portfolio, true, false",
        "class.weights, balanced, none or a weight for each class",
        "await.labels.ms, 5, 0",
        "dedupe.last, 5, 0"
    })
    void shouldRefuseSettingsThatNeedAStream(String name, String value, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OnlineModel.create(Map.of(name, value)))
                .withMessage(name + " must be " + rule + " in an embedded model, got " + value
                        + " (a model of the engine can have it)");
    }

    @Test
    void shouldNotChangeWhenAnExampleIsRefused() {
        OnlineModel model = model("algorithm=pa-i", 20);
        byte[] before = model.toBytes();

        for (LearnExample wrong : List.of(
                LearnExample.of("a").label(1).feature("x0", Double.NaN),
                LearnExample.of("a").label("maybe").feature("x0", 1),
                LearnExample.of("a").label(1).feature(-1, 1),
                LearnExample.of("a").label(1).feature("x0", 1).weight(0))) {
            assertThatThrownBy(() -> model.learn(wrong)).isInstanceOf(RejectedException.class);
        }

        assertThat(model.toBytes()).isEqualTo(before);
        assertThat(model.examples()).isEqualTo(20);
    }

    @Test
    void shouldNotStoreACorruptModel() {
        Model corrupt = new Model();
        corrupt.quarantine();

        assertThatIllegalStateException()
                .isThrownBy(() -> OnlineModel.toBytes(corrupt))
                .withMessageStartingWith("a model must have all of its weights to be stored");
    }

    @Test
    void shouldLearnTagsAndStoreThem() {
        OnlineModel tagger = OnlineModel.create(Map.of("algorithm", "sequence", "predict", "averaged"));
        for (int k = 0; k < 20; k++) {
            var unused = tagger.learn(LearnExample.of("s" + k)
                    .tags(k % 2 == 0 ? "A" : "B", "C")
                    .token("w=" + k % 2)
                    .token("last"));
        }
        LearnExample open = LearnExample.of("open").token("w=1").token("last");

        assertThat(tagger.predict(open).predicted()).isEqualTo("[B, C]");
        OnlineModel restored = OnlineModel.fromBytes(tagger.toBytes());
        assertThat(restored.predict(open)).isEqualTo(tagger.predict(open));
        assertThat(restored.toBytes()).isEqualTo(tagger.toBytes());
    }

    @Test
    void shouldRefuseFeaturesOfTwoKinds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LearnExample.of("a").feature("x", 1).feature(3, 1))
                .withMessage("features of an example must all have names, or all have indices, or be one dense vector,"
                        + " tokens or candidates, got 3 after another kind (example 'a')");
    }

    @Test
    void shouldRefuseBytesThatAreNoCompleteModel() {
        byte[] bytes = model("algorithm=arow", 20).toBytes();
        byte[] text = "{}".getBytes(StandardCharsets.UTF_8);

        for (byte[] wrong : List.of(new byte[0], text, Arrays.copyOf(bytes, bytes.length - 20))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> OnlineModel.fromBytes(wrong))
                    .withMessageStartingWith(
                            "bytes must be those of OnlineModel.toBytes() or of perceptron weights export");
        }
    }

    @Test
    void shouldMoveToTheEngineAndBack(@TempDir Path directory) throws IOException {
        byte[] bytes = model("algorithm=multiclass-pa scale=standard", 50).toBytes();

        Model imported = WeightsFile.readModel(Files.write(directory.resolve("embedded.avro"), bytes));
        Path exported = directory.resolve("exported.avro");
        WeightsFile.write(imported, exported);

        assertThat(OnlineModel.fromBytes(Files.readAllBytes(exported)).toBytes())
                .isEqualTo(bytes);
    }

    private static List<String> all() {
        return Stream.concat(SETTINGS.stream(), SURE.stream()).toList();
    }

    private static void assertSame(LearnResult result, Outcome outcome) {
        assertThat(result.probability()).isEqualTo(outcome.hasProbability() ? outcome.probability() : null);
        assertThat(result.labelSet())
                .isEqualTo(
                        outcome.labelSet() == null
                                ? null
                                : outcome.labelSet().stream()
                                        .map(Object::toString)
                                        .toList());
        assertThat(result.predicted())
                .isEqualTo(
                        outcome.predicted() == null ? null : outcome.predicted().toString());
        assertThat(List.of(result.score(), result.margin(), result.isError(), result.isUpdated()))
                .isEqualTo(List.of(outcome.predictedScore(), outcome.margin(), outcome.isError(), outcome.isUpdated()));
    }

    private static OnlineModel model(String settings, int examples) {
        OnlineModel model = OnlineModel.create(settings(settings));
        learn(model, settings, 0, examples);
        return model;
    }

    /** Learns the examples from {@code first} to {@code end - 1} of a stream without chance. */
    private static void learn(OnlineModel model, String settings, int first, int end) {
        for (int n = first; n < end; n++) {
            double[] x = {n * 7 % 11 - 5, n * 3 % 7 - 3, n % 3};
            var unused = model.learn(example(x, label(settings(settings), x)));
        }
    }

    private static String label(Map<String, String> settings, double... x) {
        boolean isPositive = x[0] + x[1] > 0.3;
        if (settings.get("algorithm").startsWith("multiclass")) {
            return x[2] == 2 ? "other" : isPositive ? "up" : "down";
        }
        return settings.containsKey("labels") ? isPositive ? "yes" : "no" : isPositive ? "1" : "-1";
    }

    private static LearnExample example(double[] x, String label) {
        LearnExample example = LearnExample.of("e");
        for (int k = 0; k < x.length; k++) {
            example.feature("x" + k, x[k]);
        }
        if (label != null && label.endsWith("1")) {
            return example.label(Integer.parseInt(label));
        }
        return label == null ? example : example.label(label);
    }

    private static LearnExample example(Sample sample) {
        LearnExample example = LearnExample.of("e").label(sample.y).weight(sample.weight);
        for (int k = 0; k < sample.indices.length; k++) {
            example.feature(sample.indices[k], sample.values[k]);
        }
        return example;
    }

    private static String json(double[] x, String label) {
        String value = label == null ? "null" : label.endsWith("1") ? label : '"' + label + '"';
        return "{\"id\":\"e\",\"label\":" + value + ",\"features\":{\"x0\":" + x[0] + ",\"x1\":" + x[1] + ",\"x2\":"
                + x[2] + "}}";
    }

    private static Map<String, String> settings(String words) {
        Map<String, String> settings = new HashMap<>();
        for (String word : words.split(" ", -1)) {
            settings.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
        }
        return settings;
    }
}
