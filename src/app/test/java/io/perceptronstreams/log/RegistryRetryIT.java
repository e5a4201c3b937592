package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.EmbeddedRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import io.perceptronstreams.topology.LogLines;
import io.perceptronstreams.topology.TopicLog;
import io.perceptronstreams.topology.Wire;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The registry of a running engine fails, or lacks a schema, for longer than the transaction time-out, and recovers.
 */
@Tag("full")
class RegistryRetryIT {
    private static final byte[] MODEL = "m".getBytes(StandardCharsets.UTF_8);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    Path dir;

    @Test
    void shouldGoOnWhenTheRegistryIsBackAndLoseNothing() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(dir.resolve("broker"), 0)) {
            EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
            int port = registry.port();
            EngineConfig config = config(broker, registry);
            int known;
            int unknown;
            try (SchemaRegistry client = SchemaRegistries.of(config.registry())) {
                known = client.register("known", EventSchemas.schema("Example"));
                unknown = client.register("unknown", otherVersion());
            }
            try (EngineRunner engine = new EngineRunner(config);
                    Records records = new Records(config);
                    LogLines log = new LogLines()) {
                engine.start();
                records.send(Wire.example(known, Wire.dense(1)));
                await().atMost(PATIENCE).until(() -> records.of(Topic.PREDICTIONS) == 1);

                registry.close();
                // its schema is known: the engine does not need to ask, and neither does it for the outputs
                records.send(Wire.example(known, Wire.dense(2)));
                await().atMost(PATIENCE).until(() -> records.of(Topic.PREDICTIONS) == 2);
                records.send(Wire.example(known, Wire.dense(3)));
                records.send(Wire.example(unknown, Wire.dense(4)));
                records.send(Wire.example(known, Wire.dense(5)));
                // the second line comes after ten seconds: the engine has waited for longer than its transaction may
                // last
                await().atMost(PATIENCE)
                        .until(() -> log.lines().stream()
                                        .filter(line -> line.contains("waits for the schema registry"))
                                        .count()
                                > 1);
                assertThat(records.of(Topic.PREDICTIONS)).isLessThan(5);

                registry = EmbeddedRegistry.start(broker.bootstrapServers(), port);
                await().atMost(PATIENCE).until(() -> records.of(Topic.PREDICTIONS) == 5);
                assertThat(records.of(Topic.DEAD_LETTERS)).isZero();
                assertThat(engine.streams().state().isRunningOrRebalancing()).isTrue();
            } finally {
                registry.close();
            }
        }
    }

    private EngineConfig config(EmbeddedBroker broker, EmbeddedRegistry registry) {
        return EngineConfig.of(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "schema.registry.url",
                        registry.url(),
                        "data.dir",
                        dir.toString(),
                        "topics.create",
                        "true",
                        "models.defaults",
                        "",
                        "topics.partitions",
                        "1",
                        "producer.transaction.timeout.ms",
                        "3000"),
                Map.of(),
                null,
                Map.of());
    }

    @Test
    void shouldStartWhenTheRegistryIsThere() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(dir.resolve("broker"), 0)) {
            EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
            EngineConfig config = config(broker, registry);
            registry.close();
            try (EngineRunner engine = new EngineRunner(config);
                    SchemaRegistry client = SchemaRegistries.of(config.registry());
                    LogLines log = new LogLines()) {
                CompletableFuture<Void> started = CompletableFuture.runAsync(engine::start);
                await().atMost(PATIENCE)
                        .until(() -> log.lines().stream()
                                .anyMatch(line -> line.contains("the engine waits for the schema registry")));
                assertThat(started).isNotDone();

                registry = EmbeddedRegistry.start(broker.bootstrapServers(), registry.port());
                started.get();
                try (Records records = new Records(config)) {
                    records.send(Wire.example(client.register("e", EventSchemas.schema("Example")), Wire.dense(1)));
                    await().atMost(PATIENCE).until(() -> records.of(Topic.PREDICTIONS) == 1);
                }
            } finally {
                registry.close();
            }
        }
    }

    @Test
    void shouldWaitForASchemaThatIsRegisteredAfterItsRecord() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(dir.resolve("broker"), 0);
                EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0)) {
            EngineConfig config = config(broker, registry);
            try (EngineRunner engine = new EngineRunner(config);
                    SchemaRegistry client = SchemaRegistries.of(config.registry());
                    Records records = new Records(config);
                    LogLines log = new LogLines()) {
                engine.start();
                int known = client.register("known", EventSchemas.schema("Example"));
                records.send(Wire.example(known, Wire.dense(1)));
                records.send(Wire.example(known + 1, Wire.dense(2)));
                records.send(Wire.example(known, Wire.dense(3)));
                // the second line comes after ten seconds: the transaction of the first example has timed out
                await().atMost(PATIENCE)
                        .until(() -> log.lines().stream()
                                        .filter(line -> line.contains("for a schema that the registry does not give"))
                                        .count()
                                > 1);

                assertThat(client.register("late", otherVersion())).isEqualTo(known + 1);

                await().atMost(PATIENCE).until(() -> records.of(Topic.PREDICTIONS) == 3);
                assertThat(records.of(Topic.DEAD_LETTERS)).isZero();
            }
        }
    }

    /** Written like ours, and yet another schema: one that the engine has to ask for. */
    private static Schema otherVersion() {
        String text = EventSchemas.schema("Example").toString();
        Schema other = new Schema.Parser().parse(text.replace("\"name\":\"Candidate\"", "\"name\":\"Candidate2\""));
        assertThat(SchemaNormalization.toParsingForm(other))
                .isNotEqualTo(SchemaNormalization.toParsingForm(EventSchemas.schema("Example")));
        return other;
    }

    /** Sends examples, and counts the outputs. */
    private static final class Records implements AutoCloseable {
        private final EngineConfig config;
        private final KafkaProducer<byte[], byte[]> producer;

        Records(EngineConfig config) {
            this.config = config;
            producer = new KafkaProducer<>(config.clients(), new ByteArraySerializer(), new ByteArraySerializer());
        }

        void send(byte[] value) throws Exception {
            producer.send(new ProducerRecord<>(config.topic(Topic.EXAMPLES), MODEL, value))
                    .get();
        }

        int of(Topic topic) {
            String brokers = String.valueOf(config.clients().get("bootstrap.servers"));
            return TopicLog.all(brokers, config.topic(topic), 0).size();
        }

        @Override
        public void close() {
            producer.close();
        }
    }
}
