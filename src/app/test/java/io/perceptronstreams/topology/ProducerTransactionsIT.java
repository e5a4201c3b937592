package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cli.RunningMonitor;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Producers that write examples in transactions, and abort some of these or leave them open. */
final class ProducerTransactionsIT {
    private static final long SEED = Long.getLong("test.seed", 20_261_123);
    private static final int PARTITIONS = 2;
    private static final int TRANSACTIONS = 100;
    private static final int EXAMPLES = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Random random = new Random(SEED);
    private final List<String> committed = new ArrayList<>();
    private final SharedCluster cluster = new SharedCluster("producer-transactions");
    private EngineConfig config;
    private EngineRunner engine;
    private KafkaProducer<byte[], byte[]> transactional;
    private KafkaProducer<byte[], byte[]> plain;
    private int ids;

    @BeforeEach
    void start() throws InterruptedException {
        config = cluster.config(Map.of("topics.partitions", Integer.toString(PARTITIONS)));
        engine = SharedCluster.startEngine(config);
        transactional = producer(Map.of("transactional.id", "sender-of-examples"));
        transactional.initTransactions();
        plain = producer(Map.of());
    }

    @AfterEach
    void stop() {
        plain.close();
        transactional.close(Duration.ZERO);
        engine.close();
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, String> more) {
        Map<String, Object> settings = new HashMap<>(config.clients());
        settings.putAll(more);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Test
    void shouldLearnCommittedExamplesOnly() throws Exception {
        int aborted = 0;
        for (int number = 0; number < TRANSACTIONS; number++) {
            boolean isAborted = random.nextBoolean();
            transactional.beginTransaction();
            for (int k = 0; k < EXAMPLES; k++) {
                boolean isPlain = random.nextInt(5) == 0;
                String id = send(isPlain ? plain : transactional, isAborted && !isPlain ? "aborted-" : "", "a");
                if (isPlain || !isAborted) {
                    committed.add(id);
                }
            }
            if (isAborted) {
                aborted++;
                // also on the broker, not only in the memory of the producer
                transactional.flush();
                transactional.abortTransaction();
            } else {
                transactional.commitTransaction();
            }
        }
        System.out.println("ProducerTransactionsIT, seed " + SEED + ": " + aborted + " of " + TRANSACTIONS
                + " transactions aborted, " + committed.size() + " examples committed");
        assertThat(aborted).isBetween(TRANSACTIONS / 4, 3 * TRANSACTIONS / 4);

        await().atMost(PATIENCE).until(() -> predicted().size() >= committed.size());
        assertThat(predicted()).containsExactlyInAnyOrderElementsOf(committed);
        requireExact();
    }

    @Test
    @Tag("full")
    void shouldWaitForAnOpenTransactionAndGoOnElsewhere() throws Exception {
        transactional.beginTransaction();
        send(transactional, "aborted-", modelOf(0));
        transactional.flush();
        // behind the open transaction in the same partition, and in another one
        String behind = send(plain, "", modelOf(0));
        String elsewhere = send(plain, "", modelOf(1));

        await().atMost(PATIENCE).until(() -> predicted().contains(elsewhere));
        assertThat(predicted()).containsExactly(elsewhere);
        assertThat(engine.streams().state().isRunningOrRebalancing()).isTrue();
        String line = config.topic(Topic.EXAMPLES)
                + "-0 waits for the end of another producer's transaction, open at offset 0 of 2:";
        try (LogLines log = new LogLines();
                RunningMonitor monitor = RunningMonitor.open(config, 0, null)) {
            monitor.start(null);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(log.lines()).anyMatch(each -> each.contains(line)));
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(get(monitor.url() + "api/v1/engine")).contains("\"fault\":\"" + line));
        }

        transactional.abortTransaction();
        await().atMost(PATIENCE).until(() -> predicted().contains(behind));
        assertThat(predicted()).containsExactlyInAnyOrder(behind, elsewhere);
        requireExact();
    }

    private static String get(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Sends an example and returns its id. */
    private String send(KafkaProducer<byte[], byte[]> producer, String prefix, String model) throws Exception {
        String id = prefix + ids++;
        String value = "{\"id\":\"" + id + "\",\"label\":" + (random.nextBoolean() ? 1 : -1) + ",\"features\":["
                + random.nextGaussian() + "," + random.nextGaussian() + "]}";
        var sent = producer.send(
                new ProducerRecord<>(config.topic(Topic.EXAMPLES), partition(model), null, utf8(model), utf8(value)));
        if (producer == plain) {
            sent.get();
        }
        return id;
    }

    /** A model that lies in a partition. */
    private static String modelOf(int partition) {
        return Stream.of("a", "b", "c", "d", "e", "f", "g")
                .filter(name -> partition(name) == partition)
                .findFirst()
                .orElseThrow();
    }

    private static int partition(String model) {
        return Utils.toPositive(Utils.murmur2(utf8(model))) % PARTITIONS;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Ids of all examples with a committed prediction. */
    private List<String> predicted() {
        List<String> ids = new ArrayList<>();
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicLog.all(cluster.bootstrapServers(), config.topic(Topic.PREDICTIONS), partition)
                        .forEach(record -> ids.add(EngineDriver.decode(registry, record.value())
                                .get("exampleId")
                                .toString()));
            }
        }
        return ids;
    }

    /** Weights and all outputs are those of one pass over the committed examples. */
    private void requireExact() {
        engine.close();
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            Map<Topic, Long> compared =
                    new LogComparison(cluster.bootstrapServers(), registry, PARTITIONS, cluster.prefix()).run();
            assertThat(compared).doesNotContainKey(Topic.DEAD_LETTERS);
        }
    }
}
