package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code perceptron client-check --readers}: two records by which a consumer shows what it sees. */
final class ReaderCheckIT {
    @ParameterizedTest
    @ValueSource(strings = {"avro", "json"})
    void shouldShowWhoReadsAbortedRecords(String format) {
        SharedCluster cluster = new SharedCluster("readers-" + format);
        // twice: the topic exists the second time
        cluster.output("client-check --readers -D output.format=" + format);
        String output = cluster.output("client-check --readers --json -D output.format=" + format);
        assertThat(output)
                .matches("\\{\"topic\":\"" + cluster.prefix()
                        + "-client-check\",\"id\":\"[0-9a-f]{8}\",\"aborted\":4,\"committed\":6}\n");
        String id = output.replaceAll("(?s).*\"id\":\"(.*?)\".*", "$1");

        List<ConsumerRecord<byte[], byte[]>> all = read(cluster, "read_uncommitted", 4);
        List<ConsumerRecord<byte[], byte[]>> committed = read(cluster, "read_committed", 2);

        assertThat(all).extracting(ConsumerRecord::offset).containsExactly(0L, 2L, 4L, 6L);
        assertThat(committed).extracting(ConsumerRecord::offset).containsExactly(2L, 6L);
        assertThat(text(all.get(2))).contains("you must not see this record", "isolation.level=read_committed", id);
        assertThat(text(all.get(3))).contains("you must see this record", id);
        assertThat(all).allSatisfy(record -> {
            assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("perceptron-client-check");
            assertNoPrediction(cluster, record);
        });
    }

    private static void assertNoPrediction(SharedCluster cluster, ConsumerRecord<byte[], byte[]> record) {
        EngineConfig config = cluster.config(Map.of());
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            Assertions.assertThatIllegalArgumentException()
                    .isThrownBy(() -> EventReader.of(Prediction.class, registry).read(record.value()));
        }
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8);
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(SharedCluster cluster, String isolation, int count) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", cluster.bootstrapServers());
        properties.put("isolation.level", isolation);
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(cluster.prefix() + "-client-check", 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (consumer.position(partition) < end && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            assertThat(records).hasSize(count);
            return records;
        }
    }
}
