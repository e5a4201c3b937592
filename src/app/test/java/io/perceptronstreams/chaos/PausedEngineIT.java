package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One of two engines is paused until the other one has its partitions, and then goes on. */
@Tag("chaos")
final class PausedEngineIT {
    private static final int RECORDS_PER_SECOND = 1_000;
    private static final int ENGINES = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Number of records that take longer than an engine needs to begin. */
    private static final int TO_LEARN_AGAIN = 30_000;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(PausedEngineIT.class);

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotWriteTwiceWhatAPausedEngineHadBegun() throws Exception {
        int pauses = 0;
        int inTransaction = 0;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, ENGINES, Map.of())) {
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                // both have partitions before one of them is paused
                group.untilAllPartitionsAdvance();
                EngineProcess paused = group.engine(run.random().nextInt(ENGINES));
                group.until(() -> cluster.openTransactions(paused.transactionalIdPrefix()) > 0);
                group.live(run.random().nextInt(500));
                paused.signal("STOP");
                boolean isOpen = cluster.openTransactions(paused.transactionalIdPrefix()) > 0;
                pauses++;
                inTransaction += isOpen ? 1 : 0;
                long pause = System.nanoTime();
                // the other one takes over after the session time-out, and reads on after the transaction time-out
                group.untilAllPartitionsAdvance();
                group.untilAllPartitionsAdvance();
                long seconds = (System.nanoTime() - pause) / 1_000_000_000;
                run.say("pause " + pauses + (isOpen ? " in a transaction" : "") + ", taken over within " + seconds
                        + " s");
                group.live(run.random().nextInt(8_000));
                paused.signal("CONT");
                group.until(() -> cluster.openTransactions(paused.transactionalIdPrefix()) > 0);
            } while (!run.isOver(inTransaction > 0));
            group.requireExact();
        }
        run.say(pauses + " pauses, " + inTransaction + " in a transaction");
        assertThat(inTransaction).isPositive();
    }

    /**
     * An engine that has processed no record since its start writes a checkpoint, because it has learned again what the
     * last one did not contain. Paused until the next owner of the partitions has written later ones, it must not
     * replace them.
     */
    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotReplaceTheModelsOfTheNextOwner() throws Exception {
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineProcess paused = engine(cluster, "paused", "600000");
                EngineProcess next = engine(cluster, "next", "1000")) {
            paused.start();
            cluster.startLoad(run.seed(), 2 * RECORDS_PER_SECOND);
            await().atMost(PATIENCE).until(() -> cluster.sent() > TO_LEARN_AGAIN);
            cluster.setRate(0);
            // before it notices that no more records come, and writes a checkpoint
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(cluster::isAllProcessed);
            paused.kill();
            assertThat(cluster.isCheckpointed()).isFalse();

            paused.setEnvironment("JDK_JAVA_OPTIONS", "-Dlog.level=DEBUG");
            paused.start();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> count(paused, "LogReplay: replays") > 0);
            paused.signal("STOP");
            // a thread commits when it has learned all its partitions again
            long learned = count(paused, "LogReplay: replayed");
            assertThat(learned).isLessThan(EngineGroup.PARTITIONS);
            next.start();
            send(cluster, TO_LEARN_AGAIN);

            paused.signal("CONT");
            // it commits then; or it finds before that the partitions have gone
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .during(Duration.ofMillis(300))
                    .until(() -> {
                        long ended = count(paused, "LogReplay: replayed");
                        return count(paused, "the thread is being fenced") > 0
                                || (ended > learned && ended == count(paused, "LogReplay: replays"));
                    });
            paused.kill();
            send(cluster, 20);
            cluster.stopLoad();
            assertThat(next.stop(60)).isTrue();
            run.say(cluster.requireExact());
        }
    }

    private EngineProcess engine(LoadedCluster cluster, String name, String checkpointInterval) {
        Map<String, String> settings = Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                Integer.toString(EngineGroup.PARTITIONS),
                "session.timeout.ms",
                "6000",
                "heartbeat.interval.ms",
                "1000",
                "producer.transaction.timeout.ms",
                "10000",
                "checkpoint.interval.ms",
                checkpointInterval);
        return cluster.engine(name, settings);
    }

    private static long count(EngineProcess engine, String text) throws IOException {
        return Files.readString(engine.log())
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    /** Sends further records, and waits until they are in a checkpoint. */
    private static void send(LoadedCluster cluster, long more) {
        long before = cluster.sent();
        cluster.setRate(RECORDS_PER_SECOND);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> cluster.sent() > before + more);
        cluster.setRate(0);
        await().atMost(PATIENCE).until(() -> cluster.isAllProcessed() && cluster.isCheckpointed());
    }
}
