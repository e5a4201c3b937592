package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An engine that is killed, never comes back, and leaves an open transaction: another one takes over by itself. */
@Tag("full")
final class TakeoverIT {
    private static final long SEED = 20_261_129;
    private static final int PARTITIONS = 3;
    private static final int RECORDS_PER_SECOND = 500;
    private static final int MAX_KILLS = 20;
    private static final EngineConfig CONFIG = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path directory;

    private EngineProcess running;

    /** Readers and the restoration waited for the end of its transaction, here a quarter of an hour. */
    @ParameterizedTest
    @CsvSource({"classic, 0", "classic, 1", "streams, 0", "streams, 1"})
    void shouldGoOnWhenAnEngineWithAnOpenTransactionIsKilled(String protocol, int standbys) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of(
                "topics.create", "true",
                "models.defaults", "",
                "topics.partitions", Integer.toString(PARTITIONS),
                "num.standby.replicas", Integer.toString(standbys),
                "group.protocol", protocol,
                "session.timeout.ms", "6000",
                "heartbeat.interval.ms", "1000",
                // so that few moments have no open transaction
                "commit.interval.ms", "500",
                "commit.interval.min.ms", "500",
                "producer.transaction.timeout.ms", "900000"));
        try (LoadedCluster cluster = LoadedCluster.start(directory, PARTITIONS);
                EngineProcess first = cluster.engine("first", settings);
                EngineProcess second = cluster.engine("second", settings)) {
            running = first;
            first.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            untilAllPredict(cluster, Map.of());
            second.start();
            untilMember(cluster, 2);
            killInTransaction(cluster, first);
            running = second;
            untilAllPredict(cluster, cluster.committedPredictions());
            assertThat(Files.readString(second.log())).contains("aborting the transaction of ");

            cluster.stopLoad();
            until(cluster::isAllProcessed);
            assertThat(second.stop(60)).isTrue();
            System.out.println("TakeoverIT, " + protocol + ", " + standbys + " standbys: " + cluster.requireExact());
        }
    }

    /** Kafka Streams alone would look whether the copies are warm after ten minutes. */
    @Test
    void shouldMovePartitionsToAnEngineThatJoinsAsSoonAsItsCopiesAreWarm() throws Exception {
        Map<String, String> settings = Map.of(
                "topics.create", "true",
                "models.defaults", "",
                "topics.partitions", Integer.toString(PARTITIONS),
                "checkpoint.interval.ms", "200",
                "acceptable.recovery.lag", "1500",
                // without the engine's own request, the test would wait for longer than its patience
                "probing.rebalance.interval.ms", "600000");
        try (LoadedCluster cluster = LoadedCluster.start(directory, PARTITIONS);
                EngineProcess first = cluster.engine("first", settings);
                EngineProcess second = cluster.engine("second", settings)) {
            running = first;
            first.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            untilAllPredict(cluster, Map.of());
            until(() -> cluster.ends("perceptron-models-changelog", IsolationLevel.READ_COMMITTED).values().stream()
                    .allMatch(end -> end > 3_000));
            second.start();
            until(() -> EngineGroup.members(cluster.admin(), CONFIG).stream()
                            .filter(member -> !member.partitions().isEmpty())
                            .count()
                    == 2);
            assertThat(Files.readString(second.log())).contains("asking for another assignment");
            untilAllPredict(cluster, cluster.committedPredictions());

            cluster.stopLoad();
            until(cluster::isAllProcessed);
            assertThat(second.stop(60)).isTrue();
            System.out.println("TakeoverIT, join: " + cluster.requireExact());
        }
    }

    private void killInTransaction(LoadedCluster cluster, EngineProcess engine) throws Exception {
        for (int kills = 0; kills < MAX_KILLS; kills++) {
            until(() -> cluster.openTransactions(engine.transactionalIdPrefix()) > 0);
            engine.kill();
            if (cluster.openTransactions(engine.transactionalIdPrefix()) > 0) {
                return;
            }
            engine.start();
            untilAllPredict(cluster, cluster.committedPredictions());
        }
        throw new AssertionError("no kill hit an open transaction");
    }

    /** Waits until there are committed predictions of all partitions behind these offsets. */
    private void untilAllPredict(LoadedCluster cluster, Map<TopicPartition, Long> ends) {
        until(() -> cluster.committedPredictions().entrySet().stream()
                .allMatch(end -> end.getValue() > ends.getOrDefault(end.getKey(), 0L)));
    }

    private void untilMember(LoadedCluster cluster, int count) {
        until(() -> EngineGroup.members(cluster.admin(), CONFIG).size() == count);
    }

    private void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .failFast("an engine has ended by itself", () -> !running.isAlive())
                .until(condition);
    }
}
