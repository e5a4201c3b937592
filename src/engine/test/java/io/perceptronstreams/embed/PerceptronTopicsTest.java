package io.perceptronstreams.embed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.ExampleBatch;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineDriver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@link PerceptronTopics} sends is what the engine's topology learns, and what that writes is what comes back.
 */
final class PerceptronTopicsTest {
    private static final LearnExample[] EXAMPLES = {
        LearnExample.of("a").label(1).feature("x", 0.1).feature("y", -2).weight(2.5),
        LearnExample.of("b").label(-1).feature("x", 1e-300).feature("y", -0.0),
        LearnExample.of("c").feature("x", 1 / 3.0),
        LearnExample.of("d").label(-1).feature(3, 0.7).feature(200_000, 1e30),
        LearnExample.of("e").label(1).features(0.1, 0, 2),
        LearnExample.of("f").label(1),
        // names that have a meaning in JSON elsewhere
        LearnExample.of("g")
                .label(-1)
                .feature("indices", 1)
                .feature("values", 2)
                .feature("tokens", 3)
                .feature("candidates", 4)
                .feature("\"ä\\\n", 5)
    };

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"avro", "json"})
    void shouldBringExamplesToTheEngineAndItsPredictionsBack(String format) {
        OnlineModel model = OnlineModel.create(Map.of());
        List<String> expected = new ArrayList<>();
        for (LearnExample each : EXAMPLES) {
            LearnResult result = model.learn(each);
            Boolean isCorrect = result.label() == null ? null : !result.isError();
            expected.add(result.id() + " " + result.predicted() + " " + result.score() + " " + isCorrect);
        }

        try (EngineDriver engine = engine(format)) {
            send(engine, format, EXAMPLES);

            List<TestRecord<byte[], byte[]>> records = engine.records(Topic.PREDICTIONS);
            List<EnginePrediction> predictions = new ArrayList<>();
            List<EngineMistake> mistakes = new ArrayList<>();
            receive(
                    Topic.PREDICTIONS,
                    records,
                    builder -> topics(format).predictions(builder).foreach((key, value) -> predictions.add(value)));
            receive(
                    Topic.MISTAKES,
                    engine.records(Topic.MISTAKES),
                    builder -> topics(format).mistakes(builder).foreach((key, value) -> mistakes.add(value)));

            assertThat(engine.reasons()).isEmpty();
            assertThat(predictions)
                    .extracting(
                            each -> each.id() + " " + each.predicted() + " " + each.score() + " " + each.isCorrect())
                    .isEqualTo(expected);
            assertThat(predictions).extracting(EnginePrediction::examples).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
            assertThat(mistakes).hasSize((int) model.updates());
            EnginePrediction wrong = predictions.get(1);
            // the second mistake: a score of 0 is one, too
            assertThat(mistakes.get(1))
                    .isEqualTo(new EngineMistake(
                            "b",
                            "-1",
                            "1",
                            false,
                            wrong.score(),
                            -wrong.score(),
                            2,
                            2,
                            2,
                            2,
                            wrong.epoch(),
                            null,
                            null,
                            0));
            assertThat(records).extracting(TestRecord::timestamp).startsWith(100L, 101L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"avro", "json"})
    void shouldBringLateLabelsToTheEngineAndItsRefusalsBack(String format) {
        try (EngineDriver engine = engine(format)) {
            engine.send(
                    "m",
                    "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"1000\",\"await.examples.ms\":\"0\",\"labels\":\"ok,fraud\"}}",
                    0);
            send(
                    engine,
                    format,
                    LearnExample.of("a").feature("x", 1),
                    LearnLabel.of("a", "fraud").withSource("bank").withKnowableAt(1),
                    LearnLabel.of("b", "ok"),
                    LearnExample.of("c").label("ok").feature("x", Double.NaN),
                    LearnExample.of("d").label("ok").features(Double.POSITIVE_INFINITY),
                    // after its own time
                    LearnLabel.of("a", "ok").withKnowableAt(20_000_000_000L));

            List<EngineRefusal> refusals = new ArrayList<>();
            receive(
                    Topic.DEAD_LETTERS,
                    engine.records(Topic.DEAD_LETTERS),
                    builder -> topics(format).refusals(builder).foreach((key, value) -> refusals.add(value)));

            assertThat(engine.model("m").counts().totals().labelled()).isEqualTo(1);
            assertThat(refusals).extracting(EngineRefusal::offset).containsExactly(3L, 4L, 5L, 6L);
            assertThat(refusals.get(3).reason()).isEqualTo("INVALID_SOURCE");
            // in Avro as in JSON
            assertThat(engine.records(Topic.MISTAKES))
                    .singleElement()
                    .satisfies(mistake ->
                            assertThat(new String(mistake.value(), UTF_8)).contains("bank"));
            assertThat(refusals.get(0).reason()).isEqualTo("LABEL_WITHOUT_EXAMPLE");
            assertThat(refusals.get(0).message()).startsWith("a label must be of an example that has come");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"avro", "json"})
    void shouldSeparateThePredictionsOfARecordOfSeveralExamples(String format) {
        try (EngineDriver engine = engine(format)) {
            List<Example> several = List.of(
                    new Example("a", 1, new DenseVector(List.of(1.0)), 1.0),
                    new Example("b", -1, new DenseVector(List.of(1.0)), 1.0));
            byte[] batch = new EventWriter(EventSchemas.schema("ExampleBatch"), engine.id("ExampleBatch"))
                    .write(new ExampleBatch(several));
            engine.send("m".getBytes(StandardCharsets.UTF_8), batch, 7);

            List<String> ids = new ArrayList<>();
            List<TestRecord<byte[], byte[]>> records = engine.records(Topic.PREDICTIONS);
            receive(
                    Topic.PREDICTIONS,
                    records,
                    builder -> topics(format)
                            .predictions(builder)
                            .foreach((key, value) -> ids.add(key + " " + value.id())));

            assertThat(records).hasSize(1);
            assertThat(ids).containsExactly("m a", "m b");
        }
    }

    @Test
    void shouldKeepHeadersButThoseOfOtherRecords() {
        StreamsBuilder builder = new StreamsBuilder();
        topics("json")
                .send(builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                        .mapValues(number -> EXAMPLES[number]));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestRecord<String, Integer> record = new TestRecord<>("m", 0, Instant.EPOCH);
            record.headers()
                    .add("trace", new byte[] {1})
                    .add("__value_schema_id", new byte[] {2})
                    .add("perceptron-rerouted", new byte[] {3});
            driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer())
                    .pipeInput(record);

            TestRecord<byte[], byte[]> sent = driver.createOutputTopic(
                            "perceptron-examples", new ByteArrayDeserializer(), new ByteArrayDeserializer())
                    .readRecord();
            assertThat(sent.headers()).extracting(each -> each.key()).containsExactly("trace");
            assertThat(new String(sent.value(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"id\":\"a\",\"label\":1,\"features\":{\"x\":0.1,\"y\":-2.0},\"weight\":2.5}");
        }
    }

    @Test
    void shouldNotSendARecordWithoutAModel() {
        StreamsBuilder builder = new StreamsBuilder();
        topics("json")
                .send(builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                        .mapValues(number -> EXAMPLES[number]));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());

            assertThatThrownBy(() -> input.pipeInput(null, 0))
                    .isInstanceOf(StreamsException.class)
                    .rootCause()
                    .hasMessageContaining("must have the name of a model as key");
        }
    }

    // with the defaults of Kafka Streams, at least once, aborted predictions would be seen, too
    @Test
    void shouldNotReadWhatTheEngineAborts() {
        StreamsBuilder builder = new StreamsBuilder();
        topics("json").predictions(builder).foreach((key, value) -> {});

        assertThatThrownBy(() -> new TopologyTestDriver(builder.build(), new Properties()).close())
                .rootCause()
                .hasMessageContaining("isolation.level must be read_committed")
                .hasMessageContaining("got read_uncommitted");
        new TopologyTestDriver(builder.build(), properties("processing.guarantee", "exactly_once_v2")).close();
        new TopologyTestDriver(builder.build(), properties("isolation.level", "read_committed")).close();
    }

    @Test
    void shouldRefuseWrongSettings() {
        assertThatThrownBy(() -> PerceptronTopics.of(Map.of("topic.prefix", "a b", "topics.partitions", 0)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("topics.partitions must be at least 1, got '0' (set by the program)");
    }

    private EngineDriver engine(String format) {
        return new EngineDriver(directory, settings(format), 1);
    }

    private Map<String, String> settings(String format) {
        return Map.of("output.format", format, "schema.registry.url", "mock://" + directory);
    }

    private PerceptronTopics topics(String format) {
        return PerceptronTopics.of(settings(format));
    }

    /** Sends through a topology of the program to the engine, with the times 100, 101 and so on. */
    private void send(EngineDriver engine, String format, LearnInput... inputs) {
        StreamsBuilder builder = new StreamsBuilder();
        topics(format)
                .send(builder.stream("in", Consumed.with(Serdes.String(), Serdes.Integer()))
                        .mapValues(number -> inputs[number]));
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), new Properties())) {
            TestInputTopic<String, Integer> input =
                    driver.createInputTopic("in", new StringSerializer(), new IntegerSerializer());
            for (int number = 0; number < inputs.length; number++) {
                input.pipeInput("m", number, 100 + number);
            }
            driver.createOutputTopic("perceptron-examples", new ByteArrayDeserializer(), new ByteArrayDeserializer())
                    .readRecordsToList()
                    .forEach(each -> engine.send(each.key(), each.value(), each.timestamp()));
        }
    }

    private static void receive(
            Topic topic, List<TestRecord<byte[], byte[]>> records, Consumer<StreamsBuilder> reader) {
        StreamsBuilder builder = new StreamsBuilder();
        reader.accept(builder);
        Properties config = properties("processing.guarantee", "exactly_once_v2");
        try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), config)) {
            driver.createInputTopic(topic.name("perceptron"), new ByteArraySerializer(), new ByteArraySerializer())
                    .pipeRecordList(records);
        }
    }

    private static Properties properties(String key, String value) {
        Properties properties = new Properties();
        properties.setProperty(key, value);
        return properties;
    }
}
