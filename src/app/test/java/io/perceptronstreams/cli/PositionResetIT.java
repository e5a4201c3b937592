package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Offsets, input or changelog are lost between two runs of the engine: one line of error, and a reset repairs it. */
@Tag("full")
class PositionResetIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final SharedCluster CLUSTER = new SharedCluster("position-reset");
    private static Admin admin;

    @TempDir
    Path dir;

    private SharedCluster cluster;
    private String prefix;
    private TopicPartition input;

    @BeforeAll
    static void connect() {
        admin = Admin.create(Map.of("bootstrap.servers", CLUSTER.bootstrapServers()));
    }

    @AfterAll
    static void disconnect() {
        admin.close();
    }

    /** A first run that learns ten examples. */
    private void learn(String name) throws Exception {
        cluster = new SharedCluster(name);
        prefix = cluster.prefix();
        input = new TopicPartition(prefix + "-examples", 0);
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(10);
            awaitPredictions(10);
        }
        awaitEmptyGroup();
    }

    /** Removes the group members at once, which otherwise stay until their session time-out. */
    private void awaitEmptyGroup() {
        admin.removeMembersFromConsumerGroup(prefix, new RemoveMembersFromConsumerGroupOptions());
        await().atMost(PATIENCE)
                .until(() -> admin.describeConsumerGroups(List.of(prefix))
                        .describedGroups()
                        .get(prefix)
                        .get()
                        .members()
                        .isEmpty());
    }

    @Test
    void shouldGoOnWithoutAnyReplayAfterAnOrdinaryStop() throws Exception {
        learn("ordinary");
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(5);
            awaitPredictions(15);
            assertThat(engine.restoration().replays()).isEmpty();
        }
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseOffsetsThatWereSetBack() throws Exception {
        learn("rewound");
        admin.alterConsumerGroupOffsets(prefix, Map.of(input, new OffsetAndMetadata(0)))
                .all()
                .get();
        refused(prefix + "-examples-0 must continue at offset 10", "got 0", "topics reset --skip-gap");
        reset("--skip-gap");
        goOn(5, 15);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseToLearnAllAgainWhereTheOffsetsExpired() throws Exception {
        learn("expired");
        admin.deleteConsumerGroupOffsets(prefix, Set.of(input)).all().get();
        refused(prefix + "-examples-0 must continue at offset 10", "got 0");
        reset("--to-earliest");
        // all examples again, by a deleted model
        goOn(5, 25);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseAGap() throws Exception {
        learn("gap");
        send(10);
        admin.deleteRecords(Map.of(input, RecordsToDelete.beforeOffset(15)))
                .all()
                .get();
        refused(prefix + "-examples-0 must still have the records from offset 10 on", "got 15");
        reset("--skip-gap");
        assertThat(cluster.output())
                .doesNotContain("a second time")
                .contains("; offsets 10 to 14 were deleted before they were learned");
        goOn(0, 15);
        assertThat(seen()).isEqualTo(15);
        cluster.output(command("watch alerts --from-beginning --limit 1 --json"));
        assertThat(cluster.objects().get(0).get("message").asText())
                .matches(
                        "the position of \\S+-examples-0 was set by hand: .* topics reset --skip-gap by .*, offset 15; offsets"
                                + " 10 to 14 were deleted before they were learned");
    }

    // those between the stored position and the lost offset were sent on again, and learned twice there
    @Test
    void shouldNotSendRecordsOnTwiceBehindAFence() throws Exception {
        cluster = new SharedCluster("fenced");
        prefix = cluster.prefix();
        input = new TopicPartition(prefix + "-examples", 0);
        InputPosition atFence;
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(10);
            awaitPredictions(10);
            cluster.output(command("topics repartition --to 2 --yes"));
            atFence = position();
            send(5);
            awaitSentOn(5);
        }
        awaitEmptyGroup();
        assertThat(atFence.fence()).isNotNull();
        assertThat(position().next()).isGreaterThan(atFence.next());
        // as a kill leaves it that hits before the next checkpoint
        write(atFence);
        admin.alterConsumerGroupOffsets(prefix, Map.of(input, new OffsetAndMetadata(0)))
                .all()
                .get();
        reset("--skip-gap");
        assertThat(cluster.output()).doesNotContain("deleted before they were learned");
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(2);
            awaitSentOn(7);
        }
        assertThat(sentOn()).isEqualTo(7);
    }

    private InputPosition position() {
        InputPosition[] last = new InputPosition[1];
        try (TopicScan scan = TopicScan.open(config(), config().changelog())) {
            scan.readAll(record -> {
                if (Bytes.wrap(record.key()).equals(ModelKeys.POSITION)) {
                    last[0] = InputPosition.decode(record.value());
                }
            });
        }
        return last[0];
    }

    private void write(InputPosition position) throws Exception {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config())) {
            producer.send(new ProducerRecord<>(config().changelog(), 0, ModelKeys.POSITION.get(), position.encode()))
                    .get();
        }
    }

    private void awaitSentOn(int count) {
        await().atMost(PATIENCE).until(() -> sentOn() >= count);
    }

    private int sentOn() {
        int[] count = {0};
        try (TopicScan scan = TopicScan.open(config(), prefix + "-gen2-examples")) {
            scan.readAll(record -> count[0]++);
        }
        return count[0];
    }

    @Test
    void shouldRefuseAnInputThatWasMadeAnew() throws Exception {
        learn("anew");
        admin.deleteTopics(List.of(input.topic())).all().get();
        await().atMost(PATIENCE).until(() -> !admin.listTopics().names().get().contains(input.topic()));
        cluster.output(command("topics create --partitions 1 -D models.defaults="));
        send(3);
        // the offsets are deleted with the topic
        admin.alterConsumerGroupOffsets(prefix, Map.of(input, new OffsetAndMetadata(0)))
                .all()
                .get();
        refused(prefix + "-examples must be the topic that the models have learned");
        reset("--skip-gap");
        goOn(2, 15);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseAChangelogThatIsGone() throws Exception {
        learn("gone");
        admin.deleteTopics(List.of(prefix + "-models-changelog")).all().get();
        refused(prefix + "-models-changelog must contain the models", "got no such topic");
        reset("--to-earliest");
        assertThat(cluster.output())
                .contains("; predictions, mistakes and dead letters of offsets 0 to 9 are sent a second time");
        goOn(5, 25);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseAChangelogThatWasEmptied() throws Exception {
        learn("emptied");
        TopicPartition changelog = new TopicPartition(prefix + "-models-changelog", 0);
        setCleanupPolicy("compact,delete");
        // refused until the broker has taken over the policy
        await().ignoreException(ExecutionException.class)
                .until(() -> admin.deleteRecords(Map.of(changelog, RecordsToDelete.beforeOffset(-1)))
                                .all()
                                .get()
                        == null);
        setCleanupPolicy("compact");
        Path state = dir.resolve("state");
        Utils.delete(state.toFile());
        refused(prefix + "-models-changelog must contain the models", "partition 0 empty");
        reset("--skip-gap");
        goOn(5, 15);
        assertThat(seen()).isEqualTo(5);
    }

    @Test
    void shouldRefuseAChangelogThatIsNotCompacted() throws Exception {
        learn("deleting");
        setCleanupPolicy("delete");
        refused(prefix + "-models-changelog must have cleanup.policy compact, got delete");
    }

    @Test
    void shouldNotResetWithoutAnAnswerNorWhileTheEngineRuns() throws Exception {
        learn("asked");
        assertThat(cluster.failure(1, command("topics reset --skip-gap"))).contains("nothing was changed");
        cluster.failure(2, command("topics reset --yes"));
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(1);
            awaitPredictions(11);
            String errors = cluster.failure(1, command("topics reset --to-earliest --yes"));
            // the first line comes at once, the last one after the session of an engine that has ended would have
            // expired
            assertThat(errors.lines())
                    .hasSize(2)
                    .allMatch(line ->
                            line.contains("engine must be stopped, got a group " + prefix + " with members at "));
        }
    }

    private void setCleanupPolicy(String policy) throws Exception {
        Collection<AlterConfigOp> change =
                List.of(new AlterConfigOp(new ConfigEntry("cleanup.policy", policy), AlterConfigOp.OpType.SET));
        admin.incrementalAlterConfigs(
                        Map.of(new ConfigResource(ConfigResource.Type.TOPIC, prefix + "-models-changelog"), change))
                .all()
                .get();
    }

    private void refused(String... texts) {
        assertThat(cluster.failure(1, command("run")).lines())
                .singleElement()
                .asString()
                .contains(texts)
                .startsWith("perceptron: ");
    }

    private void reset(String way) {
        awaitEmptyGroup();
        assertThat(cluster.output(command("topics reset " + way + " --yes")))
                .contains(prefix + "-examples-0: continues at offset");
    }

    private void goOn(int more, int predictions) throws Exception {
        try (EngineRunner engine = new EngineRunner(config())) {
            engine.start();
            send(more);
            awaitPredictions(predictions);
        }
    }

    private EngineConfig config() {
        return cluster.config(settings());
    }

    private Map<String, String> settings() {
        // the session time-out is the minimum of the broker; a member stays in the group for this time after its end
        return Map.of("data.dir", dir.toString(), "session.timeout.ms", "6000", "topics.partitions", "1");
    }

    private String command(String command) {
        String all = command + " -D topics.create=true -D models.defaults= -D data.dir=" + dir
                + " -D session.timeout.ms=6000";
        return command.startsWith("topics") ? all : all + " -D topics.partitions=1";
    }

    private void send(int count) {
        cluster.send(
                "m",
                IntStream.range(0, count)
                        .mapToObj(k -> "{\"id\":\"" + k + "\",\"label\":1,\"features\":[1,2]}")
                        .toArray(String[]::new));
    }

    private void awaitPredictions(int count) {
        await().atMost(PATIENCE).until(() -> predictions().size() == count);
    }

    /** Number of examples that the model has seen, from its last prediction. */
    private long seen() {
        List<Prediction> predictions = predictions();
        return predictions.get(predictions.size() - 1).getExamples();
    }

    private List<Prediction> predictions() {
        List<Prediction> predictions = new ArrayList<>();
        try (SchemaRegistry registry = SchemaRegistries.of(config().registry());
                TopicScan scan = TopicScan.open(config(), cluster.topic(Topic.PREDICTIONS))) {
            EventReader<Prediction> reader = EventReader.of(Prediction.class, registry);
            scan.readAll(record -> predictions.add(reader.read(record.value())));
        }
        return predictions;
    }
}
