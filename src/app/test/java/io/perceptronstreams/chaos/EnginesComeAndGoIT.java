package io.perceptronstreams.chaos;

import io.perceptronstreams.topology.LoadedCluster;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three engines start, stop and are killed at random moments. */
@Tag("chaos")
final class EnginesComeAndGoIT {
    private static final int RECORDS_PER_SECOND = 1_000;
    private static final int ENGINES = 3;
    private static final int MAX_DELAY_MS = 6_000;

    /** Number of disturbances after which all engines are started, and something must be learned. */
    private static final int DISTURBANCES = 5;

    @TempDir
    Path directory;

    private final ChaosRun run = new ChaosRun(EnginesComeAndGoIT.class);

    @Test
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnExactlyOnceWhileEnginesComeAndGo() throws Exception {
        int disturbances = 0;
        Map<String, String> settings =
                Map.of("num.standby.replicas", Integer.toString(run.random().nextInt(2)), "num.stream.threads", "1");
        run.say("settings " + settings);
        try (LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, ENGINES, settings)) {
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            do {
                group.untilPredictions(RECORDS_PER_SECOND);
                for (int k = 0; k < DISTURBANCES; k++) {
                    group.live(run.random().nextInt(MAX_DELAY_MS));
                    disturb(group);
                    disturbances++;
                }
                group.startAll();
            } while (!run.isOver());
            group.requireExact();
        }
        run.say(disturbances + " disturbances");
    }

    private void disturb(EngineGroup group) throws Exception {
        int number = run.random().nextInt(ENGINES);
        if (!group.isRunning(number)) {
            run.say("start engine " + number);
            group.start(number);
        } else if (run.random().nextBoolean()) {
            run.say("stop engine " + number);
            group.stop(number);
        } else {
            boolean isStateLost = run.random().nextInt(4) == 0;
            run.say("kill engine " + number + (isStateLost ? ", state directory deleted" : ""));
            group.kill(number);
            if (isStateLost) {
                group.engine(number).deleteState();
            }
        }
    }
}
