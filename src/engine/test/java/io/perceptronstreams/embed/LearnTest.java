package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineDriver;
import io.perceptronstreams.topology.UndoableStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Learn} in a topology has the bits of the model without Kafka, which has those of the engine. */
final class LearnTest {
    private static final String STORE = "fraud-models";

    @Test
    void shouldLearnInAnotherTopologyAsWithoutKafka() {
        LearningApplication.Expected expected = LearningApplication.Expected.of(60);
        Map<Bytes, byte[]> stored = new HashMap<>();
        Map<String, List<String>> results = new HashMap<>();

        // the second one begins with the store of the first, as a task does that has moved; an example waits
        run(0, 26, stored, results);
        run(26, 60, stored, results);

        assertThat(results).isEqualTo(expected.results());
        UndoableStore store = new UndoableStore();
        stored.forEach(store::put);
        assertThat(expected.models()).hasSize(3);
        expected.models()
                .forEach((name, bytes) ->
                        assertThat(Learn.toBytes(store, name)).as(name).isEqualTo(bytes));
    }

    private static void run(int first, int end, Map<Bytes, byte[]> stored, Map<String, List<String>> results) {
        try (TopologyTestDriver driver = new TopologyTestDriver(LearningApplication.topology(""), new Properties())) {
            KeyValueStore<Bytes, byte[]> store = driver.getKeyValueStore(STORE);
            restore(stored, store);
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic(LearningApplication.INPUT, new StringSerializer(), new IntegerSerializer());
            TestOutputTopic<String, String> output = driver.createOutputTopic(
                    LearningApplication.OUTPUT, new StringDeserializer(), new StringDeserializer());
            for (int number = first; number < end; number++) {
                input.pipeInput(LearningApplication.key(number), number, 1000L + number);
                var record = output.readRecord();
                assertThat(record.timestamp()).isEqualTo(1000L + number);
                results.computeIfAbsent(record.key(), unused -> new ArrayList<>())
                        .add(record.value());
            }
            assertThat(output.isEmpty()).isTrue();
            copy(store, stored);
        }
    }

    private static void restore(Map<Bytes, byte[]> from, KeyValueStore<Bytes, byte[]> to) {
        from.forEach(to::put);
        from.clear();
    }

    private static void copy(KeyValueStore<Bytes, byte[]> from, Map<Bytes, byte[]> to) {
        try (KeyValueIterator<Bytes, byte[]> all = from.all()) {
            all.forEachRemaining(each -> to.put(each.key, each.value));
        }
    }

