package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.chaos.FaultyProxy.Fault;
import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of two engines has a network that is slow, silent, resets connections, or loses answers to commits.
 *
 * <p>It waits for it and goes on without a restart, also when its transaction has been aborted meanwhile.
 */
@Tag("chaos")
final class FaultyNetworkIT {
    private static final int RECORDS_PER_SECOND = 1_000;

    /** Longer than session and transaction may last. */
    private static final int MAX_SILENCE_MS = 20_000;

    private static final int MAX_FAULT_MS = 6_000;

    /** After which the other engine has the partitions. */
    private static final int SESSION_MS = 8_000;

    /** A request without an answer is tried again while the fault lasts. */
    private static final Map<String, String> SETTINGS = Map.of("request.timeout.ms", "5000");

    private static final List<Fault> FAULTS = List.of(Fault.values());

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(FaultyNetworkIT.class);

    private interface Disturbance {
        /** Disturbs the network of the first engine, the {@code number}-th time from 0 on. */
        void disturb(FaultyProxy proxy, EngineGroup group, int number) throws Exception;
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnExactlyOnceOverAFaultyNetwork() throws Exception {
        requireExact(true, this::disturb);
    }

    /**
     * The network is silent while an engine learns again what it has learned since the last checkpoint, until the other
     * one has its partitions: the checkpoint that the engine then writes must not replace the models of the other one.
     */
    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldNotReplaceTheModelsOfPartitionsThatItHasLost() throws Exception {
        requireExact(false, (proxy, group, number) -> {
            silence(proxy, group);
            // it gets partitions back, so slowly that it learns again before it is sent the first record
            proxy.set(Fault.SLOW);
            group.live(1_000 + run.random().nextInt(7_000));
            silence(proxy, group);
            proxy.set(Fault.NONE);
        });
    }

    private void requireExact(boolean mustLoseAnswers, Disturbance disturbance) throws Exception {
        int disturbances = 0;
        try (FaultyProxy proxy = new FaultyProxy();
                LoadedCluster cluster = LoadedCluster.startBehind(proxy.port(), directory, EngineGroup.PARTITIONS)) {
            proxy.forwardTo(cluster.proxiedPort());
            List<String> addresses = List.of("127.0.0.1:" + proxy.port(), cluster.bootstrapServers());
            try (EngineGroup group = new EngineGroup(run, cluster, addresses, directory, SETTINGS)) {
                group.startAll();
                cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
                do {
                    group.until(() -> cluster.openTransactions(group.engine(0).transactionalIdPrefix()) > 0);
                    disturbance.disturb(proxy, group, disturbances);
                    disturbances++;
                } while (!run.isOver(!mustLoseAnswers || proxy.lost() > 0));
                group.requireExact();
            }
            run.say(disturbances + " disturbances, " + proxy.lost() + " answers to commits and aborts lost");
            assertThat(!mustLoseAnswers || proxy.lost() > 0)
                    .as("answers were lost")
                    .isTrue();
        }
    }

    private void silence(FaultyProxy proxy, EngineGroup group) throws Exception {
        proxy.set(Fault.SILENT);
        group.live(SESSION_MS + run.random().nextInt(MAX_FAULT_MS));
    }

    private void disturb(FaultyProxy proxy, EngineGroup group, int number) throws Exception {
        // the first one always loses answers
        Fault fault = number == 0
                ? Fault.LOSE_ENDS_OF_TRANSACTIONS
                : FAULTS.get(run.random().nextInt(FAULTS.size()));
        group.untilPredictions(run.random().nextInt(RECORDS_PER_SECOND));
        int ms = run.random().nextInt(fault == Fault.SILENT ? MAX_SILENCE_MS : MAX_FAULT_MS);
        run.say(fault == Fault.NONE ? "resets" : fault + " for " + ms + " ms");
        proxy.set(fault);
        if (fault == Fault.NONE) {
            proxy.reset();
        } else if (fault == Fault.LOSE_ENDS_OF_TRANSACTIONS) {
            int before = proxy.lost();
            group.until(() -> proxy.lost() > before);
        } else {
            group.live(ms);
        }
        proxy.set(Fault.NONE);
    }
}
