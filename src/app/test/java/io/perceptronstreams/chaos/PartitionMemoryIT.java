package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.ProcessUse;
import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stores of 64 partitions share one cache and its limit, so that they need little more memory than those of 4.
 * Needs Linux.
 */
@Tag("chaos")
final class PartitionMemoryIT {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int RECORDS_PER_SECOND = 1_000;
    private static final long PREDICTIONS = 30_000;
    private static final long MEBIBYTE = 1 << 20;

    /** RocksDB's tables of files, and the task of Kafka Streams with its buffers. */
    private static final long BYTES_OF_PARTITION = 3 * MEBIBYTE / 2;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(PartitionMemoryIT.class);

    @Test
    void shouldNotTakeACacheForEachPartition() throws Exception {
        ProcessUse few = use(4);
        ProcessUse many = use(64);

        assertThat(many.residentBytes() - few.residentBytes())
                .as("resident memory of 60 partitions more")
                .isLessThan(60 * BYTES_OF_PARTITION);
    }

    private ProcessUse use(int partitions) throws Exception {
        Path files = Files.createDirectories(directory.resolve("" + partitions));
        Map<String, String> settings = Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                Integer.toString(partitions),
                "store.cache.bytes",
                Long.toString(16 * MEBIBYTE),
                "store.heap.bytes",
                "4000000",
                "checkpoint.interval.ms",
                "1000");
        try (LoadedCluster cluster = LoadedCluster.start(files, partitions);
                EngineProcess engine = cluster.engine("engine", settings)) {
            engine.start();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            await().atMost(PATIENCE).ignoreExceptions().until(() -> cluster.predictions() > PREDICTIONS);
            ProcessUse use = ProcessUse.of(engine.pid());
            run.say(partitions + " partitions, " + cluster.predictions() + " predictions: " + use.text());
            return use;
        }
    }
}
