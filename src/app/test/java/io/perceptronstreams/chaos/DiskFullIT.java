package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.Mount;
import io.perceptronstreams.topology.LoadedCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file system of the state directory is full, and has space again. Needs root on Linux, to mount a small one. */
@Tag("chaos")
final class DiskFullIT {
    private static final int RECORDS_PER_SECOND = 500;
    private static final int SIZE_MEBIBYTES = 64;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(DiskFullIT.class);
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectories(directory.resolve("disk"));
        assumeTrue(Mount.tmpfs(disk, SIZE_MEBIBYTES + "m"), Mount.IMPOSSIBLE);
    }

    @AfterEach
    void unmount() throws Exception {
        Mount.remove(disk);
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldEndWhenTheDiskIsFullAndGoOnWhenItIsNot() throws Exception {
        int ends = 0;
        Map<String, String> settings = Map.of(
                "state.dir", disk.resolve("state").toString(),
                // RocksDB writes files often
                "store.cache.bytes", "1048576",
                "checkpoint.interval.ms", "500");
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(run.random().nextInt(4 * RECORDS_PER_SECOND));
                int before = group.restarts();
                long start = System.nanoTime();
                fill();
                // the supervisor restarts it; it cannot start as long as there is no space
                group.until(() -> group.restarts() > before);
                ends += group.restarts() - before;
                run.say("ended " + (System.nanoTime() - start) / 1_000_000_000 + " s after the disk was full");
                group.live(run.random().nextInt(10_000));
                Files.delete(ballast());
            } while (!run.isOver(ends > 0));
            group.requireExact();
        }
        assertThat(ends).isPositive();
        assertThat(Files.readAllLines(directory.resolve("engine-0.log")))
                .filteredOn(line -> line.startsWith("perceptron: "))
                .as("one line that names disk and file")
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).contains("No space left on device", disk.toString()));
    }

    private Path ballast() {
        return disk.resolve("ballast");
    }

    /** Writes until the disk is full. */
    private void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(ballast())) {
            byte[] zeros = new byte[4096];
            while (true) {
                out.write(zeros);
            }
        } catch (IOException e) {
            run.say("disk full: " + e.getMessage() + ", ballast of " + Files.size(ballast()) + " bytes");
        }
    }
}
