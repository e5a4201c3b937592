package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The heap is really exhausted: the JVM ends, with the option that the launcher gives it, and a larger heap mends it.
 */
@Tag("chaos")
final class OutOfMemoryIT {
    /** Of the JVM's option ExitOnOutOfMemoryError. */
    private static final int EXIT_CODE = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MODELS = 40;
    private static final int FEATURES = 4_000;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(OutOfMemoryIT.class);

    @Test
    void shouldEndWhenTheHeapIsExhaustedAndGoOnWithALargerOne() throws Exception {
        // all models stay in memory, also large ones
        Map<String, String> settings = Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                "1",
                "store.heap.bytes",
                "2000000000");
        try (LoadedCluster cluster = LoadedCluster.start(directory, 1);
                EngineProcess engine = cluster.engine("engine", settings)) {
            heap(engine, 96);
            engine.start();
            await().atMost(PATIENCE)
                    .until(() -> cluster.admin().listTopics().names().get().contains("perceptron-examples"));
            send(cluster.bootstrapServers(), run.random());

            assertThat(engine.awaitEnd(PATIENCE.toSeconds())).isTrue();
            assertThat(engine.exitCode()).isEqualTo(EXIT_CODE);
            assertThat(LoadedCluster.tail(engine.log(), 50)).contains("OutOfMemoryError");

            heap(engine, 1_024);
            engine.start();
            await().atMost(PATIENCE).until(cluster::isAllProcessed);
            assertThat(engine.stop(60)).isTrue();
            run.say(cluster.requireExact());
        }
    }

    private static void heap(EngineProcess engine, int mebibytes) {
        // wins over the command line
        engine.setEnvironment("_JAVA_OPTIONS", "-XX:+ExitOnOutOfMemoryError -Xmx" + mebibytes + "m");
    }

    /** One example for each of many models, with features all over the index space. */
    private static void send(String bootstrapServers, Random random) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers), new StringSerializer(), new StringSerializer())) {
            for (int model = 0; model < MODELS; model++) {
                String indices = random.ints(0, 1 << 24)
                        .distinct()
                        .limit(FEATURES)
                        .sorted()
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(","));
                StringJoiner values = new StringJoiner(",");
                for (int k = 0; k < FEATURES; k++) {
                    values.add("1");
                }
                var unused = producer.send(new ProducerRecord<>(
                        "perceptron-examples",
                        "m" + model,
                        "{\"id\":\"" + model + "\",\"label\":1,\"features\":{\"indices\":[" + indices + "],\"values\":["
                                + values + "]}}"));
            }
        }
    }
}
