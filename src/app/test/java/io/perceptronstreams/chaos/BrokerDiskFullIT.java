package io.perceptronstreams.chaos;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.Mount;
import io.perceptronstreams.topology.LoadedCluster;
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

/**
 * The file system of the broker is full, upon which the broker ends, and has space again. Needs root on Linux, to mount
 * a small one.
 */
@Tag("chaos")
final class BrokerDiskFullIT {
    private static final int RECORDS_PER_SECOND = 300;
    private static final int TRICKLE_PER_SECOND = 100;
    private static final int RECOVERED = 100;
    private static final String MUCH = "16g";

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(BrokerDiskFullIT.class);
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectories(directory.resolve("broker"));
        assumeTrue(Mount.tmpfs(disk, MUCH), Mount.IMPOSSIBLE);
    }

    @AfterEach
    void unmount() throws Exception {
        Mount.remove(disk);
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnExactlyOnceHoweverOftenTheDiskOfTheBrokerIsFull() throws Exception {
        int full = 0;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, Map.of())) {
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(run.random().nextInt(4 * RECORDS_PER_SECOND));
                cluster.setRate(TRICKLE_PER_SECOND);
                long start = System.nanoTime();
                Mount.fill(disk, run.random().nextInt(1 << 20));
                group.until(() -> !cluster.isAlive());
                full++;
                run.say("the broker ended " + (System.nanoTime() - start) / 1_000_000_000
                        + " s after its disk was nearly full");
                group.live(run.random().nextInt(10_000));
                Mount.resize(disk, MUCH);
                cluster.kill();
                cluster.restart();
                cluster.setRate(RECORDS_PER_SECOND);
                group.untilPredictions(RECOVERED);
            } while (!run.isOver());
            group.requireExact();
        }
        run.say(full + " times full");
    }
}
