package io.perceptronstreams.embedded;

import static io.perceptronstreams.embedded.JavaScriptEvents.avsc;
import static io.perceptronstreams.embedded.JavaScriptEvents.example;
import static io.perceptronstreams.embedded.JavaScriptEvents.mistake;
import static io.perceptronstreams.embedded.JavaScriptEvents.plain;
import static io.perceptronstreams.embedded.JavaScriptEvents.prediction;
import static io.perceptronstreams.embedded.JavaScriptEvents.schema;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.topology.EngineRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JavaScript clients of other authors: they read our bytes and write the same bytes. */
@EnabledIf(
        value = "io.perceptronstreams.embedded.JavaScriptClients#areThere",
        disabledReason = "needs node 18 or newer and npm on the PATH")
@Tag("full")
final class JavaScriptWireIT {
    private static final int PARTITIONS = 3;
    private static final int EXAMPLES = 12;
    private static final String KAFKAJS = "@kafkajs/confluent-schema-registry";
    private static final String CONFLUENT = "@confluentinc/schemaregistry";
    /** An integer that a double cannot represent. */
    private static final long LARGE = (1L << 53) + 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path directory;

    private static EmbeddedBroker broker;
    private static EmbeddedRegistry server;
    private static SchemaRegistry registry;

    @BeforeAll
    static void start() throws IOException {
        JavaScriptClients.install();
        broker = EmbeddedBroker.start(directory.resolve("broker"), 0);
        server = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
        registry = SchemaRegistries.of(Map.of("schema.registry.url", server.url()));
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(registry, "registry client");
        Utils.closeQuietly(server, "registry");
        Utils.closeQuietly(broker, "broker");
    }

    @ParameterizedTest
    @CsvSource({KAFKAJS + ", int", KAFKAJS + ", string", CONFLUENT + ", int", CONFLUENT + ", string"})
    void shouldReadWhatAJavaScriptClientWrites(String client, String labels) throws Exception {
        String topic = "from-" + (client.equals(KAFKAJS) ? "kafkajs-" : "confluent-") + labels;
        String model = "model-" + topic;
        createTopic(topic);

        produce(topic, model, labels, client);

        var records = records(topic);
        assertThat(records).hasSize(EXAMPLES).allSatisfy(record -> {
            assertThat(record.key()).isEqualTo(bytes(model));
            assertThat(record.partition())
                    .as("murmur2 of the key")
                    .isEqualTo(Utils.toPositive(Utils.murmur2(bytes(model))) % PARTITIONS);
            assertThat(registry.schema(WireFormat.schemaId(record.value()))).isEqualTo(schema("Example"));
        });
        assertThat(records.stream().map(record -> plain(decode(record.value()))))
                .containsExactlyElementsOf(IntStream.range(0, EXAMPLES)
                        .mapToObj(i -> example(model, labels, i))
                        .toList());
    }

    @Test
    void shouldWritePredictionsThatJavaScriptClientsRead() throws Exception {
        assertReadByJavaScript(
                "predictions",
                schema("Prediction"),
                List.of(
                        prediction(1, 0.1 + 0.2, null, true, 0),
                        prediction(null, 0.0, null, null, LARGE),
                        prediction(
                                "häm",
                                -1e-300,
                                Map.of("häm", -1e-300, "spam", -Double.MAX_VALUE),
                                false,
                                Long.MAX_VALUE),
                        prediction(List.of("DET", "NOUN"), Math.PI, Map.of(), true, 1)));
    }

    @Test
    void shouldWriteMistakesThatJavaScriptClientsRead() throws Exception {
        assertReadByJavaScript(
                "mistakes",
                schema("Mistake"),
                List.of(
                        mistake("MISTAKE", -1, 1, LARGE),
                        mistake("MARGIN_MISTAKE", "häm", null, 2),
                        mistake("MISTAKE", List.of("DET"), List.of("NOUN", "VERB"), 3)));
    }

