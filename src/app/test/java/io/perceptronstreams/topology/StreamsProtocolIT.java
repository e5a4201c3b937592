package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfig.GroupProtocol;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.SharedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.group.api.streams.StreamsGroupTopologyDescription;
import org.apache.kafka.coordinator.group.api.streams.StreamsGroupTopologyDescriptionPlugin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code group.protocol=streams}: brokers assign the partitions. */
final class StreamsProtocolIT {
    private static final long SEED = 20_261_130;
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_SECOND = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    /** With the session of the test's brokers, which those of users may forbid. */
    private static Map<String, String> settings(String protocol) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "topics.create", "true",
                "models.defaults", "",
                "topics.partitions", Integer.toString(PARTITIONS),
                "commit.interval.ms", "500",
                "checkpoint.interval.ms", "1000",
                "group.protocol", protocol));
        // an engine starts within the longer one
        settings.put("session.timeout.ms", protocol.equals("streams") ? "4000" : "30000");
        settings.put("heartbeat.interval.ms", "1000");
        return settings;
    }

    @Test
    @Tag("full")
    void shouldChangeTheProtocolAndBack() throws Exception {
        try (LoadedCluster cluster = LoadedCluster.start(directory, PARTITIONS);
                // one engine: the same data directory
                EngineProcess classic = cluster.engine("engine", settings("classic"));
                EngineProcess streams = cluster.engine("engine", settings("streams"))) {
            classic.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            untilAllPredict(cluster, classic, Map.of());
            assertThat(protocol(cluster)).isEqualTo(GroupProtocol.CLASSIC);
            assertThat(classic.stop(60)).isTrue();

            streams.start();
            untilAllPredict(cluster, streams, cluster.committedPredictions());
            assertThat(protocol(cluster)).isEqualTo(GroupProtocol.STREAMS);
            // waited for the session that Kafka Streams has left behind
            assertThat(Files.readString(streams.log()))
                    .contains("group perceptron has members of another group.protocol, 1 with classic");
            streams.kill();
            streams.start();
            untilAllPredict(cluster, streams, cluster.committedPredictions());
            // brokers refuse its name while the session of the killed one lasts
            assertThat(Files.readString(streams.log()))
                    .contains("group perceptron still has this engine as a member: waits")
                    .doesNotContain("UnreleasedInstanceIdException");
            streams.kill();

            classic.start();
            untilAllPredict(cluster, classic, cluster.committedPredictions());
            assertThat(protocol(cluster)).isEqualTo(GroupProtocol.CLASSIC);
            cluster.stopLoad();
            until(classic, cluster::isAllProcessed);
            assertThat(classic.stop(60)).isTrue();
            System.out.println("StreamsProtocolIT: " + cluster.requireExact());
        }
    }

    /** Waits for more than a minute: the other engine might have ended. */
    @Test
    @Tag("full")
    void shouldRefuseAnEngineWithAnotherProtocolThanItsGroup() throws Exception {
        try (LoadedCluster cluster = LoadedCluster.start(directory, PARTITIONS);
                EngineProcess classic = cluster.engine("classic", settings("classic"));
                EngineProcess streams = cluster.engine("streams", settings("streams"))) {
            classic.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            untilAllPredict(cluster, classic, Map.of());

            streams.start();

            assertThat(streams.awaitEnd(180)).isTrue();
            assertThat(streams.exitCode()).isEqualTo(1);
            assertThat(Files.readString(streams.log()))
                    .contains(
                            "members of group perceptron must all have group.protocol=streams, got 1 with classic at");
            untilAllPredict(cluster, classic, cluster.committedPredictions());
        }
    }

    @Test
    @Tag("full")
    void shouldSetAtTheBrokersWhatTheyDecide() throws Exception {
        Map<String, String> settings = settings("streams");
        settings.put("num.standby.replicas", "1");
        try (LoadedCluster cluster = LoadedCluster.start(directory, PARTITIONS);
                EngineProcess first = cluster.engine("first", settings);
                EngineProcess second = cluster.engine("second", settings)) {
            first.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            untilAllPredict(cluster, first, Map.of());
            second.start();

            // as many copies as partitions
            until(
                    second,
                    () -> members(cluster.admin()).stream()
                                    .flatMap(member -> member.assignment().standbyTasks().stream())
                                    .mapToInt(tasks -> tasks.partitions().size())
                                    .sum()
                            == PARTITIONS);
            assertThat(members(cluster.admin()))
                    .allMatch(member -> member.instanceId().isPresent());
        }
    }

    @Test
    void shouldNameTheLimitOfTheBrokersThatASettingExceeds() {
        SharedCluster cluster = new SharedCluster("streams-limit");
        EngineConfig config = cluster.config(Map.of("group.protocol", "streams", "session.timeout.ms", "6000"));

        try (EngineRunner engine = new EngineRunner(config)) {
            assertThatExceptionOfType(StartupException.class)
                    .isThrownBy(engine::start)
                    .withMessageContaining(
                            "settings of the group that brokers decide with group.protocol=streams must be")
                    .withMessageContaining("{streams.session.timeout.ms=6000}");
        }
    }

    /** Its group was taken for one without members. */
    @Test
    void shouldNotResetPositionsWhileItRuns() throws Exception {
        SharedCluster cluster = new SharedCluster("streams-reset");
        EngineConfig config = cluster.config(Map.of("group.protocol", "streams", "topics.partitions", "1"));
        try (EngineRunner engine = SharedCluster.startEngine(config);
                Admin admin = Admin.create(config.admin())) {
            cluster.send("m", "{\"label\":1,\"features\":[1]}");
            await().atMost(PATIENCE)
                    .until(() -> EngineGroup.committed(admin, config).containsValue(1L));
            assertThat(EngineGroup.members(admin, config)).hasSize(1).first().satisfies(member -> {
                assertThat(member.partitions()).containsExactly(0);
            });
            assertThat(engine.hasEnded()).isFalse();
        }
    }

    /** Kafka Streams sends it when brokers ask, which they do if a plugin of theirs keeps it (KIP-1331). */
    @Test
    void shouldDescribeItsTopologyToBrokersThatAsk() throws Exception {
        SharedCluster shared = new SharedCluster("streams-described");
        Map<String, ?> properties =
                Map.of("group.streams.topology.description.plugin.class", DescribedTopologies.class.getName());
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory, 0, properties)) {
            EngineConfig config =
                    shared.config(Map.of("group.protocol", "streams", "bootstrap.servers", broker.bootstrapServers()));
            try (EngineRunner engine = SharedCluster.startEngine(config)) {
                await().atMost(PATIENCE)
                        .failFast("the engine has ended by itself", engine::hasEnded)
                        .until(() -> DescribedTopologies.PROCESSORS.containsKey(shared.prefix()));
                assertThat(DescribedTopologies.PROCESSORS.get(shared.prefix()))
                        .containsOnly(entry("learn", Set.of("models")));
            }
        }
    }

    /** Keeps the processors of each group, with their stores. */
    public static final class DescribedTopologies implements StreamsGroupTopologyDescriptionPlugin {
        static final Map<String, Map<String, Set<String>>> PROCESSORS = new ConcurrentHashMap<>();

        @Override
        public CompletableFuture<Void> setTopology(
                String group, int epoch, StreamsGroupTopologyDescription description) {
            PROCESSORS.put(
                    group,
                    description.subtopologies().stream()
                            .flatMap(part -> part.nodes().stream())
                            .filter(StreamsGroupTopologyDescription.Processor.class::isInstance)
                            .map(StreamsGroupTopologyDescription.Processor.class::cast)
                            .collect(Collectors.toMap(each -> each.name(), each -> each.stores())));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> deleteTopology(String group) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<StreamsGroupTopologyDescription> getTopology(String group, int epoch) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void configure(Map<String, ?> configs) {}

        @Override
        public void close() {}
    }

    private static List<StreamsGroupMemberDescription> members(Admin admin) throws Exception {
        return List.copyOf(admin.describeStreamsGroups(List.of("perceptron"))
                .describedGroups()
                .get("perceptron")
                .get()
                .members());
    }

    private static GroupProtocol protocol(LoadedCluster cluster) throws Exception {
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        return EngineGroup.describe(cluster.admin(), config).orElseThrow().protocol();
    }

    private static void untilAllPredict(LoadedCluster cluster, EngineProcess engine, Map<TopicPartition, Long> ends) {
        until(
                engine,
                () -> cluster.committedPredictions().entrySet().stream()
                        .allMatch(end -> end.getValue() > ends.getOrDefault(end.getKey(), 0L)));
    }

    private static void until(EngineProcess engine, Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .failFast("the engine has ended by itself", () -> !engine.isAlive())
                .until(condition);
    }
}
