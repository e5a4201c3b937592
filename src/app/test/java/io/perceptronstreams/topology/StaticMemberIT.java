package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.MissingSourceTopicException;
import org.junit.jupiter.api.Test;

/** An engine that restarts as the static member that it was. */
class StaticMemberIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SharedCluster cluster = new SharedCluster("member");
    private final EngineConfig config = cluster.config(Map.of(
            "group.instance.id",
            "engine",
            "topics.partitions",
            "1",
            // the default is five minutes
            "consumer.metadata.max.age.ms",
            "1000",
            // far longer than the test
            "consumer.session.timeout.ms",
            "300000",
            "consumer.max.poll.interval.ms",
            "300000"));
    private final String examples = cluster.topic(Topic.EXAMPLES);

    /**
     * The brokers gave it the assignment of its last generation, which says that the topic is missing, so that it ended
     * again until its session timed out.
     */
    @Test
    void shouldStartAgainAfterItsExamplesWereMissing() throws Exception {
        try (Admin admin = Admin.create(config.admin())) {
            try (EngineRunner engine = SharedCluster.startEngine(config)) {
                admin.deleteTopics(List.of(examples)).all().get();
                assertThat(engine.awaitEnd()).isInstanceOf(MissingSourceTopicException.class);
            }
            assertThat(EngineGroup.members(admin, config))
                    .extracting(EngineGroup.Member::instanceId)
                    .isNotEmpty();
            await().atMost(PATIENCE)
                    .until(() -> !admin.listTopics().names().get().contains(examples));
            cluster.output("topics create --partitions 1 -D topics.prefix=" + cluster.prefix());

            try (EngineRunner engine = new EngineRunner(config)) {
                engine.start();
                cluster.send("m", "{\"label\":1,\"features\":[1]}");
                await().atMost(PATIENCE).until(() -> engine.hasEnded() || committed(admin) == 1);
                assertThat(engine.hasEnded()).isFalse();
            }
        }
    }

    private long committed(Admin admin) throws Exception {
        OffsetAndMetadata committed = admin.listConsumerGroupOffsets(config.applicationId())
                .partitionsToOffsetAndMetadata()
                .get()
                .get(new TopicPartition(examples, 0));
        return committed == null ? 0 : committed.offset();
    }
}