    @SeededTest
    void shouldLearnLateLabelsWithTheBitsOfTheEngine(long seed, @TempDir Path directory) {
        Map<String, String> settings = new HashMap<>(Map.of("await.labels.ms", "60"));
        List<Map<String, String>> learners = List.of(
                Map.of("algorithm", "pa-i", "scale", "standard"),
                Map.of("algorithm", "perceptron", "predict", "averaged", "labels", "no,yes", "label.default", "no"),
                Map.of(
                        "algorithm",
                        "multiclass-pa",
                        "scale",
                        "standard",
                        "label.default",
                        "yes",
                        "await.labels.max",
                        "5"),
                Map.of("algorithm", "kernel", "kernel", "rbf(g=0.5)"),
                Map.of("algorithm", "pa", "dedupe.last", "20"),
                Map.of("algorithm", "sgd", "drift", "adwin", "drift.action", "reset", "drift.delta", "0.5"),
                Map.of("algorithm", "arow", "class.weights", "balanced", "labels", "no,yes"),
                Map.of("portfolio", "true", "labels", "no,yes"),
                Map.of("algorithm", "adaptive"),
                Map.of("algorithm", "pa", "calibrate", "platt", "coverage", "0.9", "threshold", "cost:1:5"),
                Map.of("portfolio", "true", "calibrate", "platt", "coverage", "0.9", "alerts.max", "20/hour"));
        Random random = new Random(seed);
        settings.put("await.examples.ms", random.nextInt(3) == 0 ? "0" : "40");
        settings.putAll(learners.get(random.nextInt(learners.size())));
        boolean isNamed =
                settings.containsKey("labels") || settings.get("algorithm").startsWith("multi");
        StreamsBuilder builder = new StreamsBuilder();
        List<LearnInput> inputs = new ArrayList<>();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(inputs::get)
                .process(Learn.with(settings).named("fraud"));
        try (EngineDriver engine = new EngineDriver(directory);
                TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + json(settings) + "}", 0);
            long time = 1000;
            int refused = 0;
            for (int n = 0; n < 300; n++) {
                time += random.nextInt(10);
                String id = "e" + (n - random.nextInt(12));
                boolean isYes = random.nextBoolean();
                String label = isNamed ? isYes ? "\"yes\"" : "\"no\"" : isYes ? "1" : "-1";
                String json;
                if (random.nextInt(3) == 0) {
                    // some labels come before their examples, some are of the wrong kind
                    id = "e" + (n + 3 - random.nextInt(15));
                    boolean isWrong = random.nextInt(6) == 0;
                    int number = isWrong ? 7 : isYes ? 1 : -1;
                    inputs.add(
                            isNamed && !isWrong ? LearnLabel.of(id, isYes ? "yes" : "no") : LearnLabel.of(id, number));
                    json = "{\"exampleId\":\"" + id + "\",\"label\":" + (isWrong ? number : label) + "}";
                } else {
                    double x = random.nextGaussian() + (isYes ? 1 : -1);
                    boolean isLabelled = random.nextInt(5) == 0;
                    LearnExample example = LearnExample.of(id)
                            .feature("x", x)
                            .feature("y", n % 3)
                            .weight(1 + n % 2);
                    inputs.add(
                            !isLabelled
                                    ? example
                                    : isNamed ? example.label(isYes ? "yes" : "no") : example.label(isYes ? 1 : -1));
                    json = "{\"id\":\"" + id + "\",\"features\":{\"x\":" + x + ",\"y\":" + n % 3 + "},\"weight\":"
                            + (1 + n % 2) + (isLabelled ? ",\"label\":" + label : "") + "}";
                }

                engine.send("m", json, time);

                // those of earlier records are of labels that have waited
                long offset = n + 1L;
                List<String> reasons = engine.records(Topic.DEAD_LETTERS).stream()
                        .map(letter -> DeadLetter.of(letter.headers()))
                        .filter(letter -> letter.sourceOffset() == offset)
                        .map(DeadLetter::reason)
                        .toList();
                try {
                    input.pipeInput("m", n, time);
                    assertThat(reasons).as(json).isEmpty();
                } catch (StreamsException e) {
                    assertThat(reasons)
                            .as(e.getCause().getMessage())
                            .containsExactly(
                                    ((RejectedException) e.getCause()).reason().name());
                    refused++;
                }
            }
            assertThat(refused).isBetween(1, 200);
            requireEqual(driver, engine);
        }
    }

    /** Sequences and candidates, of which some labels come late. */
    @ParameterizedTest
    @ValueSource(strings = {"sequence", "structured"})
    void shouldLearnStructuredOutputsWithTheBitsOfTheEngine(String algorithm, @TempDir Path directory) {
        Map<String, String> settings =
                Map.of("algorithm", algorithm, "await.labels.ms", "50", "predict", "averaged", "dedupe.last", "5");
        StreamsBuilder builder = new StreamsBuilder();
        List<LearnInput> inputs = new ArrayList<>();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(inputs::get)
                .process(Learn.with(settings).named("fraud"))
                .mapValues(LearnResult::toString)
                .to("out", Produced.with(Serdes.String(), Serdes.String()));
        try (EngineDriver engine = new EngineDriver(directory);
                TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + json(settings) + "}", 0);
            boolean isSequence = algorithm.equals("sequence");
            for (int n = 0; n < 120; n++) {
                if (n % 5 == 4) {
                    String id = "e" + (n - 2);
                    inputs.add(isSequence ? LearnLabel.ofTags(id, tags(n - 2)) : LearnLabel.of(id, output(n - 2)));
                } else {
                    LearnExample example = isSequence ? sequence(n) : candidates(n);
                    inputs.add(n % 5 == 2 ? example : isSequence ? example.tags(tags(n)) : example.label(output(n)));
                }
                byte[] json = InputEncoder.json(inputs.get(n));

                engine.send("m", new String(json, StandardCharsets.UTF_8), n);
                input.pipeInput("m", n, n);
            }
            assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
            requireEqual(driver, engine);
            List<String> results = driver.createOutputTopic("out", new StringDeserializer(), new StringDeserializer())
                    .readValuesToList();
            assertThat(results).hasSize(120);
            assertThat(results.get(118)).contains(isSequence ? "predicted=[even, odd]" : "predicted=right");
        }
    }

    private static LearnExample sequence(int n) {
        return LearnExample.of("e" + n).token("w=" + n % 7, "first").token("w=" + n % 7, "p=" + n % 3);
    }

    private static String[] tags(int n) {
        return n % 7 % 2 == 0 ? new String[] {"even", "odd"} : new String[] {"odd", "odd"};
    }

    private static LearnExample candidates(int n) {
        return LearnExample.of("e" + n)
                .candidate("left", Map.of("far", (double) (n % 7)))
                .candidate("right", Map.of("far", (double) (n % 5), "right", 1.0));
    }

    private static String output(int n) {
        return n % 7 > n % 5 ? "right" : "left";
    }

    /** Records of one model, of which two wait: it refused all of them under settings without await.labels.ms. */
    @Test
    void shouldReadAStoredModelWithItsOwnSettings() {
        Map<String, String> late = Map.of("algorithm", "pa-i", "await.labels.ms", "1000");
        List<LearnInput> inputs = List.of(
                LearnExample.of("a").feature("f", 1),
                LearnExample.of("b").feature("g", 2),
                LearnLabel.of("a", 1),
                LearnExample.of("c").label(-1).feature("f", 3),
                LearnLabel.of("b", -1));
        Map<Bytes, byte[]> all = new HashMap<>();
        List<String> expected = learned(late, inputs, 0, all);
        Map<Bytes, byte[]> before = new HashMap<>();
        List<String> begun = learned(late, inputs.subList(0, 2), 0, before);

        assertThat(learned(Map.of("algorithm", "perceptron"), inputs.subList(2, 5), 2, before))
                .hasSize(3)
                .isEqualTo(expected.subList(begun.size(), expected.size()));

        // one that began without a time for labels has none
        Map<Bytes, byte[]> punctual = new HashMap<>();
        assertThat(learned(Map.of("algorithm", "pa-i"), inputs.subList(0, 1), 0, punctual))
                .hasSize(1);
        assertThatThrownBy(() -> learned(late, inputs.subList(2, 3), 0, punctual))
                .rootCause()
                .isInstanceOf(RejectedException.class)
                .hasMessageStartingWith("a model must have await.labels.ms > 0 to use a label without its example");
    }

    /** Results of inputs for model m, between the former and the next contents of the store. */
    private static List<String> learned(
            Map<String, String> settings, List<LearnInput> inputs, long time, Map<Bytes, byte[]> stored) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(inputs::get)
                .process(Learn.with(settings))
                .mapValues(LearnResult::toString)
                .to("out", Produced.with(Serdes.String(), Serdes.String()));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            restore(stored, driver.getKeyValueStore("learn-models"));
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            for (int n = 0; n < inputs.size(); n++) {
                input.pipeInput("m", n, time + n);
            }
            copy(driver.getKeyValueStore("learn-models"), stored);
            return driver.createOutputTopic("out", new StringDeserializer(), new StringDeserializer())
                    .readValuesToList();
        }
    }

    // a label could not say its source: with labels.sources no LearnLabel ever corrected another one
    @SeededTest
    void shouldCorrectLabelsWithTheBitsOfTheEngine(long seed, @TempDir Path directory) {
        Random random = new Random(seed);
        Map<String, String> settings = Map.of(
                "algorithm", "pa-i",
                "labels", "no,yes",
                "await.labels.ms", "60",
                "await.examples.ms", "0",
                "label.default", "no",
                "corrections.ms", "1000",
                "labels.sources", "bank>user",
                "calibrate", "platt");
        StreamsBuilder builder = new StreamsBuilder();
        List<LearnInput> inputs = new ArrayList<>();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(inputs::get)
                .process(Learn.with(settings).named("fraud"))
                .filter((model, result) -> result.replaced() != null)
                .mapValues(result -> result.id() + " " + result.replaced() + " " + result.label() + " "
                        + result.predicted() + " " + result.isError())
                .to("out", Produced.with(Serdes.String(), Serdes.String()));
        List<String> expected = new ArrayList<>();
        try (EngineDriver engine = new EngineDriver(directory);
                TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + json(settings) + "}", 0);
            long time = 1000;
            for (int n = 0; n < 300; n++) {
                time += random.nextInt(10);
                String json;
                if (n % 3 == 0) {
                    double x = random.nextGaussian();
                    inputs.add(LearnExample.of("e" + n).feature("x", x));
                    json = "{\"id\":\"e" + n + "\",\"features\":{\"x\":" + x + "}}";
                } else {
                    String id = "e" + Math.max(0, 3 * ((n - random.nextInt(40)) / 3));
                    String label = random.nextBoolean() ? "yes" : "no";
                    String source = List.of("", "user", "bank", "someone").get(random.nextInt(4));
                    // some are after the label, and refused
                    long known = time - 3 + random.nextInt(5);
                    LearnLabel given = LearnLabel.of(id, label).withKnowableAt(known);
                    inputs.add(source.isEmpty() ? given : given.withSource(source));
                    json = "{\"exampleId\":\"" + id + "\",\"label\":\"" + label + "\",\"knowableAt\":" + known
                            + (source.isEmpty() ? "" : ",\"source\":\"" + source + "\"") + "}";
                }
                engine.send("m", json, time);
                engine.events(Topic.MISTAKES).stream()
                        .filter(each -> each.get("corrects") != null)
                        .forEach(each -> expected.add(each.get("exampleId") + " " + each.get("replaced") + " "
                                + each.get("labelText") + " " + each.get("predictedText") + " "
                                + !each.get("labelText").equals(each.get("predictedText"))));
                List<String> reasons = engine.reasons();
                try {
                    input.pipeInput("m", n, time);
                    assertThat(reasons).as(json).isEmpty();
                } catch (StreamsException e) {
                    assertThat(((RejectedException) e.getCause()).reason().name())
                            .isIn(reasons);
                }
            }
            requireEqual(driver, engine);
            assertThat(expected).hasSizeGreaterThan(10);
            assertThat(driver.createOutputTopic("out", new StringDeserializer(), new StringDeserializer())
                            .readValuesToList())
                    .isEqualTo(expected);
        }
    }

    /** All labels were resolved before all examples, so that other ones were left than in the engine. */
    @Test
    void shouldResolveThoseThatTheEngineDoesWhereMoreThanTheLimitAreDueAtOnce(@TempDir Path directory) {
        Map<String, String> settings = Map.of(
                "algorithm", "pa-i",
                "await.labels.ms", "10000",
                "await.examples.ms", "10000",
                "await.labels.max", "10000",
                "label.default", "1");
        StreamsBuilder builder = new StreamsBuilder();
        List<LearnInput> inputs = new ArrayList<>();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(inputs::get)
                .process(Learn.with(settings).named("fraud"));
        try (EngineDriver engine = new EngineDriver(directory);
                TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + json(settings) + "}", 0);
            for (int n = 0; n <= 1400; n++) {
                boolean isLabel = n % 2 == 1;
                double x = n * 37 % 101;
                inputs.add(
                        isLabel
                                ? LearnLabel.of("l" + n, 1)
                                : LearnExample.of("e" + n).feature("x", x).feature("y", n % 3));
                long time = n == 1400 ? 50_000 : 1000 + n;
                engine.send(
                        "m",
                        isLabel
                                ? "{\"exampleId\":\"l" + n + "\",\"label\":1}"
                                : "{\"id\":\"e" + n + "\",\"features\":{\"x\":" + x + ",\"y\":" + n % 3 + "}}",
                        time);
                input.pipeInput("m", n, time);
            }
            requireEqual(driver, engine);
            assertThat(engine.model("m").late().waitingLabels()).isEqualTo(200);
            assertThat(engine.model("m").late().pending()).isEqualTo(201);
        }
    }

    /** The model of a topology, learned again from its store, is that of the engine. */
    private static void requireEqual(TopologyTestDriver driver, EngineDriver engine) {
        Map<Bytes, byte[]> stored = new HashMap<>();
        copy(driver.getKeyValueStore(STORE), stored);
        UndoableStore store = new UndoableStore();
        stored.forEach(store::put);
        Model model = LearnModels.copy(store, "m");
        assertThat(model.late().waitingLabels())
                .isEqualTo(engine.model("m").late().waitingLabels());
        assertThat(model.late().pending()).isEqualTo(engine.model("m").late().pending());
        assertThat(OnlineModel.toBytes(model)).isEqualTo(OnlineModel.toBytes(engine.model("m")));
    }

    private static String json(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(each -> '"' + each.getKey() + "\":\"" + each.getValue() + '"')
                .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void shouldChangeNothingWhenARecordCannotBeUsed() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(number -> number < 0
                        ? LearnExample.of("wrong").label(1).feature("amount", Double.NaN)
                        : LearningApplication.example(number))
                .process(Learn.with(LearningApplication.SETTINGS).named("fraud"));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            input.pipeInput("m", 1);

            assertThatThrownBy(() -> input.pipeInput("m", -1)).hasRootCauseInstanceOf(RejectedException.class);
            assertThatThrownBy(() -> input.pipeInput(null, 2))
                    .hasRootCauseMessage(
                            "a record must have the name of a model as key and an example or label as value, got a"
                                    + " record without a key");
            input.pipeInput("m", 2);

            LearnModels expected = LearningApplication.models(new UndoableStore(), LearningApplication.SETTINGS);
            List.of(1, 2)
                    .forEach(number ->
                            expected.learn(new byte[] {'m'}, 0, LearningApplication.example(number), unused -> {}));
            assertThat(Learn.toBytes(driver.getKeyValueStore(STORE), "m"))
                    .isEqualTo(OnlineModel.toBytes(expected.model("m")));
        }
    }

    @Test
    void shouldRefuseWrongSettingsBeforeTheTopologyStarts() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Learn.with(Map.of("algorithm", "best")))
                .withMessageStartingWith("algorithm must be one of ");
    }
}
