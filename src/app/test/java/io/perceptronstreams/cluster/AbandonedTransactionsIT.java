package io.perceptronstreams.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that was paused has lost a partition, and does not know it. */
@Tag("full")
final class AbandonedTransactionsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final SharedCluster cluster = new SharedCluster("abandoned");
    private final EngineConfig config = cluster.config(Map.of("topics.partitions", "2"));

    // after a pause, it aborted a transaction of the next owner for up to half a minute
    @Test
    void shouldAbortTransactionsOnlyInPartitionsThatTheGroupHasGivenToThisProcess() throws Exception {
        String id = cluster.prefix() + "-" + UUID.randomUUID() + "-1";
        AtomicBoolean isOver = new AtomicBoolean();
        try (Admin admin = Admin.create(config.admin());
                KafkaProducer<byte[], byte[]> producer = producer(id)) {
            TopicCreator.create(admin, config);
            admin.createTopics(List.of(new NewTopic(config.changelog(), 2, (short) 1)))
                    .all()
                    .get();
            Thread owner = new Thread(() -> consume("owner", isOver));
            owner.start();
            await().atMost(PATIENCE)
                    .until(() -> EngineGroup.members(admin, config).stream()
                            .anyMatch(member -> member.partitions().size() == 2));
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(config.changelog(), 1, new byte[1], new byte[1]))
                    .get();

            abandoned("paused").abort(admin, Set.of(0, 1));
            assertThat(state(admin, id)).isEqualTo(TransactionState.ONGOING);
            // nothing is open there
            abandoned("owner").abort(admin, Set.of(0));
            assertThat(state(admin, id)).isEqualTo(TransactionState.ONGOING);

            abandoned("owner").abort(admin, Set.of(0, 1));
            await().atMost(PATIENCE).until(() -> state(admin, id) != TransactionState.ONGOING);
            isOver.set(true);
            owner.join();
        }
    }

    private AbandonedTransactions abandoned(String client) {
        return new AbandonedTransactions(config, Set::of, () -> Set.of(client));
    }

    private static TransactionState state(Admin admin, String id) throws Exception {
        return admin.describeTransactions(List.of(id)).description(id).get().state();
    }

    private KafkaProducer<byte[], byte[]> producer(String id) {
        Map<String, Object> settings = new HashMap<>(config.clients("producer."));
        settings.put("transactional.id", id);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void consume(String client, AtomicBoolean isOver) {
        Map<String, Object> settings = new HashMap<>(config.clients("consumer."));
        settings.put("group.id", config.applicationId());
        settings.put("client.id", client);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(config.topic(Topic.EXAMPLES)));
            while (!isOver.get()) {
                var unused = consumer.poll(Duration.ofMillis(100));
            }
        }
    }
}
