package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Broker and registry are killed again and again under an engine that learns. */
@Tag("chaos")
final class BrokerKillIT {
    private static final int RECORDS_PER_SECOND = 1_000;

    /** More than the markers of the transactions that the restart aborts. */
    private static final int RECOVERED = 100;

    private static final int TRICKLE_PER_SECOND = 100;

    /** Length of every outage; random ones of up to 10 s where it is not set. */
    private static final long OUTAGE_SECONDS = Long.getLong("chaos.outage.seconds", -1);

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(BrokerKillIT.class);

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnExactlyOnceHoweverOftenTheBrokerIsKilled() throws Exception {
        int kills = 0;
        int inTransaction = 0;
        long slowest = 0;
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, Map.of())) {
            group.mayEnd();
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(run.random().nextInt(2 * RECORDS_PER_SECOND));
                group.live(run.random().nextInt(1_000));
                boolean isOpen = cluster.openTransactions("perceptron-") > 0;
                cluster.setRate(TRICKLE_PER_SECOND);
                cluster.kill();
                kills++;
                inTransaction += isOpen ? 1 : 0;
                long outage = OUTAGE_SECONDS < 0 ? run.random().nextInt(10_000) : OUTAGE_SECONDS * 1_000;
                group.engine(0).awaitEnd(outage / 1_000);
                cluster.restart();
                long back = System.nanoTime();
                cluster.setRate(RECORDS_PER_SECOND);
                group.untilPredictions(RECOVERED);
                long seconds = (System.nanoTime() - back) / 1_000_000_000;
                slowest = Math.max(slowest, seconds);
                run.say("kill " + kills + (isOpen ? " in a transaction" : "") + ", away for " + outage
                        + " ms, predictions " + seconds + " s after it was back");
            } while (!run.isOver(inTransaction > 0));
            group.requireExact();
        }
        run.say(kills + " kills, " + inTransaction + " in a transaction, slowest recovery " + slowest + " s");
        assertThat(inTransaction).isPositive();
    }
}
