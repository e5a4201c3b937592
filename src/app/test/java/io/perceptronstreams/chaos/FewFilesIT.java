package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.ProcessUse;
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
    private static final int RECORDS_PER_SECOND = 100;

    /** The default of most systems, which none of them has as a lower hard limit. */
    private static final int USUAL = 1024;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(FewFilesIT.class);

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldGoOnOrEndWithATextWhenThereAreNoMoreFiles() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "files cannot be limited: needs /usr/bin/prlimit");
        int limits = 0;
        // RocksDB opens files often
        Map<String, String> settings = Map.of(
                "store.cache.bytes",
                "1048576",
                "checkpoint.interval.ms",
                "500",
                // a replay cannot connect, either, which looks like a broker that is away
                "task.timeout.ms",
                "60000");
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(1 + run.random().nextInt(2 * RECORDS_PER_SECOND));
                int before = group.restarts();
                long open = ProcessUse.files(group.engine(0).pid());
                limit(group.engine(0), open + run.random().nextInt(4));
                limits++;
                long start = System.nanoTime();
                // it learns on, or ends and is restarted, without the limit
                group.untilPredictions(4 * RECORDS_PER_SECOND);
                boolean isRestarted = group.restarts() > before;
                run.say(open + " open files: " + (isRestarted ? "restarted" : "learned on") + " within "
                        + (System.nanoTime() - start) / 1_000_000_000 + " s");
                if (!isRestarted) {
                    limit(group.engine(0), USUAL);
                }
            } while (!run.isOver());
            group.requireExact();
        }
        run.say(limits + " limits");
        assertThat(Files.readAllLines(directory.resolve("engine-0.log")))
                .filteredOn(line -> line.startsWith("perceptron: "))
                .as("one line that names the fault")
                // the classes of this process are files; those of a user are in a jar, which is open
                .allSatisfy(line -> assertThat(line)
                        .containsPattern("Too many open files|ClassNotFoundException|must be on the class path"
                                + "|got no answer for 60000 ms \\(task.timeout.ms\\); see the warnings before this"));
    }

    /** Sets the soft limit; the hard one stays, so that the soft one can be raised again. */
    private static void limit(EngineProcess engine, long files) throws Exception {
        Process prlimit = new ProcessBuilder(
                        "/usr/bin/prlimit", "--pid", Long.toString(engine.pid()), "--nofile=" + files + ":")
                .inheritIO()
                .start();
        // it may have ended meanwhile
        assertThat(prlimit.waitFor() == 0 || !engine.isAlive()).isTrue();
    }
}
