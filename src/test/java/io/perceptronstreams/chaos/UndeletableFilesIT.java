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

/**
 * An engine that cannot delete the local copies of models that contain aborted writes. Needs gcc on Linux, for the library that
 * makes system calls fail.
 */
@Tag("chaos")
final class UndeletableFilesIT {
    private static final int RECORDS_PER_SECOND = 200;

    /** Longer than the time-out of transactions, and the interval at which the broker aborts them. */
    private static final int PAUSE_MS = 22_000;

    /** Longer than a commit waits for an answer, here. */
    private static final int OUTAGE_MS = 12_000;

    /** Of an attempt to commit, and then to abort. */
    private static final String BLOCK_MS = "3000";

    /** What Kafka Streams says of a task whose commit had no answer. */
    private static final String CORRUPTED = "TaskCorruptedException";

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(UndeletableFilesIT.class);

    /** Paused until its transaction is aborted, again and again. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotTakeAbortedWritesForCommittedOnes() throws Exception {
        Path library = directory.resolve("faulty_disk.so");
        assumeTrue(FaultyDiskIT.compile(library), FaultyDiskIT.NO_LIBRARY);
        Path state = Files.createDirectories(directory.resolve("disk"));
        Path trigger = directory.resolve("trigger");
        Map<String, String> settings = Map.of("state.dir", state.toString(), "store.cache.bytes", "1048576");
        int aborted = 0;
        int learnedOn = 0;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            EngineProcess engine = group.engine(0);
            engine.setEnvironment("LD_PRELOAD", library.toString());
            engine.setEnvironment("FAULTY_DISK", state.toString());
            engine.setEnvironment("FAULTY_DISK_KEEP", trigger.toString());
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(1 + run.random().nextInt(4 * RECORDS_PER_SECOND));
                group.live(run.random().nextInt(500));
                engine.signal("STOP");
                aborted += cluster.openTransactions("perceptron-") > 0 ? 1 : 0;
                Files.createFile(trigger);
                group.live(PAUSE_MS);
                engine.signal("CONT");
                int before = group.restarts();
                long enough = cluster.predictions() + 1 + run.random().nextInt(RECORDS_PER_SECOND);
                // it learns on, or ends and cannot start
                group.until(() -> group.restarts() > before || cluster.predictions() > enough);
                learnedOn += group.restarts() == before ? 1 : 0;
                Files.delete(trigger);
            } while (!run.isOver(learnedOn > 0));
            group.requireExact();
        }
        run.say(aborted + " times aborted, " + learnedOn + " times learned on");
        assertThat(learnedOn).isPositive();
    }

    /** The broker is paused until a commit has timed out, again and again. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotTakeWritesForCommittedOnesWhoseCommitHadNoAnswer() throws Exception {
        Path library = directory.resolve("faulty_disk.so");
        assumeTrue(FaultyDiskIT.compile(library), FaultyDiskIT.NO_LIBRARY);
        Path state = Files.createDirectories(directory.resolve("disk"));
        Path trigger = directory.resolve("trigger");
        Map<String, String> settings = Map.of(
                "state.dir", state.toString(), "store.cache.bytes", "1048576", "producer.max.block.ms", BLOCK_MS);
        int outages = 0;
        String log;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            EngineProcess engine = group.engine(0);
            engine.setEnvironment("LD_PRELOAD", library.toString());
            engine.setEnvironment("FAULTY_DISK", state.toString());
            engine.setEnvironment("FAULTY_DISK_KEEP", trigger.toString());
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(1 + run.random().nextInt(4 * RECORDS_PER_SECOND));
                group.live(run.random().nextInt(500));
                cluster.signal("STOP");
                Files.createFile(trigger);
                group.live(OUTAGE_MS);
                cluster.signal("CONT");
                outages++;
                int before = group.restarts();
                long enough = cluster.predictions() + 1 + run.random().nextInt(RECORDS_PER_SECOND);
                // it learns on, or ends and cannot start
                group.until(() -> group.restarts() > before || cluster.predictions() > enough);
                Files.delete(trigger);
            } while (!run.isOver(Files.readString(engine.log()).contains(CORRUPTED)));
            group.requireExact();
            log = Files.readString(engine.log());
        }
        long unanswered = log.lines().filter(line -> line.contains(CORRUPTED)).count();
        run.say(outages + " outages, " + unanswered + " lines of commits without an answer");
        assertThat(log).contains(CORRUPTED);
    }
}
