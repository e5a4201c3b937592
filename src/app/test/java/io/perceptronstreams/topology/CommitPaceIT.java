package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

/** Engines whose {@code commit.interval.ms} is longer than the tests: every commit is one of {@link CommitPace}. */
final class CommitPaceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String INTERVAL_MS = "600000";

    private final SharedCluster cluster = new SharedCluster("drained-commits");

    @Test
    void shouldCommitEachRecordOfAnIdleEngineAndNothingElse() throws Exception {
        int examples = 5;
        try (EngineRunner engine = SharedCluster.startEngine(config(Map.of()))) {
            for (int sent = 1; sent <= examples; sent++) {
                cluster.send("m", example(sent));
                awaitPredictions(sent);
            }
            assertThat(transactions(examples)).isEqualTo(examples);
            // of the task, also those without an output: of a status and a checkpoint after a quiet second
            assertThat(commits(engine)).isBetween(1.0 * examples, examples + 2.0);
        }
    }

    @Test
    void shouldCommitOnceAtTheEndOfABacklogThatTakesManyFetches() throws Exception {
        int examples = 5_000;
        assertThat(cluster.run("topics", "create", "-D", "topics.partitions=1")).isZero();
        cluster.send(
                "m",
                IntStream.range(0, examples).mapToObj(CommitPaceIT::example).toArray(String[]::new));

        // a fetch returns one batch of the producer
        try (EngineRunner engine =
                SharedCluster.startEngine(config(Map.of("consumer.max.partition.fetch.bytes", "1")))) {
            awaitPredictions(examples);
            assertThat(transactions(examples)).isEqualTo(1);
            assertThat(commits(engine)).isEqualTo(1);
        }
    }

    @Test
    void shouldWaitForTheMinimumInterval() throws Exception {
        Map<String, String> longer = Map.of("commit.interval.min.ms", INTERVAL_MS);
        try (EngineRunner engine = SharedCluster.startEngine(config(longer))) {
            cluster.send("m", example(1));
            // none was before it
            awaitPredictions(1);
            for (int sent = 2; sent <= 3; sent++) {
                cluster.send("m", example(sent));
                awaitProcessed(engine, sent);
            }
            assertThat(commits(engine)).isEqualTo(1);
        }
        // committed by the shutdown
        assertThat(transactions(3)).isEqualTo(2);
    }

    private EngineConfig config(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "topics.partitions", "1",
                "commit.interval.ms", INTERVAL_MS,
                "commit.interval.min.ms", "0",
                // Kafka Streams requires it to be longer
                "producer.transaction.timeout.ms", "700000"));
        settings.putAll(more);
        return cluster.config(settings);
    }

    private static String example(int number) {
        return "{\"id\":\"" + number + "\",\"label\":" + (number % 2 == 0 ? 1 : -1) + ",\"features\":[1," + number
                + "]}";
    }

    private void awaitPredictions(int number) {
        await().atMost(PATIENCE)
                .until(() -> TopicLog.all(cluster.bootstrapServers(), cluster.topic(Topic.PREDICTIONS), 0)
                                .size()
                        == number);
    }

    /** Waits until this number of batches, here of one record each, is processed. */
    private static void awaitProcessed(EngineRunner engine, int batches) {
        await().atMost(PATIENCE).until(() -> metric(engine, "process-total") == batches);
    }

    /** Number of transactions with a prediction: each has an offset of its own for its end. */
    private long transactions(int predictions) {
        TopicPartition partition = new TopicPartition(cluster.topic(Topic.PREDICTIONS), 0);
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            return consumer.endOffsets(List.of(partition)).get(partition) - predictions;
        }
    }

    private static double commits(EngineRunner engine) {
        return metric(engine, "commit-total");
    }

    private static double metric(EngineRunner engine, String name) {
        return engine.streams().metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals("stream-thread-metrics")
                        && metric.metricName().name().equals(name))
                .mapToDouble(metric -> (Double) metric.metricValue())
                .sum();
    }
}
