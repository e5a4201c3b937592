package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on topics that others have created, all with the broker's default limit of timestamps. */
final class DefaultTopicsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    Path directory;

    /** The engine refused to start with Kafka's default, an hour, and with each higher limit of all topics, too. */
    @ParameterizedTest
    @ValueSource(strings = {"", "7200000"})
    void shouldStartAndLimitTimesInJsonToThatOfTheRecord(String limit) throws Exception {
        Map<String, String> settings = limit.isEmpty() ? Map.of() : Map.of("log.message.timestamp.after.max.ms", limit);
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"), 0, settings)) {
            EngineConfig config = config(broker);
            createTopics(config);
            long now = System.currentTimeMillis();
            try (LogLines log = new LogLines();
                    EngineRunner engine = new EngineRunner(config)) {
                engine.start();
                assertThat(log.lines())
                        .filteredOn(line -> line.contains("may be no later than that of its record, because"))
                        .hasSize(1);
                send(config, now, "past", now - 1000);
                send(config, now, "same", now);
                send(config, now, "ahead", now + 1);
                // as far after the clock of the broker as it accepts
                send(config, now + 3_500_000, "future", now + 3_500_000);
                await().atMost(PATIENCE)
                        .until(() -> read(config, Topic.PREDICTIONS).size() == 3);
                await().atMost(PATIENCE)
                        .until(() -> read(config, Topic.DEAD_LETTERS).size() == 1);
            }
            assertThat(read(config, Topic.PREDICTIONS))
                    .extracting(ConsumerRecord::timestamp)
                    .containsExactly(now - 1000, now, now + 3_500_000);
            assertThat(message(read(config, Topic.DEAD_LETTERS).get(0)))
                    .endsWith("before the year 2200 and no later than that of the record, got " + (now + 1)
                            + " in a record of " + now);
        }
    }

    private EngineConfig config(EmbeddedBroker broker) {
        Map<String, String> settings = new HashMap<>();
        settings.put("bootstrap.servers", broker.bootstrapServers());
        settings.put("schema.registry.url", "mock://default-topics");
        settings.put("data.dir", directory.toString());
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    private static void createTopics(EngineConfig config) throws Exception {
        List<NewTopic> topics = new ArrayList<>(Arrays.stream(Topic.values())
                .map(topic -> new NewTopic(config.topic(topic), Optional.of(1), Optional.empty())
                        .configs(Map.of("cleanup.policy", topic.cleanupPolicy())))
                .toList());
        topics.add(new NewTopic(config.changelog(), Optional.of(1), Optional.empty())
                .configs(Map.of("cleanup.policy", "compact")));
        try (Admin admin = Admin.create(config.admin())) {
            admin.createTopics(topics).all().get();
        }
    }

    private static void send(EngineConfig config, long timestamp, String id, long inJson) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config.clients(), new ByteArraySerializer(), new ByteArraySerializer())) {
            String json = "{\"id\":\"" + id + "\",\"timestamp\":" + inJson + ",\"label\":1,\"features\":[1]}";
            producer.send(new ProducerRecord<>(
                            config.topic(Topic.EXAMPLES), 0, timestamp, BadRecord.utf8("m"), BadRecord.utf8(json)))
                    .get();
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(EngineConfig config, Topic topic) {
        return TopicLog.all(config.get(EngineConfigDef.BOOTSTRAP_SERVERS), config.topic(topic), 0);
    }

    private static String message(ConsumerRecord<byte[], byte[]> letter) {
        return new String(
                letter.headers().lastHeader("__streams.errors.message").value(), StandardCharsets.UTF_8);
    }
}
