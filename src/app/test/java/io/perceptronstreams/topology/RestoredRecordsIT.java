package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.log.RestoreProgress;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many records a store restores that has had no write for long.
 *
 * <p>RocksDB keeps the offset in the changelog on disk only with a flush or at an orderly end (KAFKA-20663): a quiet
 * store that goes on from it after a kill may ask for offsets that the changelog no longer has.
 */
final class RestoredRecordsIT {
    private static final int MODELS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final SharedCluster cluster = new SharedCluster("restored");

    @TempDir
    Path directory;

    /**
     * The local copy of a killed engine is deleted, whatever offset it has. One that has stopped in order is complete.
     */
    @Test
    void shouldRestoreEachRecordOnceAfterAKillAndNoneAfterAnOrderlyEnd() throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of(
                "topics.prefix", cluster.prefix(),
                "topics.create", "true",
                "topics.partitions", "1",
                "models.defaults", "",
                "checkpoint.interval.ms", "100"));
        Path dataDir = directory.resolve("data");
        try (EngineProcess killed = new EngineProcess(
                cluster.bootstrapServers(),
                cluster.registryUrl(),
                dataDir,
                directory.resolve("engine.log"),
                settings)) {
            killed.start();
            await().atMost(PATIENCE).until(() -> isRunning(killed));
            for (int model = 0; model < MODELS; model++) {
                cluster.send("m" + model, "{\"label\":1,\"features\":[1]}");
            }
            await().atMost(PATIENCE).until(() -> checkpointed() == MODELS);
            killed.kill();
        }
        settings.put("data.dir", dataDir.toString());
        settings.put("group.instance.id", InstanceId.of(dataDir));
        EngineConfig config = cluster.config(settings);
        long changelog = records();

        assertThat(restored(config)).isEqualTo(changelog).isGreaterThan(MODELS);
        assertThat(restored(config)).isZero();
    }

    /** Starts an engine, and returns the number of records that it restores. */
    private static long restored(EngineConfig config) throws InterruptedException {
        try (EngineRunner engine = SharedCluster.startEngine(config)) {
            assertThat(engine.hasEnded()).isFalse();
            assertThat(engine.restoration().partitions()).hasSize(1).allMatch(RestoreProgress.Progress::isDone);
            return engine.restoration().partitions().get(0).done();
        }
    }

    private boolean isRunning(EngineProcess engine) throws Exception {
        assertThat(engine.isAlive()).isTrue();
        EngineConfig config = cluster.config(Map.of());
        try (Admin admin = Admin.create(config.admin())) {
            return EngineGroup.members(admin, config).stream()
                    .anyMatch(member -> !member.partitions().isEmpty());
        }
    }

    /** Offset of the next example that is not in the models of the changelog. */
    private long checkpointed() throws IOException {
        long next = 0;
        try (TopicLog changelog = new TopicLog(cluster.bootstrapServers(), cluster.prefix() + "-models-changelog", 0)) {
            while (changelog.hasNext()) {
                ConsumerRecord<byte[], byte[]> record = changelog.next();
                if (ModelKeys.POSITION.equals(Bytes.wrap(record.key()))) {
                    next = InputPosition.decode(record.value()).next();
                }
            }
        }
        return next;
    }

    private long records() {
        long count = 0;
        try (TopicLog changelog = new TopicLog(cluster.bootstrapServers(), cluster.prefix() + "-models-changelog", 0)) {
            for (; changelog.hasNext(); changelog.next()) {
                count++;
            }
        }
        return count;
    }
}
