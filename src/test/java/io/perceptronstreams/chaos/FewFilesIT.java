package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A running engine may open only a few files more, again and again. Needs prlimit (Linux). */
@Tag("chaos")
final class FewFilesIT {
    private static final int RECORDS_PER_SECOND = 500;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(FewFilesIT.class);

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldGoOnOrEndWithATextWhenThereAreNoMoreFiles() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "files cannot be limited: needs /usr/bin/prlimit");
        int limits = 0;
        // RocksDB opens files often
        Map<String, String> settings = Map.of("store.cache.bytes", "1048576", "checkpoint.interval.ms", "500");
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            try {
                group.startAll();
                cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
                do {
                    group.untilPredictions(1 + run.random().nextInt(2 * RECORDS_PER_SECOND));
                    int before = group.restarts();
                    long open = limit(group.engine(0), run.random().nextInt(4));
                    limits++;
                    long start = System.nanoTime();
                    // it learns on, or ends and is restarted, without the limit
                    group.untilPredictions(10 * RECORDS_PER_SECOND);
                    run.say(open + " open files: "
                            + (group.restarts() == before ? "learned on" : "restarted") + " within "
                            + (System.nanoTime() - start) / 1_000_000_000 + " s");
                    limit(group.engine(0), 100_000);
                } while (!run.isOver());
                group.requireExact();
            } catch (Exception | AssertionError e) {
                group.printLogs();
                throw e;
            }
        }
        run.say(limits + " limits");
        assertThat(Files.readAllLines(directory.resolve("engine-0.log")))
                .filteredOn(line -> line.startsWith("perceptron: "))
                .as("one line that names the fault")
                .allSatisfy(line -> assertThat(line).contains("Too many open files"));
    }

    /** Allows a number of files beyond the open ones; returns the number of open ones. */
    private static long limit(EngineProcess engine, int more) throws Exception {
        long open = ProcessUse.files(engine.pid());
        // the hard limit stays, so that it can be raised again
        Process prlimit = new ProcessBuilder(
                        "/usr/bin/prlimit", "--pid", Long.toString(engine.pid()), "--nofile=" + (open + more) + ":")
                .inheritIO()
                .start();
        assertThat(prlimit.waitFor()).isZero();
        return open;
    }
}
