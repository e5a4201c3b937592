package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.VirtualMachine;
import io.perceptronstreams.embedded.MethodDebugger;
import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The engine is killed at certain points of its work, where a clock would seldom meet it: a debugger stops it at a
 * method, and it never goes on. Each point is met once, then any of them.
 */
final class KillPointsIT {
    private static final int RECORDS_PER_SECOND = 500;

    /** How often in a row a point may be missed, as the replay where the last checkpoint was just before the kill. */
    private static final int MAX_MISSES = 5;

    private static final String STREAMS = "org.apache.kafka.streams.processor.internals.";
    private static final String STATE = "org.apache.kafka.streams.state.internals.";
    private static final String SENDER = "org.apache.kafka.clients.producer.internals.Sender";
    private static final String OURS = "io.perceptronstreams.";

    /**
     * The beginning of a method.
     *
     * @param hits the engine is killed when it comes there for the first to for this time
     * @param isAtStop it only comes there when it is told to stop
     */
    private record Point(String what, String type, String method, int hits, boolean isAtStop) {
        Point(String what, String type, String method, int hits) {
            this(what, type, method, hits, false);
        }
    }

    private static final List<Point> POINTS = List.of(
            new Point("records are polled, not processed", STREAMS + "StreamTask", "addRecords", 20),
            new Point("an example is to be learned", OURS + "model.ModelSession", "example", 1_000),
            new Point("it is learned, its prediction is not sent", OURS + "topology.EventSender", "predicted", 1_000),
            new Point("a record of a batch is to be processed", OURS + "log.RecordDispatcher", "dispatch", 1_000),
            new Point(
                    "an example of several of a record is to be used",
                    OURS + "topology.RecordSender",
                    "beginExample",
                    100),
            new Point("a batch is processed, its outputs are not forwarded", OURS + "topology.Outputs", "flush", 100),
            new Point("its outputs for some topics are forwarded", OURS + "topology.OutputBatch", "of", 200),
            new Point("some outputs of a batch are sent", OURS + "topology.GuardedProducer", "sendOutput", 1_000),
            new Point("some outputs are on their way to the broker", SENDER, "sendProduceRequest", 40),
            new Point("a refusal is to be stored", OURS + "store.Refusals", "add", 10),
            new Point("it is stored, its dead letter is not sent", OURS + "topology.RecordSender", "deadLetter", 10),
            new Point("a checkpoint begins", OURS + "store.ModelStore", "checkpoint", 8),
            new Point("models are written, their position is not", OURS + "store.InputPosition", "encode", 8),
            new Point("in the local copy, not in the changelog", STATE + "ChangeLoggingKeyValueBytesStore", "log", 100),
            new Point("before the offsets of a transaction", STREAMS + "StreamsProducer", "commitTransaction", 20),
            new Point(
                    "between offsets and commit",
                    "org.apache.kafka.clients.producer.KafkaProducer",
                    "commitTransaction",
                    20),
            new Point("after a commit", STREAMS + "TaskExecutor", "updateTaskCommitMetadata", 20),
            new Point("models are being restored", STREAMS + "StoreChangelogReader", "restoreChangelog", 4),
            new Point("records are being replayed", OURS + "log.RecordReplayer", "relearn", 20),
            new Point("the replay has ended", OURS + "store.ModelStore", "enableLimits", EngineGroup.PARTITIONS),
            new Point("told to stop", OURS + "log.ShutdownBarrier", "request", 1, true),
            new Point("told to stop, last commit", STREAMS + "StreamsProducer", "commitTransaction", 2, true),
            new Point("told to stop, local copies are committed", OURS + "store.CommitGuardedStore", "commit", 4, true),
            new Point("told to stop, local copies are closed", OURS + "store.CommitGuardedStore", "close", 4, true));

    @TempDir
    Path directory;

    private ChaosRun run;

    static List<Point> points() {
        return POINTS;
    }

    /** The debugger waits for minutes for a class that does not exist. */
    @ParameterizedTest
    @MethodSource("points")
    void shouldNameMethodsThatExist(Point point) throws ClassNotFoundException {
        assertThat(Class.forName(point.type()).getDeclaredMethods())
                .extracting(Method::getName)
                .contains(point.method());
    }

    @Tag("chaos")
    @ParameterizedTest
    @MethodSource("io.perceptronstreams.chaos.ChaosRun#seeds")
    @Timeout(value = 2, unit = TimeUnit.DAYS)
    void shouldLearnExactlyOnceWhereverItIsKilled(long seed) throws Exception {
        run = new ChaosRun(KillPointsIT.class, seed);
        int kills = 0;
        int misses = 0;
        // there is something to replay
        Map<String, String> settings = Map.of("checkpoint.interval.ms", "3000", "shutdown.timeout.ms", "60000");
        try (MethodDebugger debugger = new MethodDebugger();
                LoadedCluster cluster = LoadedCluster.start(directory, EngineGroup.PARTITIONS);
                EngineGroup group = new EngineGroup(run, cluster, directory, 1, settings)) {
            EngineProcess engine = group.engine(0);
            // a copy of its models and a position, as the points of a restoration need
            group.startAll();
            cluster.startLoad(run.seed(), RECORDS_PER_SECOND);
            group.untilAllPartitionsAdvance();
            do {
                group.kill(0);
                Point point =
                        POINTS.get(kills < POINTS.size() ? kills : run.random().nextInt(POINTS.size()));
                int hit = 1 + run.random().nextInt(point.hits());
                engine.setEnvironment("_JAVA_OPTIONS", debugger.option());
                group.start(0);
                VirtualMachine machine = debugger.accept();
                if (point.isAtStop()) {
                    machine.resume();
                    group.untilAllPartitionsAdvance();
                    machine.suspend();
                    engine.signal("TERM");
                }
                boolean isMet = MethodDebugger.comesTo(machine, point.type(), point.method(), hit);
                group.kill(0);
                kills += isMet ? 1 : 0;
                misses = isMet ? 0 : misses + 1;
                run.say((isMet ? "killed: " : "missed: ") + point.what() + ", time " + hit);
                assertThat(misses).as("misses of " + point).isLessThan(MAX_MISSES);
                engine.setEnvironment("_JAVA_OPTIONS", "");
                group.start(0);
                group.untilAllPartitionsAdvance();
            } while (!run.isOver() || kills < POINTS.size());
            group.requireExact();
        }
        run.say(kills + " kills");
    }
}
