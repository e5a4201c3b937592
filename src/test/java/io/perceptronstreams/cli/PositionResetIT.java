package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.Engine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
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

    private final Commands commands = new Commands();
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
        prefix = name;
        input = new TopicPartition(prefix + "-examples", 0);
        try (Engine engine = new Engine(config())) {
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
        try (Engine engine = new Engine(config())) {
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
        assertThat(commands.output()).doesNotContain("a second time");
        goOn(0, 15);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseAnInputThatWasMadeAnew() throws Exception {
        learn("anew");
        admin.deleteTopics(List.of(input.topic())).all().get();
        await().atMost(PATIENCE).until(() -> !admin.listTopics().names().get().contains(input.topic()));
        commands.output(command("topics create --partitions 1"));
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
        assertThat(commands.output())
                .contains("; predictions, mistakes and dead letters of offsets 0 to 9 are sent a second time");
        goOn(5, 25);
        assertThat(seen()).isEqualTo(15);
    }

    @Test
    void shouldRefuseAChangelogThatWasEmptied() throws Exception {
        learn("emptied");
        TopicPartition changelog = new TopicPartition(prefix + "-models-changelog", 0);
        setCleanupPolicy("compact,delete");
        admin.deleteRecords(Map.of(changelog, RecordsToDelete.beforeOffset(-1)))
                .all()
                .get();
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
        assertThat(commands.failure(1, command("topics reset --skip-gap"))).contains("nothing was changed");
        commands.failure(2, command("topics reset --yes"));
        try (Engine engine = new Engine(config())) {
            engine.start();
            send(1);
            awaitPredictions(11);
            String errors = commands.failure(1, command("topics reset --to-earliest --yes"));
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
        assertThat(commands.failure(1, command("run")).lines())
                .singleElement()
                .asString()
                .contains(texts)
                .startsWith("perceptron: ");
    }

    private void reset(String way) {
        awaitEmptyGroup();
        assertThat(commands.output(command("topics reset " + way + " --yes")))
                .contains(prefix + "-examples-0: continues at offset");
    }

    private void goOn(int more, int predictions) throws Exception {
        try (Engine engine = new Engine(config())) {
            engine.start();
            send(more);
            awaitPredictions(predictions);
        }
    }

    private EngineConfig config() {
        return EngineConfig.of(settings(), Map.of(), null, Map.of());
    }

    private Map<String, String> settings() {
        return Map.of(
                "bootstrap.servers",
                CLUSTER.bootstrapServers(),
                "schema.registry.url",
                "mock://" + prefix,
                "topics.prefix",
                prefix,
                "data.dir",
                dir.toString(),
                // minimum of the broker; a member stays in the group for this time after its end
                "session.timeout.ms",
                "6000",
                "topics.create",
                "true",
                "topics.partitions",
                "1");
    }

    private String command(String command) {
        StringBuilder all = new StringBuilder(command);
        settings().forEach((key, value) -> {
            if (!key.equals("topics.partitions") || !command.startsWith("topics")) {
                all.append(" -D ").append(key).append('=').append(value);
            }
        });
        return all.toString();
    }

    private void send(int count) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config().clients(), new StringSerializer(), new StringSerializer())) {
            for (int k = 0; k < count; k++) {
                producer.send(new ProducerRecord<>(
                                input.topic(), "m", "{\"id\":\"" + k + "\",\"label\":1,\"features\":[1,2]}"))
                        .get();
            }
        }
    }

    private void awaitPredictions(int count) {
        await().atMost(PATIENCE).until(() -> values(Topic.PREDICTIONS).size() == count);
    }

    /** Number of examples that the model has seen, from its last prediction. */
    private long seen() {
        List<String> predictions = values(Topic.PREDICTIONS);
        // in Avro: a zigzag number below 64, before the text of the label, which has a branch, a length and one
        // character, and the epoch
        String last = predictions.get(predictions.size() - 1);
        return last.charAt(last.length() - 5) / 2;
    }

    private List<String> values(Topic topic) {
        Map<String, Object> properties = config().clients();
        properties.put("isolation.level", "read_committed");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                properties,
                new StringDeserializer(),
                (any, data) -> data == null ? null : new String(data, StandardCharsets.ISO_8859_1))) {
            TopicPartition partition = new TopicPartition(config().topic(topic), 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }
}
