package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.registry.DenyingRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An engine of one thread and several partitions, whose registry does not give the schema of one record. */
final class HeldPartitionsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PARTITIONS = 2;

    private final SharedCluster cluster = new SharedCluster("held-partitions");

    private Map<String, String> settings(long graceMs) {
        return new HashMap<>(Map.of(
                "topics.partitions", Integer.toString(PARTITIONS),
                "num.stream.threads", "1",
                "unknown.schema.grace.ms", Long.toString(graceMs)));
    }

    private void send(String model, byte[] value) throws Exception {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(cluster.config(Map.of()))) {
            producer.send(new ProducerRecord<>(cluster.topic(Topic.EXAMPLES), Utils.utf8(model), value))
                    .get();
        }
    }

    private static String example(int number) {
        return "{\"id\":\"" + number + "\",\"label\":1,\"features\":[1," + number + "]}";
    }

    private int outputs(Topic topic, int partition) {
        return TopicLog.all(cluster.bootstrapServers(), cluster.topic(topic), partition)
                .size();
    }

    private void awaitOutputs(Topic topic, int partition, int number) {
        await().atMost(PATIENCE).until(() -> outputs(topic, partition) == number);
    }

    /** Written like ours, under another id: one that the engine has to ask for. */
    private static Schema otherVersion() {
        String text = EventSchemas.schema("Example").toString();
        return new Schema.Parser().parse(text.replace("\"name\":\"Candidate\"", "\"name\":\"Candidate2\""));
    }

    // All models waited for the grace of one unknown id, also those of the other partitions.
    @Test
    @Tag("full")
    void shouldGoOnWithTheOtherPartitionsWhileOneWaitsForASchema() throws Exception {
        int unknown = 48_689;
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(settings(50_000)))) {
            cluster.send("a", example(1));
            cluster.send("d", example(1));
            awaitOutputs(Topic.PREDICTIONS, 0, 1);
            awaitOutputs(Topic.PREDICTIONS, 1, 1);

            send("a", Wire.example(unknown, Wire.dense(1)));
            for (int k = 2; k <= 3; k++) {
                cluster.send("a", example(k));
                cluster.send("d", example(k));
                awaitOutputs(Topic.PREDICTIONS, 1, k);
            }

            assertThat(engine.waits())
                    .singleElement()
                    .asString()
                    .startsWith("partition 0 at offset 1 waits ")
                    .contains("schema id " + unknown + " is unknown");
            assertThat(outputs(Topic.PREDICTIONS, 0)).isEqualTo(1);
        }
        // the next start reads the record again; without a grace, it is refused, and those behind it are predicted
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(settings(0)))) {
            awaitOutputs(Topic.PREDICTIONS, 0, 3);
            assertThat(letters()).containsExactly("UNKNOWN_SCHEMA");
            assertThat(engine.waits()).isEmpty();
        }
    }

    private List<String> letters() {
        List<String> reasons = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TopicLog.all(cluster.bootstrapServers(), cluster.topic(Topic.DEAD_LETTERS), partition)
                    .forEach(letter -> reasons.add(Utils.utf8(
                            letter.headers().lastHeader("perceptron-reason").value())));
        }
        return reasons;
    }

    // Nothing was processed any more, without end, and nothing but the log said so.
    @Test
    void shouldRefuseADeniedSchemaAndWaitWhileAllAreDenied() throws Exception {
        try (DenyingRegistry registry = new DenyingRegistry(cluster.registryUrl());
                SchemaRegistry client =
                        SchemaRegistries.of(cluster.config(Map.of()).registry())) {
            int denied = client.register("held-denied-value", otherVersion());
            int later = client.register("held-later-value", EventSchemas.schema("Label"));
            Map<String, String> settings = settings(2_000);
            settings.put("schema.registry.url", registry.url());
            try (EngineRunner engine = SharedCluster.startEngine(cluster.config(settings))) {
                registry.deny(path -> path.equals("/schemas/ids/" + denied));
                send("a", Wire.example(denied, Wire.dense(1)));
                cluster.send("a", example(1));
                cluster.send("d", example(1));

                awaitOutputs(Topic.PREDICTIONS, 1, 1);
                awaitOutputs(Topic.PREDICTIONS, 0, 1);
                assertThat(letters()).containsExactly("UNKNOWN_SCHEMA");

                // as with credentials that have expired
                registry.deny(path -> true);
                send("a", Wire.example(later, Wire.dense(2)));
                cluster.send("d", example(2));
                awaitOutputs(Topic.PREDICTIONS, 1, 2);
                await().atMost(PATIENCE)
                        .until(() -> engine.waits().stream()
                                .anyMatch(line -> line.contains("attempt 3") && line.contains("403")));
                assertThat(letters()).hasSize(1);

                registry.deny(path -> false);
                await().atMost(PATIENCE).until(() -> engine.waits().isEmpty());
                cluster.send("a", example(2));
                awaitOutputs(Topic.PREDICTIONS, 0, 2);
            }
        }
    }
}
