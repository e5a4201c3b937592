package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.ClusterProcess;
import io.perceptronstreams.embedded.EmbeddedRegistry;
import io.perceptronstreams.embedded.OlderBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Brokers of the oldest supported version of Kafka, and of the version before ours. */
@Tag("full")
final class OlderBrokerIT {
    private static final long SEED = 20_261_127;
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_SECOND = 1_000;
    private static final int KILLS = 3;
    private static final int MAX_KILLS = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, String> SETTINGS = Map.of(
            "topics.create",
            "true",
            "models.defaults",
            "",
            "topics.partitions",
            Integer.toString(PARTITIONS),
            "commit.interval.ms",
            "500",
            "producer.transaction.timeout.ms",
            "4000",
            "checkpoint.interval.ms",
            "1000");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"4.0.0, classic", "4.3.1, classic", "4.2.0, streams", "4.3.1, streams"})
    void shouldLearnExactlyOnceWithABrokerOf(String version, String protocol) throws Exception {
        Path log = directory.resolve("cluster.log");
        try (OlderBroker broker = OlderBroker.start(version, directory.resolve("broker"), log);
                EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
                LoadedCluster cluster = new LoadedCluster(
                        directory,
                        PARTITIONS,
                        new ClusterProcess(broker.process(), broker.bootstrapServers(), registry.url(), 0));
                EngineProcess engine = cluster.engine("engine", settings(protocol))) {
            engine.start();
            cluster.startLoad(SEED, RECORDS_PER_SECOND);
            advance(cluster, engine);
            for (int kill = 0; kill < KILLS || (!replayed(engine) && kill < MAX_KILLS); kill++) {
                until(engine, () -> cluster.openTransactions(engine.transactionalIdPrefix()) > 0);
                engine.kill();
                if (kill == 1) {
                    engine.deleteState();
                }
                engine.start();
                advance(cluster, engine);
            }
            cluster.stopLoad();
            until(engine, cluster::isAllProcessed);
            assertThat(engine.stop(60)).isTrue();
            assertThat(replayed(engine))
                    .as("replay after a kill: %s", Files.readString(engine.log()))
                    .isTrue();
            System.out.println("OlderBrokerIT, " + version + ", " + protocol + ": " + cluster.requireExact());
        }
    }

    /** These brokers have no static members of the protocol streams: an engine that returns waits for its session. */
    private static Map<String, String> settings(String protocol) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("group.protocol", protocol);
        if (protocol.equals("streams")) {
            settings.putAll(Map.of("session.timeout.ms", "4000", "heartbeat.interval.ms", "1000"));
        }
        return settings;
    }

    @Test
    void shouldRefuseTheProtocolStreamsWithBrokersThatDoNotHaveIt() throws Exception {
        Path log = directory.resolve("cluster.log");
        try (OlderBroker broker = OlderBroker.start("4.0.0", directory.resolve("broker"), log);
                EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
                EngineProcess engine = new EngineProcess(
                        broker.bootstrapServers(),
                        registry.url(),
                        directory.resolve("engine"),
                        directory.resolve("engine.log"),
                        settings("streams"))) {
            engine.start();
            assertThat(engine.awaitEnd(60)).isTrue();
            assertThat(engine.exitCode()).isEqualTo(1);
            assertThat(Files.readString(engine.log()))
                    .contains("group.protocol must be classic on these brokers, got 'streams' (they do not have the"
                            + " feature streams.version: upgrade them to Kafka 4.2 or newer");
        }
    }

    /** Whether a kill has come after a commit that had no checkpoint; one right after a checkpoint leaves no replay. */
    private static boolean replayed(EngineProcess engine) throws IOException {
        return Files.readString(engine.log()).contains("replayed ");
    }

    private static void advance(LoadedCluster cluster, EngineProcess engine) throws Exception {
        long before = cluster.predictions();
        until(engine, () -> cluster.predictions() > before + RECORDS_PER_SECOND);
    }

    private static void until(EngineProcess engine, Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .failFast("the engine has ended by itself", () -> !engine.isAlive())
                .until(condition);
    }
}
