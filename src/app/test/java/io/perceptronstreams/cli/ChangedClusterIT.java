package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perceptron run} in a process of its own, when its topics change while it runs, and when it is interrupted. */
@Tag("full")
final class ChangedClusterIT {
    private static final int PARTITIONS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    static Path brokerDir;

    private static EmbeddedBroker broker;
    private static Admin admin;

    @TempDir
    Path directory;

    @BeforeAll
    static void startBroker() {
        broker = EmbeddedBroker.start(brokerDir, 0);
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterAll
    static void stopBroker() {
        admin.close();
        broker.close();
    }

    @Test
    void shouldEndWhenPartitionsAreAdded() throws Exception {
        try (CommandProcess engine = learn("grown")) {
            admin.createPartitions(Map.of("grown-examples", NewPartitions.increaseTo(2 * PARTITIONS)))
                    .all()
                    .get();

            assertFailed(
                    engine, "grown-models-changelog must have as many partitions as grown-examples", "got 2 and 4");
        }
        try (CommandProcess again = run("grown")) {
            assertFailed(again, "grown-models-changelog must have as many partitions as grown-examples", "got 2 and 4");
        }
    }

    @Test
    void shouldEndWhenTheExamplesAreDeleted() throws Exception {
        try (CommandProcess engine = learn("gone")) {
            admin.deleteTopics(List.of("gone-examples")).all().get();

            assertFailed(engine, "gone-examples must exist, got no such topic");
        }
        assertThat(admin.listTopics().names().get()).doesNotContain("gone-examples");
    }

    @Test
    void shouldEndWhenTheChangelogIsDeleted() throws Exception {
        try (CommandProcess engine = learn("lost")) {
            admin.deleteTopics(List.of("lost-models-changelog")).all().get();
            send(broker, "lost");

            assertFailed(engine, "lost-models-changelog must contain the models");
        }
        assertThat(admin.listTopics().names().get()).doesNotContain("lost-models-changelog");
    }

    @Test
    void shouldReplayNothingAfterCtrlC() throws Exception {
        try (CommandProcess engine = learn("interrupted")) {
            assertThat(engine.interrupt()).isEqualTo(CommandProcess.INTERRUPTED);
            assertThat(engine.errText()).doesNotContain("Exception", "perceptron: ");
        }
        try (CommandProcess engine = run("interrupted")) {
            send(broker, "interrupted");
            await().atMost(PATIENCE).until(() -> processed("interrupted") == 2);
            assertThat(engine.errText() + engine.outText()).doesNotContain("replayed", "shutdown was not clean");
        }
    }

    // An engine whose cluster is gone cannot commit what it has processed. One without an open transaction stops.
    @Test
    void shouldEndAfterItsTimeWhereItCannotStop() throws Exception {
        EmbeddedBroker own = EmbeddedBroker.start(directory.resolve("own"), 0);
        Map<String, String> settings = Map.of(
                "topics.prefix",
                "left",
                "shutdown.timeout.ms",
                "1500",
                "commit.interval.ms",
                "60000",
                "commit.interval.min.ms",
                "60000",
                "producer.transaction.timeout.ms",
                "120000");
        try (CommandProcess engine = start(own, settings)) {
            await().atMost(PATIENCE).until(() -> (engine.errText() + engine.outText()).contains("running: "));
            send(own, "left");
            awaitOpenTransaction(own, "left");
            own.close();
            engine.interrupt();
            assertThat(engine.errText() + engine.outText())
                    .contains("the engine did not stop within shutdown.timeout.ms=1500");
        }
    }

    private static void assertFailed(CommandProcess engine, String... texts) throws Exception {
        assertThat(engine.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("the engine must end by itself: %s", engine.errText())
                .isTrue();
        assertThat(engine.process().exitValue()).as(engine.errText()).isEqualTo(1);
        assertThat(engine.errText().lines().filter(line -> line.startsWith("perceptron: ")))
                .as(engine.errText())
                .singleElement()
                .asString()
                .contains(texts);
    }

    /** An engine that has learned its first example. */
    private CommandProcess learn(String prefix) throws Exception {
        CommandProcess engine = run(prefix);
        await().atMost(PATIENCE).until(() -> admin.listTopics().names().get().contains(prefix + "-predictions"));
        send(broker, prefix);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> processed(prefix) == 1);
        return engine;
    }

    private CommandProcess run(String prefix) throws Exception {
        return start(broker, Map.of("topics.prefix", prefix));
    }

    private CommandProcess start(EmbeddedBroker its, Map<String, String> settings) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("run", "--bootstrap", its.bootstrapServers(), "--registry", "mock://registry", "--data-dir"));
        arguments.add(directory.resolve("data").toString());
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                Integer.toString(PARTITIONS),
                // the default is five minutes
                "consumer.metadata.max.age.ms",
                "1000",
                // a commit for a deleted topic is tried again for a minute
                "producer.max.block.ms",
                "5000",
                // and a record for one for two minutes
                "producer.request.timeout.ms",
                "5000",
                "producer.delivery.timeout.ms",
                "10000"));
        all.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
        return CommandProcess.start(directory, arguments.toArray(String[]::new));
    }

    private static void send(EmbeddedBroker its, String prefix) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", its.bootstrapServers()), new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(
                            prefix + "-examples", "m", "{\"id\":\"1\",\"label\":1,\"features\":[1,2]}"))
                    .get();
        }
    }

    private static void awaitOpenTransaction(EmbeddedBroker its, String prefix) {
        try (Admin own = Admin.create(Map.of("bootstrap.servers", its.bootstrapServers()))) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> own.listTransactions().all().get().stream()
                            .anyMatch(listing -> listing.transactionalId().startsWith(prefix + "-")
                                    && listing.state() == TransactionState.ONGOING));
        }
    }

    /** Number of examples whose outputs are committed. */
    private static long processed(String group) throws Exception {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }
}
