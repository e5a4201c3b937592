package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The places where the members of a group begin to send alerts. */
final class AlertWebhookTest {
    private static final String TOPIC = "perceptron-alerts";
    private static final TopicPartition OWN = new TopicPartition(TOPIC, 0);
    private static final TopicPartition OTHER = new TopicPartition(TOPIC, 1);

    /** Commits of offsets are visible also for partitions that the member does not have. */
    private static class Member extends MockConsumer<byte[], byte[]> {
        private volatile Map<TopicPartition, OffsetAndMetadata> commit = Map.of();

        Member() {
            super("earliest");
            List<PartitionInfo> partitions = List.of(
                    new PartitionInfo(TOPIC, 0, null, null, null), new PartitionInfo(TOPIC, 1, null, null, null));
            updatePartitions(TOPIC, partitions);
            updateBeginningOffsets(Map.of(OWN, 0L, OTHER, 0L));
            updateEndOffsets(Map.of(OWN, 5L, OTHER, 7L));
            schedulePollTask(() -> rebalance(List.of(OWN)));
        }

        /** Ends of both partitions are later ones. */
        Member withEnds(long own, long other) {
            updateEndOffsets(Map.of(OWN, own, OTHER, other));
            return this;
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            super.commitSync(offsets);
            commit = offsets;
        }
    }

    /** A second member that began later took the group for an old one, and sent all alerts of its partition. */
    @Test
    void shouldBeginANewGroupAtTheEndOfAllPartitions() {
        Member member = new Member();
        EngineConfig config =
                EngineConfig.of(Map.of("alerts.webhook.url", "http://127.0.0.1:1/hook"), Map.of(), null, Map.of());
        try (SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://alert-webhook"));
                AlertWebhook webhook = new AlertWebhook(config, () -> member, registry)) {
            webhook.start();
            await().until(() -> !member.commit.isEmpty());
            assertThat(member.commit).isEqualTo(Map.of(OWN, new OffsetAndMetadata(5), OTHER, new OffsetAndMetadata(7)));
        }
    }

    /** It looked for the end again: alerts between both were not sent. */
    @Test
    void shouldBeginANewGroupAtTheFirstEndsAlsoWhereItsFirstCommitFails() {
        Member second = new Member().withEnds(9, 8);
        Member first = new Member() {
            @Override
            public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
                throw new KafkaException("no coordinator");
            }
        };
        Iterator<Member> members = List.of(first, second).iterator();
        EngineConfig config =
                EngineConfig.of(Map.of("alerts.webhook.url", "http://127.0.0.1:1/hook"), Map.of(), null, Map.of());
        try (SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://alert-webhook"));
                AlertWebhook webhook = new AlertWebhook(config, members::next, registry)) {
            webhook.start();
            await().until(() -> !second.commit.isEmpty());
            assertThat(second.commit).isEqualTo(Map.of(OWN, new OffsetAndMetadata(5), OTHER, new OffsetAndMetadata(7)));
        }
    }
}
