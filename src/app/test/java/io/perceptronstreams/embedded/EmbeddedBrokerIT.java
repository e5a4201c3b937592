package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedBrokerIT {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    @TempDir
    Path directory;

    @TempDir
    Path logs;

    @Test
    void shouldKeepEverythingOverAKill() throws Exception {
        String clusterId;
        try (var killed = ClusterProcess.start(directory, logs.resolve("log"))) {
            clusterId = clusterId(killed.bootstrapServers());
            createTopic(killed.bootstrapServers());
            write(killed.bootstrapServers(), "w-1", List.of("a", "b"));
            writeAndCommitOffset(killed.bootstrapServers(), "c");
        }
        try (var broker = EmbeddedBroker.start(directory, 0)) {
            assertThat(clusterId(broker.bootstrapServers())).isEqualTo(clusterId);
            assertThat(readCommitted(broker.bootstrapServers(), 3)).containsExactly("a", "b", "c");
            assertThat(committedOffset(broker.bootstrapServers())).isEqualTo(3);
            write(broker.bootstrapServers(), "w-1", List.of("d"));
        }
        try (var broker = EmbeddedBroker.start(directory, 0)) {
            assertThat(readCommitted(broker.bootstrapServers(), 4)).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void shouldRefuseADirectoryThatAnotherProcessUses() throws Exception {
        try (var other = ClusterProcess.start(directory, logs.resolve("log"))) {
            assertThatThrownBy(() -> EmbeddedBroker.start(directory, 0))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessage("data directory " + directory
                            + " is used by another process; stop that or choose another with " + "--data-dir");
            assertThat(clusterId(other.bootstrapServers())).isNotEmpty();
        }
    }

    @Test
    void shouldRefuseAPortInUseAndLeaveTheDirectoryFree() throws Exception {
        try (var taken = new ServerSocket(0, 1, loopback(1))) {
            assertThatThrownBy(() -> EmbeddedBroker.start(directory, taken.getLocalPort()))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessage("port " + taken.getLocalPort()
                            + " cannot be opened: Address already in use; choose another with --broker-port");
        }
        EmbeddedBroker.start(directory, 0).close();
    }

    @Test
    void shouldRefuseListenersOfTheCaller() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedBroker.start(directory, 0, Map.of("listeners", "PLAINTEXT://0.0.0.0:9092")))
                .withMessageContaining("[listeners] are set by the embedded broker itself");
    }

    @Test
    void shouldSayWhatIsWrongWithAPropertyOfTheCaller() {
        assertThatThrownBy(() -> EmbeddedBroker.start(directory, 0, Map.of("num.io.threads", "none")))
                .isInstanceOf(EmbeddedException.class)
                .hasMessageContaining("num.io.threads");
    }

    /** Otherwise the slowest hundredth of the predictions of many partitions comes later (docs/sizing.md). */
    @Test
    void shouldTryAPartitionWithoutTheEndOfItsTransactionAgainSoon() throws Exception {
        try (var broker = EmbeddedBroker.start(directory, 0);
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            String id = admin.describeCluster().nodes().get().iterator().next().idString();
            var resource = new ConfigResource(ConfigResource.Type.BROKER, id);

            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);

            assertThat(config.get("add.partitions.to.txn.retry.backoff.ms").value())
                    .isEqualTo("2");
        }
    }

    @Test
    void shouldListenOnOneLoopbackAddressAndLeaveNothingBehind() throws Exception {
        var before = threads();
        int port;
        try (var broker = EmbeddedBroker.start(directory, 0, Map.of("message.max.bytes", "2000000"))) {
            port = broker.port();
            assertThat(config(broker.bootstrapServers(), "message.max.bytes")).isEqualTo("2000000");
            assertThat(config(broker.bootstrapServers(), "auto.create.topics.enable"))
                    .isEqualTo("false");
            new Socket(loopback(1), port).close();
            // a broker on all addresses would also be reachable on this address
            assertThatThrownBy(() -> new Socket(loopback(2), port).close()).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> new Socket(loopback(1), port).close()).isInstanceOf(IOException.class);
        await().untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
    }

    /** 127.0.0.{@code last}. */
    private static InetAddress loopback(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    /** Threads that would keep the process from ending. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.isDaemon())
                .map(Thread::getName)
                .filter(thread -> !thread.startsWith("awaitility"))
                .collect(Collectors.toSet());
    }

    private static Admin admin(String bootstrapServers) {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    private static String clusterId(String bootstrapServers) throws Exception {
        try (var admin = admin(bootstrapServers)) {
            return admin.describeCluster().clusterId().get();
        }
    }

    private static String config(String bootstrapServers, String name) throws Exception {
        var broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        try (var admin = admin(bootstrapServers)) {
            return admin.describeConfigs(List.of(broker))
                    .all()
                    .get()
                    .get(broker)
                    .get(name)
                    .value();
        }
    }

    private static void createTopic(String bootstrapServers) throws Exception {
        try (var admin = admin(bootstrapServers)) {
            admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
        }
    }

    private static KafkaProducer<String, String> producer(String bootstrapServers, String transactionalId) {
        var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "transactional.id", transactionalId),
                new StringSerializer(),
                new StringSerializer());
        producer.initTransactions();
        return producer;
    }

    private static void write(String bootstrapServers, String transactionalId, List<String> values) {
        try (var producer = producer(bootstrapServers, transactionalId)) {
            producer.beginTransaction();
            for (String value : values) {
                // a failed send makes the commit fail
                var unused = producer.send(new ProducerRecord<>("t", value));
            }
            producer.commitTransaction();
        }
    }

    private static void writeAndCommitOffset(String bootstrapServers, String value) {
        try (var producer = producer(bootstrapServers, "w-2");
                var consumer = consumer(bootstrapServers)) {
            producer.beginTransaction();
            var unused = producer.send(new ProducerRecord<>("t", value));
            producer.sendOffsetsToTransaction(Map.of(PARTITION, new OffsetAndMetadata(3)), consumer.groupMetadata());
            producer.commitTransaction();
        }
    }

    private static KafkaConsumer<String, String> consumer(String bootstrapServers) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "group.id",
                        "g",
                        "isolation.level",
                        "read_committed",
                        "enable.auto.commit",
                        "false"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private static long committedOffset(String bootstrapServers) {
        try (var consumer = consumer(bootstrapServers)) {
            return consumer.committed(Set.of(PARTITION)).get(PARTITION).offset();
        }
    }

    private static List<String> readCommitted(String bootstrapServers, int count) {
        var values = new ArrayList<String>();
        try (var consumer = consumer(bootstrapServers)) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(each -> values.add(each.value()));
                return values.size() >= count;
            });
        }
        return values;
    }
}
