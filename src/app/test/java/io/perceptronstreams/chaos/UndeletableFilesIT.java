package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An engine that cannot delete the local copies of models that contain aborted writes. Needs gcc on Linux, for the
 * library that makes system calls fail.
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
    private int aborted;
    private int learnedOn;

    /** Sends STOP or CONT to a process. */
    private interface Signal {
        void send(String name) throws Exception;
    }

    /** Paused until its transaction is aborted, again and again. It learns on each time. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotTakeAbortedWritesForCommittedOnes() throws Exception {
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = prepare(cluster, Map.of())) {
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            EngineProcess engine = group.engine(0);
            Signal signal = name -> {
                engine.signal(name);
                aborted += name.equals("STOP") && cluster.openTransactions("perceptron-") > 0 ? 1 : 0;
            };
            do {
                pause(signal, PAUSE_MS, cluster, group);
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
        String log;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = prepare(cluster, Map.of("producer.max.block.ms", BLOCK_MS))) {
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                pause(cluster::signal, OUTAGE_MS, cluster, group);
                log = Files.readString(group.engine(0).log());
            } while (!run.isOver(log.contains(CORRUPTED)));
            group.requireExact();
        }
        run.say(learnedOn + " times learned on, "
                + log.lines().filter(line -> line.contains(CORRUPTED)).count() + " lines of commits without an answer");
        assertThat(log).contains(CORRUPTED);
    }

    private EngineGroup prepare(LoadedCluster cluster, Map<String, String> more) throws Exception {
        Path library = directory.resolve("faulty_disk.so");
        assumeTrue(FaultyDiskIT.compile(library), FaultyDiskIT.NO_LIBRARY);
        Path state = Files.createDirectories(directory.resolve("disk"));
        Map<String, String> settings = new HashMap<>(more);
        settings.put("state.dir", state.toString());
        settings.put("store.cache.bytes", "1048576");
        EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings);
        EngineProcess engine = group.engine(0);
        engine.setEnvironment("LD_PRELOAD", library.toString());
        engine.setEnvironment("FAULTY_DISK", state.toString());
        engine.setEnvironment("FAULTY_DISK_KEEP", trigger().toString());
        return group;
    }

    /** As long as it exists, files cannot be deleted. */
    private Path trigger() {
        return directory.resolve("trigger");
    }

    private void pause(Signal signal, int ms, LoadedCluster cluster, EngineGroup group) throws Exception {
        group.untilPredictions(1 + run.random().nextInt(4 * RECORDS_PER_SECOND));
        group.live(run.random().nextInt(500));
        signal.send("STOP");
        Files.createFile(trigger());
        group.live(ms);
        signal.send("CONT");
        int before = group.restarts();
        long enough = cluster.predictions() + 1 + run.random().nextInt(RECORDS_PER_SECOND);
        // it learns on, or ends and cannot start
        group.until(() -> group.restarts() > before || cluster.predictions() > enough);
        learnedOn += group.restarts() == before ? 1 : 0;
        Files.delete(trigger());
    }
}
