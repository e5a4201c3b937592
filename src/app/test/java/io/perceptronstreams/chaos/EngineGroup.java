package io.perceptronstreams.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.topology.EngineProcess;
import io.perceptronstreams.topology.LoadedCluster;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Engines that share the partitions of a loaded cluster, and a supervisor that restarts those that end by themselves.
 *
 * <p>Closed before {@link #requireExact} has succeeded, it prints the last lines of all logs.
 */
final class EngineGroup implements AutoCloseable {
    static final int PARTITIONS = 4;

    /**
     * A loaded machine starts an engine in half a minute, a transaction must time out before, and before that the
     * engine may wait for brokers that it cannot reach ({@code task.timeout.ms}).
     */
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    private static final int LOG_LINES = 80;
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("topics.create", "true"),
            Map.entry("models.defaults", ""),
            Map.entry("topics.partitions", Integer.toString(PARTITIONS)),
            Map.entry("num.stream.threads", "2"),
            Map.entry("commit.interval.ms", "500"),
            // otherwise few transactions are open when something happens
            Map.entry("commit.interval.min.ms", "500"),
            Map.entry("producer.transaction.timeout.ms", "10000"),
            Map.entry("checkpoint.interval.ms", "2000"),
            Map.entry("session.timeout.ms", "6000"),
            Map.entry("heartbeat.interval.ms", "1000"),
            // an engine that comes back gets partitions at once, not after a probing rebalance ten minutes later
            Map.entry("acceptable.recovery.lag", "1000000000"),
            // not enough for all models: some are written, dropped and read back all the time
            Map.entry("store.heap.bytes", "4000000"),
            Map.entry("topic.min.compaction.lag.ms", "0"),
            Map.entry("topic.segment.bytes", "1048576"),
            Map.entry("topic.min.cleanable.dirty.ratio", "0.1"));

    private final ChaosRun run;
    private final LoadedCluster cluster;
    private final List<EngineProcess> engines = new ArrayList<>();
    private final List<Boolean> isWanted = new ArrayList<>();
    private int restarts;
    private boolean mayEnd;
    private boolean isExact;

    /** Prepares engines without starting them; {@code more} settings go before the usual ones. */
    EngineGroup(ChaosRun run, LoadedCluster cluster, Path directory, int size, Map<String, String> more) {
        this(run, cluster, Collections.nCopies(size, cluster.bootstrapServers()), directory, more);
    }

    /** Prepares an engine for each address of the broker. */
    EngineGroup(
            ChaosRun run,
            LoadedCluster cluster,
            List<String> bootstrapServers,
            Path directory,
            Map<String, String> more) {
        this.run = run;
        this.cluster = cluster;
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.putAll(more);
        for (String address : bootstrapServers) {
            String name = "engine-" + engines.size();
            Path log = directory.resolve(name + ".log");
            engines.add(new EngineProcess(address, cluster.registryUrl(), directory.resolve(name), log, settings));
            isWanted.add(false);
        }
    }

    EngineProcess engine(int number) {
        return engines.get(number);
    }

    /** Starts an engine, which is restarted from now on when it ends. */
    void start(int number) throws IOException {
        isWanted.set(number, true);
        if (!engine(number).isAlive()) {
            engine(number).start();
        }
    }

    void startAll() throws IOException {
        for (int number = 0; number < engines.size(); number++) {
            start(number);
        }
    }

    /** SIGKILL; it stays away until it is started. */
    void kill(int number) {
        isWanted.set(number, false);
        engine(number).kill();
    }

    /** SIGTERM; it stays away until it is started. */
    void stop(int number) throws InterruptedException {
        isWanted.set(number, false);
        assertThat(engine(number).stop(60))
                .as("engine %d must stop when told to", number)
                .isTrue();
    }

    boolean isRunning(int number) {
        return isWanted.get(number);
    }

    /** Lets engines end by themselves, as the disturbances of some tests demand; otherwise that is a failure. */
    void mayEnd() {
        mayEnd = true;
    }

    /** How often an engine ended by itself and was restarted. */
    int restarts() {
        return restarts;
    }

    /** Requires that no stream thread has closed its tasks to begin them again at the last commit. */
    void requireUndisturbed() throws IOException {
        for (EngineProcess engine : engines) {
            assertThat(engine.recoveries()).as("recoveries in %s", engine.log()).isEmpty();
        }
    }

    /** Restarts engines that have ended by themselves, as a supervisor of services does. */
    private void supervise() throws IOException {
        for (int number = 0; number < engines.size(); number++) {
            EngineProcess engine = engine(number);
            if (isWanted.get(number) && !engine.isAlive()) {
                restarts++;
                run.say("engine " + number + " ended by itself with " + engine.exitCode() + ": "
                        + LoadedCluster.tail(engine.log(), 1));
                assertThat(mayEnd)
                        .as("engine %d ended by itself, which nothing has caused", number)
                        .isTrue();
                assertThat(engine.exitCode())
                        .as("exit code of an engine that ended by itself")
                        .isEqualTo(1);
                engine.start();
            }
        }
    }

    /** Waits for a condition and restarts engines meanwhile. */
    void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                // the broker is away, or an engine has not written its identity yet
                .ignoreExceptionsMatching(e -> e instanceof ExecutionException || e instanceof FileNotFoundException)
                .until(() -> {
                    supervise();
                    return condition.call();
                });
    }

    /** Waits for some milliseconds, in which engines are restarted. */
    void live(long ms) {
        long end = System.nanoTime() + ms * 1_000_000;
        until(() -> System.nanoTime() - end > 0);
    }

    /** Waits for this number of further predictions. */
    void untilPredictions(long more) throws ExecutionException, InterruptedException {
        long before = cluster.predictions();
        until(() -> cluster.predictions() > before + more);
    }

    /** Waits until every partition has been committed again, by any engine. */
    void untilAllPartitionsAdvance() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> before = cluster.positions();
        until(() -> {
            Map<TopicPartition, OffsetAndMetadata> now = cluster.positions();
            return now.size() == PARTITIONS
                    && now.entrySet().stream().allMatch(each -> !each.getValue().equals(before.get(each.getKey())));
        });
    }

    /** Ends the load, waits until everything is processed, stops the engines and compares everything. */
    void requireExact() throws Exception {
        startAll();
        long sent = cluster.stopLoad();
        while (!cluster.isAllProcessed()) {
            Map<TopicPartition, OffsetAndMetadata> before = cluster.positions();
            until(() -> !cluster.positions().equals(before) || cluster.isAllProcessed());
        }
        // an engine that is told to stop in a replay, or cannot stop in time, writes no checkpoint
        until(cluster::isCheckpointed);
        for (int number = 0; number < engines.size(); number++) {
            stop(number);
        }
        run.say(sent + " records sent, " + restarts + " restarts by the supervisor; " + cluster.requireExact());
        isExact = true;
    }

    private void printLogs() throws IOException, InterruptedException {
        for (EngineProcess engine : engines) {
            run.say(engine.log() + "\n" + LoadedCluster.tail(engine.log(), LOG_LINES));
        }
        run.say("broker\n" + cluster.tail(LOG_LINES));
        String ends;
        try {
            ends = cluster.logEnds();
        } catch (ExecutionException e) {
            // must not hide the failure that is reported
            ends = e.toString();
        }
        run.say("ends of committed and of all records\n" + ends);
    }

    @Override
    public void close() throws IOException {
        try {
            if (!isExact) {
                printLogs();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            engines.forEach(EngineProcess::close);
        }
    }
}
