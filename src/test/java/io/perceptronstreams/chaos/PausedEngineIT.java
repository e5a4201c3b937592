package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One of two engines is paused in a transaction until the other one has its partitions, and then goes on. */
@Tag("chaos")
final class PausedEngineIT {
    private static final int RECORDS_PER_SECOND = 1_000;
    private static final int ENGINES = 2;

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
}