    /** End to end: JavaScript clients write examples, the engine learns them, and the clients read its output. */
    @ParameterizedTest
    @ValueSource(strings = {KAFKAJS, CONFLUENT})
    void shouldLearnFromJavaScriptClientsAndSendThemItsOutput(String client) throws Exception {
        String prefix = client.equals(KAFKAJS) ? "kafkajs" : "confluent";
        var config = EngineConfig.of(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "schema.registry.url",
                        server.url(),
                        "topics.prefix",
                        prefix,
                        "topics.create",
                        "true",
                        "models.defaults",
                        "",
                        "topics.partitions",
                        String.valueOf(PARTITIONS),
                        "data.dir",
                        directory.resolve(prefix).toString()),
                Map.of(),
                null,
                Map.of());
        try (var engine = new EngineRunner(config)) {
            engine.start();
            produce(prefix + "-examples", "model", "int", client);

            var predictions = consume(prefix + "-predictions", EXAMPLES);
            assertThat(predictions)
                    .extracting(prediction ->
                            prediction.path(client).path("exampleId").asText())
                    .containsExactlyElementsOf(IntStream.range(0, EXAMPLES)
                            .mapToObj(i -> "model-" + i)
                            .toList());
            // every fifth has no label
            assertThat(predictions)
                    .filteredOn(prediction ->
                            prediction.path(client).path("correct").isNull())
                    .hasSize(EXAMPLES / 5);
            // w starts at 0, and a score of 0 is a mistake
            String mistakes = prefix + "-mistakes";
            assertThat(consume(mistakes, records(mistakes).size())
                            .get(0)
                            .path(client)
                            .path("exampleId")
                            .asText())
                    .isEqualTo("model-0");
            assertThat(consume(prefix + "-models", 1)
                            .get(0)
                            .path(client)
                            .path("settings")
                            .path("algorithm")
                            .asText())
                    .isEqualTo("auto");
            for (String topic : List.of(prefix + "-predictions", prefix + "-mistakes", prefix + "-models")) {
                assertReadAlike(topic);
            }
            assertThat(records(prefix + "-dead-letters")).isEmpty();
        }
    }

    /** Both JavaScript clients read the same events from a topic as Avro's reader. */
    private static void assertReadAlike(String topic) throws IOException {
        assertReadAlike(
                topic,
                records(topic).stream()
                        .map(record -> plain(decode(record.value())))
                        .toList());
    }

    private static void assertReadAlike(String topic, List<Object> expected) throws IOException {
        assertThat(expected).isNotEmpty();
        var lines = consume(topic, expected.size());
        assertThat(lines).extracting(line -> line.path("key").asText()).containsOnly("model");
        for (String client : List.of(KAFKAJS, CONFLUENT)) {
            assertThat(lines)
                    .as(client)
                    .extracting(line -> plain(line.path(client)))
                    .isEqualTo(expected);
        }
    }

    private static void produce(String topic, String model, String labels, String client) {
        JavaScriptClients.script(
                "produce.mjs",
                broker.bootstrapServers(),
                server.url(),
                topic,
                model,
                String.valueOf(EXAMPLES),
                labels,
                client,
                avsc("Example").toAbsolutePath().toString());
    }

    private static List<JsonNode> consume(String topic, int count) throws IOException {
        var lines = new ArrayList<JsonNode>();
        for (String line : JavaScriptClients.script(
                "consume.mjs", broker.bootstrapServers(), server.url(), topic, String.valueOf(count))) {
            lines.add(JSON.readTree(line));
        }
        assertThat(lines).hasSize(count);
        return lines;
    }

    /** Writes the events in a transaction, after an aborted one, and lets both registry clients read them. */
    private static void assertReadByJavaScript(String topic, Schema schema, List<GenericRecord> events)
            throws Exception {
        createTopic(topic);
        int id = registry.register(topic + "-value", schema);
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", topic),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, bytes("aborted"), encode(id, events.get(0))))
                    .get();
            producer.abortTransaction();
            producer.beginTransaction();
            for (GenericRecord event : events) {
                producer.send(new ProducerRecord<>(topic, 0, bytes("model"), encode(id, event)))
                        .get();
            }
            producer.commitTransaction();
        }

        assertReadAlike(topic, events.stream().map(JavaScriptEvents::plain).toList());
    }

    private static byte[] encode(int id, GenericRecord event) throws IOException {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[WireFormat.HEADER]);
        var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<GenericRecord>(event.getSchema()).write(event, encoder);
        encoder.flush();
        byte[] value = bytes.toByteArray();
        WireFormat.writeHeader(value, id);
        return value;
    }

    private static GenericRecord decode(byte[] value) {
        try {
            Schema writer = registry.schema(WireFormat.schemaId(value));
            var decoder = DecoderFactory.get()
                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null);
            var event = new GenericDatumReader<GenericRecord>(writer).read(null, decoder);
            assertThat(decoder.isEnd()).as("nothing behind the event").isTrue();
            return event;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        var partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(p -> new TopicPartition(topic, p))
                .toList();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers", broker.bootstrapServers(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    private static void createTopic(String topic) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
