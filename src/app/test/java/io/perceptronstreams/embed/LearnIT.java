package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.SharedCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link Learn} on a broker, exactly once: a thread that fails in a transaction, then a lost directory, change no bit.
 */
final class LearnIT {
    private static final SharedCluster CLUSTER = new SharedCluster("learn-embedded");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int HALF = 150;
    // the models are in the stores of both tasks
    private static final int PARTITIONS = 2;

    @TempDir
    private Path directory;

    @Test
    void shouldLearnExactlyOnceThroughAFailureAndALostDirectory() throws Exception {
        createTopics();
        LearningApplication.Expected expected = LearningApplication.Expected.of(2 * HALF);

        produce(0, HALF);
        AtomicInteger failures = new AtomicInteger(1);
        try (KafkaStreams first = start(failures, "lost")) {
            awaitResults(HALF);
            assertThat(first.state().isRunningOrRebalancing()).isTrue();
        }
        assertThat(failures).hasValue(0);
        produce(HALF, 2 * HALF);
        try (KafkaStreams streams = start(new AtomicInteger(), "empty")) {
            assertThat(awaitResults(2 * HALF)).isEqualTo(expected.results());
            ReadOnlyKeyValueStore<Bytes, byte[]> store = streams.store(
                    StoreQueryParameters.fromNameAndType("fraud-models", QueryableStoreTypes.keyValueStore()));
            expected.models()
                    .forEach((name, bytes) ->
                            assertThat(Learn.toBytes(store, name)).as(name).isEqualTo(bytes));
        }
    }

    private static String topic(String name) {
        return CLUSTER.prefix() + name;
    }

    private static void createTopics() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", (Object) CLUSTER.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic(topic(LearningApplication.INPUT), PARTITIONS, (short) 1),
                            new NewTopic(topic(LearningApplication.OUTPUT), PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    private static void produce(int first, int end) {
        try (KafkaProducer<String, Integer> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", CLUSTER.bootstrapServers()),
                new StringSerializer(),
                new IntegerSerializer())) {
            for (int number = first; number < end; number++) {
                var unused = producer.send(new ProducerRecord<>(
                        topic(LearningApplication.INPUT), LearningApplication.key(number), number));
            }
        }
    }

    /** Starts the application; behind the processor it fails so often, in the middle of a transaction. */
    private KafkaStreams start(AtomicInteger failures, String stateDirectory) {
        Properties config = new Properties();
        config.putAll(Map.of(
                StreamsConfig.APPLICATION_ID_CONFIG,
                CLUSTER.prefix(),
                StreamsConfig.BOOTSTRAP_SERVERS_CONFIG,
                CLUSTER.bootstrapServers(),
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                StreamsConfig.EXACTLY_ONCE_V2,
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve(stateDirectory).toString(),
                "auto.offset.reset",
                "earliest",
                // the failed thread stays in the group for so long
                "session.timeout.ms",
                "6000",
                "heartbeat.interval.ms",
                "1000"));
        KafkaStreams streams = new KafkaStreams(
                LearningApplication.topology(CLUSTER.prefix(), results -> failing(results, failures)), config);
        streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
        streams.start();
        return streams;
    }

    private static KStream<String, LearnResult> failing(KStream<String, LearnResult> results, AtomicInteger failures) {
        return results.peek((name, result) -> {
            boolean isChosen = result.id().equals("e" + (HALF - 30 * failures.get()));
            if (isChosen && failures.getAndDecrement() > 0) {
                throw new IllegalStateException("meant to fail");
            }
        });
    }

    /** Waits for a number of committed results; returns them by model. */
    private static Map<String, List<String>> awaitResults(int count) {
        List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(topic(LearningApplication.OUTPUT), number))
                .toList();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", CLUSTER.bootstrapServers(), "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            await().dontCatchUncaughtExceptions().atMost(PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= count;
            });
            Map<String, List<String>> results = new HashMap<>();
            records.forEach(each -> results.computeIfAbsent(each.key(), unused -> new ArrayList<>())
                    .add(each.value()));
            return results;
        }
    }
}
