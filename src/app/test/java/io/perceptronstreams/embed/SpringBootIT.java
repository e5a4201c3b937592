package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.embedded.SharedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program of clients/spring-boot, with its own build and jar, on a broker: its results are those of a model without
 * Kafka.
 */
final class SpringBootIT {
    private static final SharedCluster CLUSTER = new SharedCluster("spring-boot");
    private static final Path JAR = Path.of("clients/spring-boot/target/fraud.jar");

    /** Of clients/spring-boot. */
    private static final Map<String, String> SETTINGS =
            Map.of("algorithm", "pa-i", "labels", "ok,fraud", "scale", "standard");

    @TempDir
    private Path directory;

    @Test
    void shouldLearnAsAModelWithoutKafka() throws Exception {
        assumeTrue(
                Files.exists(JAR),
                "skipped: needs ./mvnw install -DskipTests and ./mvnw -f clients/spring-boot/pom.xml package");
        OnlineModel model = OnlineModel.create(SETTINGS);
        List<String> expected = new ArrayList<>();
        createTopics();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", CLUSTER.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int n = 0; n < 200; n++) {
                int amount = n * 37 % 101;
                int night = n % 2;
                String verdict = n % 5 == 0 ? null : amount + 30 * night > 70 ? "fraud" : "ok";
                LearnExample example =
                        LearnExample.of("p" + n).feature("amount", amount).feature("night", night);
                expected.add(model.learn(verdict == null ? example : example.label(verdict))
                        .toString());
                var unused = producer.send(new ProducerRecord<>(
                        "payments",
                        "fr",
                        "p" + n + " " + amount + " " + night + (verdict == null ? "" : " " + verdict)));
            }
        }
        Path log = directory.resolve("log");
        Process program = new ProcessBuilder(
                        JavaProcess.tool("java"),
                        "-jar",
                        JAR.toString(),
                        "--spring.kafka.bootstrap-servers=" + CLUSTER.bootstrapServers(),
                        "--spring.kafka.streams.application-id=" + CLUSTER.prefix() + "fraud",
                        "--spring.kafka.streams.state-dir=" + directory.resolve("state"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(results(expected.size(), program))
                    .as(Files.readString(log))
                    .isEqualTo(expected);
        } finally {
            program.destroy();
            program.onExit().join();
        }
    }

    private static void createTopics() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", (Object) CLUSTER.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic("payments", 1, (short) 1), new NewTopic("payment-results", 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    /** Waits for a number of committed results; returns fewer if the program ends before. */
    private static List<String> results(int count, Process program) {
        TopicPartition partition = new TopicPartition("payment-results", 0);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", CLUSTER.bootstrapServers(), "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<String> results = new ArrayList<>();
            await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(90)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(each -> results.add(each.value()));
                return results.size() >= count || !program.isAlive();
            });
            return results;
        }
    }
}
