package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that delete records by their event times, in short intervals. */
final class RetentionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final TopicPartition EXAMPLES = new TopicPartition("perceptron-examples", 0);

    /** Kafka's default, a week. */
    private static final String WEEK = " -D topics.retention.ms=604800000";

    @TempDir
    Path directory;

    private final Commands commands = new Commands();
    private String options;
    private Admin admin;

    /** 3,000 examples of May were sent in November, and 14 minutes later none was left; no command had warned. */
    @Test
    void shouldKeepExamplesOfThePastAndSayWhereTheyWouldBeDeleted() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(
                directory.resolve("broker"),
                0,
                Map.of("log.retention.check.interval.ms", "200", "log.initial.task.delay.ms", "0"))) {
            options = " --bootstrap " + broker.bootstrapServers() + " --registry mock://retention";
            admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
            commands.output("topics create --partitions 1 -D models.defaults=" + WEEK + options);
            requireThatOldExamplesAreNotSent();
            requireThatTheyAreDeletedIfTheyAre();

            assertThat(commands.output("topics retention" + options))
                    .contains(
                            "perceptron-alerts, perceptron-dead-letters: retention.ms -1, retention.bytes -1 from now on,"
                                    + " before retention.ms 604800000, retention.bytes -1");
            assertThat(commands.output("topics retention" + options)).isEqualToIgnoringNewLines("nothing to change");
            EngineRunner engine = SharedCluster.startEngine(config(broker));
            try {
                assertThat(commands.output(produce() + " --timeout 60")).contains("none refused");
                awaitDeletions();
                assertThat(offset(EXAMPLES, OffsetSpec.earliest())).isEqualTo(4);
                assertThat(commands.output("verify m" + options)).contains("4 predictions, ", ": all equal.");
                assertThat(commands.errors())
                        .startsWith("perceptron: perceptron-examples-0 begins at offset 4: the records before it were"
                                + " deleted; m can be repeated only if it had none there");
                requireAlert();
                requireThatExamplesOfTheFutureAreNotSent();
            } finally {
                engine.close();
            }
        } finally {
            admin.close();
        }
    }

    private void requireThatOldExamplesAreNotSent() throws Exception {
        String check = commands.output("topics check" + options);
        assertThat(check)
                .containsPattern(
                        "(?m)^brokers delete records with old event times within minutes, learned or not: those before"
                                + " \\S+Z of perceptron-examples, .* \\(perceptron topics retention --bootstrap \\S+ keeps all\\)$");
        commands.output("topics check --json" + options);
        for (JsonNode topic : commands.objects()) {
            boolean isCompacted = List.of("perceptron-models", "perceptron-weights")
                    .contains(topic.path("topic").asText());
            assertThat(topic.path("notes")).as(topic.toString()).hasSize(isCompacted ? 0 : 1);
            assertThat(topic.path("notes").path(0).asText())
                    .startsWith(isCompacted ? "" : "brokers delete records with old event times within minutes");
        }
        assertThat(commands.failure(1, produce()))
                .matches(
                        "perceptron: event times must be kept by the brokers, got 2026-01-03T00:00:00Z as the oldest of \\S+:"
                                + " brokers delete examples with event times before \\S+Z within minutes, by retention.ms 604800000 of"
                                + " perceptron-examples \\(perceptron topics retention --bootstrap \\S+ keeps all, --allow-expired sends"
                                + " them anyway\\); nothing was sent\\R");
        assertThat(offset(EXAMPLES, OffsetSpec.latest())).isZero();
    }

    private void requireThatTheyAreDeletedIfTheyAre() throws Exception {
        assertThat(commands.output(produce() + " --allow-expired --timeout 0")).contains("sent 4 examples of m");
        await().atMost(PATIENCE).until(() -> offset(EXAMPLES, OffsetSpec.earliest()) == 4);
    }

    /** The engine was not there when its first examples were deleted. */
    private void requireAlert() throws Exception {
        commands.output("watch alerts --from-beginning --limit 1 --json" + options);
        JsonNode alert = commands.objects().get(0);
        assertThat(alert.path("model").asText()).isEqualTo("*/0");
        assertThat(alert.path("kind").asText()).isEqualTo("POSITION");
        assertThat(alert.path("message").asText())
                .isEqualTo(
                        "perceptron-examples-0 begins at offset 4: its records before that were deleted before an engine of"
                                + " group perceptron has learned them");
    }

    /**
     * A file was sent up to its first example of the future, which the brokers refused, so that it could not be sent
     * again.
     */
    private void requireThatExamplesOfTheFutureAreNotSent() throws Exception {
        Path file = directory.resolve("future.csv");
        Files.writeString(file, "when,a,label\n2026-01-05,1,x\n2199-12-31,2,y\n2026-01-06,3,y\n");
        String produce = "produce " + file + " --model future --time when --timeout 60" + options;
        long end = offset(EXAMPLES, OffsetSpec.latest());

        assertThat(commands.failure(1, produce))
                .matches(
                        "perceptron: future.csv:3: event time must be accepted by the brokers, got 2199-12-31T00:00:00Z: brokers refuse"
                                + " examples with event times after \\S+Z, by message.timestamp.after.max.ms 3600000 of"
                                + " perceptron-examples \\(without --time, examples have the time at which they are sent\\); nothing was"
                                + " sent \\(--on-error skip sends the other examples\\)\\R");
        assertThat(offset(EXAMPLES, OffsetSpec.latest())).isEqualTo(end);
        assertThat(commands.output(produce + " --on-error skip")).contains("sent 2 examples of future");
        assertThat(commands.errors())
                .contains("skipped: future.csv:3: ")
                .endsWith("skipped 1 examples of " + file + "\n");
    }

    /** Returns when the brokers have looked for old records of all topics. */
    private void awaitDeletions() throws Exception {
        admin.createTopics(List.of(new NewTopic("canary", Optional.of(1), Optional.empty())))
                .all()
                .get();
        TopicPartition canary = new TopicPartition("canary", 0);
        for (int k = 1; k <= 2; k++) {
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", options.split(" ", -1)[2]),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                producer.send(new ProducerRecord<>("canary", 0, 1_000_000_000_000L, null, new byte[1]))
                        .get();
            }
            long end = k;
            await().atMost(PATIENCE).until(() -> offset(canary, OffsetSpec.earliest()) == end);
        }
    }

    private String produce() throws Exception {
        Path file = directory.resolve("past.csv");
        Files.writeString(file, "when,a,label\n2026-01-05,1,x\n2026-01-03,2,y\n2026-01-04,3,x\n2026-01-06,4,y\n");
        return "produce " + file + " --model m --label-column label --time when" + options;
    }

    private EngineConfig config(EmbeddedBroker broker) {
        Map<String, String> settings = Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "schema.registry.url", "mock://retention",
                "data.dir", directory.resolve("data").toString());
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    private long offset(TopicPartition partition, OffsetSpec which) throws Exception {
        return admin.listOffsets(Map.of(partition, which))
                .partitionResult(partition)
                .get()
                .offset();
    }
}
