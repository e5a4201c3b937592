package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.topology.LoadedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writing to the state directory fails with EIO for some time, again and again. Needs gcc on Linux, for the library
 * that makes system calls fail.
 */
@Tag("chaos")
final class FaultyDiskIT {
    /** Why tests with {@link #compile} are skipped. */
    static final String NO_LIBRARY = "the library that makes system calls fail cannot be built: needs gcc on Linux";

    private static final int RECORDS_PER_SECOND = 200;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(FaultyDiskIT.class);

    /** Builds the library; returns false where that is impossible. */
    static boolean compile(Path library) throws InterruptedException {
        try {
            return new ProcessBuilder(
                                    "gcc",
                                    "-shared",
                                    "-fPIC",
                                    "-o",
                                    library.toString(),
                                    "src/test/c/faulty_disk.c",
                                    "-ldl")
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldEndWhenTheDiskFailsAndGoOnWhenItWorks() throws Exception {
        Path library = directory.resolve("faulty_disk.so");
        assumeTrue(compile(library), NO_LIBRARY);
        int ends = 0;
        Path state = Files.createDirectories(directory.resolve("disk"));
        Path trigger = directory.resolve("trigger");
        Map<String, String> settings = Map.of(
                "state.dir", state.toString(),
                // RocksDB writes files often
                "store.cache.bytes", "1048576",
                "checkpoint.interval.ms", "500");
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            group.engine(0).setEnvironment("LD_PRELOAD", library.toString());
            group.engine(0).setEnvironment("FAULTY_DISK", state.toString());
            group.engine(0).setEnvironment("FAULTY_DISK_TRIGGER", trigger.toString());
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(1 + run.random().nextInt(4 * RECORDS_PER_SECOND));
                int before = group.restarts();
                long start = System.nanoTime();
                Files.createFile(trigger);
                group.until(() -> group.restarts() > before);
                ends += group.restarts() - before;
                run.say("ended " + (System.nanoTime() - start) / 1_000_000_000 + " s after the disk failed");
                group.live(run.random().nextInt(5_000));
                Files.delete(trigger);
            } while (!run.isOver(ends > 0));
            group.requireExact();
        }
        run.say(ends + " faults");
        assertThat(ends).isPositive();
        assertThat(Files.readAllLines(directory.resolve("engine-0.log")))
                .filteredOn(line -> line.startsWith("perceptron: "))
                .as("one line that names fault and file")
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).contains("Input/output error", state.toString()));
    }
}
