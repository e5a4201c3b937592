package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading the examples again while the broker is there, and when it does not come back. */
final class KafkaInputLogIT {
    private static final Map<String, String> SETTINGS = Map.of(
            "group.instance.id", "one",
            "task.timeout.ms", "2000",
            "consumer.max.poll.records", "1",
            "admin.default.api.timeout.ms", "300",
            "admin.request.timeout.ms", "300");

    @TempDir
    Path directory;

    @Test
    @Tag("full")
    void shouldReadAsLongAsThereAreAnswersAndEndWhenThereAreNone() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(directory, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            create(admin, 1, "perceptron-examples");
            send(broker, 10);
            try (KafkaInputLog log = new KafkaInputLog(config(broker), () -> false)) {
                List<Long> offsets = new ArrayList<>();
                // slower than the time-out in all, but with an answer all the time
                log.read(0, 2, 10, record -> {
                    pause();
                    offsets.add(record.offset());
                });
                assertThat(offsets).containsExactly(2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);

                broker.close();
                assertThatThrownBy(() -> log.read(0, 2, 10, record -> {}))
                        .isInstanceOf(StreamsException.class)
                        .hasMessageContaining("perceptron-examples-0 must be readable from offset 2 to 10")
                        .hasMessageContaining("no answer for 2000 ms (task.timeout.ms)");
                assertThatThrownBy(() -> log.committed(0))
                        .isInstanceOf(StreamsException.class)
                        .hasMessageContaining("the broker must answer")
                        .hasMessageContaining("no answer for 2000 ms (task.timeout.ms)");
            }
        } finally {
            broker.close();
        }
    }

    /**
     * verify, what-if and explain were silent for minutes when the broker had gone, and then named a setting of the
     * engine.
     */
    @Test
    void shouldSayInACommandForWhomItWaits() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(directory, 0);
        List<String> notes = Collections.synchronizedList(new ArrayList<>());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            create(admin, 1, "perceptron-examples");
            send(broker, 10);
            EngineConfig config = config(broker);
            try (KafkaInputLog log = new KafkaInputLog(config, () -> false, Patience.ofCommand(config, notes::add))) {
                List<Long> offsets = new ArrayList<>();
                log.read(0, 2, 10, record -> {
                    pause();
                    offsets.add(record.offset());
                });
                assertThat(offsets).hasSize(8);
                assertThat(notes).isEmpty();

                broker.close();
                String silent = "brokers must listen, got " + broker.bootstrapServers() + ": Connection refused (start"
                        + " them, or name others with --bootstrap)";
                assertThatThrownBy(() -> log.read(0, 2, 10, record -> {}))
                        .isInstanceOf(StartupException.class)
                        .hasMessage(
                                "perceptron-examples-0 must be readable from offset 2 to 10, got no answer for 2 s: "
                                        + silent);
                assertThat(notes).containsExactly(silent + "; waiting for an answer up to 2 s");
                assertThatThrownBy(() -> log.committed(0))
                        .isInstanceOf(StartupException.class)
                        .hasMessage("the broker must answer, got no answer for 2 s: " + silent);
                assertThat(notes).hasSize(2);
            }
        } finally {
            broker.close();
        }
    }

    @Test
    void shouldWaitInACommandForAMinuteAtMost() {
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());

        assertThat(Patience.ofEngine(config).limit()).isEqualTo(Duration.ofMinutes(5));
        assertThat(Patience.ofCommand(config, note -> {}).limit()).isEqualTo(Duration.ofMinutes(1));
        assertThat(Patience.ofCommand(config, note -> {}).beforeNote()).isEqualTo(Duration.ofSeconds(5));
    }

    /**
     * A broker that comes back may write the end of a transaction after the offsets of the transaction are committed.
     */
    @Test
    void shouldRestoreAgainBeforeItTakesAChangelogForLost() throws Exception {
        SharedCluster cluster = new SharedCluster("input-log");
        EngineConfig config = cluster.config(SETTINGS);
        try (Admin admin = Admin.create(config.admin())) {
            String changelog = config.changelog();
            create(admin, 3, cluster.topic(Topic.EXAMPLES), changelog);
            AtomicBoolean isAsked = new AtomicBoolean();
            try (KafkaInputLog log = new KafkaInputLog(config, () -> {
                        isAsked.set(true);
                        return false;
                    });
                    var producer = new KafkaProducer<>(
                            Map.of(
                                    "bootstrap.servers",
                                    cluster.bootstrapServers(),
                                    "transactional.id",
                                    cluster.prefix()),
                            new ByteArraySerializer(),
                            new ByteArraySerializer())) {
                assertThat(log.isChangelogLost(0))
                        .as("no partition has records")
                        .isTrue();
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(new ProducerRecord<>(changelog, 0, null, new byte[] {1}))
                        .get();
                assertThat(log.isChangelogLost(1))
                        .as("another partition has records")
                        .isFalse();

                CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> log.isChangelogLost(0));
                await().untilTrue(isAsked);
                assertThat(answer).isNotDone();
                producer.commitTransaction();

                assertThatThrownBy(answer::get).hasCauseInstanceOf(TaskCorruptedException.class);
                assertThat(log.isChangelogLost(0))
                        .as("restored, and empty again")
                        .isTrue();
            }
        }
    }

    @Test
    void shouldKnowWhetherAnotherThreadHasAPartition() throws Exception {
        SharedCluster cluster = new SharedCluster("input-log");
        EngineConfig config = cluster.config(SETTINGS);
        try (Admin admin = Admin.create(config.admin())) {
            create(admin, 1, cluster.topic(Topic.EXAMPLES));
            Map<String, Object> member = Map.of(
                    "bootstrap.servers",
                    cluster.bootstrapServers(),
                    "group.id",
                    cluster.prefix(),
                    "group.instance.id",
                    "one-2");
            try (KafkaInputLog log = new KafkaInputLog(config, () -> false);
                    var consumer =
                            new KafkaConsumer<>(member, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.subscribe(List.of(cluster.topic(Topic.EXAMPLES)));
                await().until(() -> {
                    consumer.poll(Duration.ZERO);
                    return !consumer.assignment().isEmpty();
                });
                assertThat(hasOtherOwner(log, "perceptron-StreamThread-2")).isFalse();
                assertThat(hasOtherOwner(log, "perceptron-StreamThread-1")).isTrue();
            }
        }
    }

    private static boolean hasOtherOwner(KafkaInputLog log, String thread) throws InterruptedException {
        AtomicBoolean answer = new AtomicBoolean();
        Thread asking = new Thread(() -> answer.set(log.hasOtherOwner(0)), thread);
        asking.start();
        asking.join();
        return answer.get();
    }

    private static EngineConfig config(EmbeddedBroker broker) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("bootstrap.servers", broker.bootstrapServers());
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    private static void create(Admin admin, int partitions, String... topics) throws Exception {
        admin.createTopics(Stream.of(topics)
                        .map(topic -> new NewTopic(topic, partitions, (short) 1))
                        .toList())
                .all()
                .get();
    }

    private static void pause() {
        try {
            Thread.sleep(350);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(EmbeddedBroker broker, int records) {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int k = 0; k < records; k++) {
                var unused = producer.send(new ProducerRecord<>("perceptron-examples", new byte[] {1}));
            }
        }
    }
}
