package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cli.Commands;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.Replica;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills the engine repeatedly in the middle of transactions and compares all its output with one uninterrupted pass.
 *
 * <p>{@code -Dcrash.kills} sets the number of kills, {@code -Dcrash.takeovers} that of kills after which another
 * process takes over, {@code -Dcrash.many} that of kills with many models, {@code -Dtest.seed} the records and the
 * times of the kills. 200 kills need {@code -Dtest.heap=7g} for the comparison.
 */
final class CrashIT {
    private static final int KILLS = Integer.getInteger("crash.kills", 5);
    private static final int TAKEOVERS = Integer.getInteger("crash.takeovers", 2);
    private static final int KILLS_WITH_MANY = Integer.getInteger("crash.many", 2);
    private static final int MANY_MODELS = 20_000;
    private static final long SEED = Long.getLong("test.seed", 20_261_120);
    private static final int PARTITIONS = 3;
    private static final int RECORDS_PER_SECOND = 2_000;
    private static final int TRICKLE_PER_SECOND = 100;

    /** Enough to do for several lives. On a slow machine the log would become longer than it can be compared. */
    private static final int MAX_LAG = 5_000;

    /** Where nothing is killed in the middle of a transaction; all records are compared at the end. */
    private static final int GENTLE_PER_SECOND = 500;

    private static final int EVERY_REPLACEMENT = 50;
    private static final int REPLACEMENT_ATTEMPTS = 20;

    /** Verified in any run: late labels, drift, imports, challengers, large snapshots, a kernel, a vote. */
    private static final List<String> VERIFIED = List.of("adwin", "classes", "kernel", "large", "moved", "portfolio");

    /** Number of kills from which on all models are verified, each of which reads the log again. */
    private static final int ALL_VERIFIED = 20;

    private static final int VERIFIED_OF_MANY = 5;

    /** Models without late labels, which are replaced. */
    private static final List<String> REPAIRED = List.of("pa", "margin", "few-classes", "unit");

    /** Enough for a snapshot of several times a message. */
    private static final int MIN_RECORDS = 50_000;

    private static final int COMMIT_INTERVAL_MS = 500;
    private static final int TRANSACTION_TIMEOUT_MS = 4_000;
    private static final int MAX_MESSAGE_BYTES = 1 << 20;
    private static final int LOG_LINES = 60;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("topics.create", "true"),
            Map.entry("models.defaults", ""),
            Map.entry("topics.partitions", Integer.toString(PARTITIONS)),
            Map.entry("num.stream.threads", "2"),
            Map.entry("commit.interval.ms", Integer.toString(COMMIT_INTERVAL_MS)),
            // as long as a transaction whose engine never comes back holds up readers, restoration included
            Map.entry("producer.transaction.timeout.ms", Integer.toString(TRANSACTION_TIMEOUT_MS)),
            // some lives see a checkpoint, some are killed in one, and most starts have something to replay
            Map.entry("checkpoint.interval.ms", "1000"),
            // not enough for all models: some are written and dropped in the middle of a transaction, and loaded again;
            // with a tenth
            // of it, that is nearly all the engine does
            Map.entry("store.heap.bytes", "30000000"),
            // the changelog is compacted while the engine learns and dies
            Map.entry("topic.min.compaction.lag.ms", "0"),
            Map.entry("topic.segment.bytes", "1048576"),
            Map.entry("topic.min.cleanable.dirty.ratio", "0.1"));

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private LoadedCluster cluster;
    private EngineProcess engine;

    @RegisterExtension
    final AfterTestExecutionCallback showsLogs = context -> {
        if (context.getExecutionException().isPresent()) {
            say("the engine said\n" + LoadedCluster.tail(directory.resolve("engine.log"), LOG_LINES)
                    + "\nand the broker\n" + cluster.tail(LOG_LINES));
        }
    };

    @BeforeEach
    void start() throws Exception {
        cluster = LoadedCluster.start(directory, PARTITIONS);
        engine = new EngineProcess(
                cluster.process(), directory.resolve("data"), directory.resolve("engine.log"), SETTINGS);
        engine.start();
        cluster.startLoad(SEED, RECORDS_PER_SECOND);
    }

    @AfterEach
    void stop() {
        engine.close();
        cluster.close();
    }

    /** Several seconds for each kill. */
    @Test
    @Tag("full")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void shouldLearnExactlyOnceHoweverOftenItIsKilled() throws Exception {
        List<String> replaced = new ArrayList<>();
        kill(KILLS, counted -> {
            if (counted % EVERY_REPLACEMENT == 2) {
                replaced.add(replaceAModel());
            }
        });
        cluster.setRate(RECORDS_PER_SECOND);
        until(() -> cluster.sent() > MIN_RECORDS);
        long sent = cluster.stopLoad();
        untilAllProcessed();
        // writes a checkpoint: all models can be compared
        assertThat(engine.stop(60)).isTrue();

        LogComparison comparison = new LogComparison(cluster.bootstrapServers(), cluster.registry(), PARTITIONS);
        Map<Topic, Long> compared = comparison.run();
        say(sent + " records sent, "
                + comparison.imports() + " imports, largest snapshot " + comparison.largestSnapshot()
                + " bytes, " + comparison.idleStatuses() + " idle statuses, compared " + compared);
        Recount.Summary recounted = cluster.recount();
        say("recounted " + recounted);
        assertThat(recounted.predictions()).isPositive();
        assertThat(recounted.events(Topic.PREDICTIONS)).isEqualTo(compared.get(Topic.PREDICTIONS));
        assertThat(recounted.events(Topic.MISTAKES)).isEqualTo(compared.get(Topic.MISTAKES));
        assertThat(recounted.windows()).isPositive();
        assertThat(recounted.events(Topic.COUNTS)).isEqualTo(compared.get(Topic.COUNTS));
        Set<String> verified = new TreeSet<>(KILLS < ALL_VERIFIED ? VERIFIED : comparison.models());
        verified.addAll(replaced);
        verified.forEach(model -> assertThat(cluster.verify(model)).as(model).isEqualTo(comparison.events(model)));
        say("verified " + verified);
        assertThat(comparison.replaced()).isEqualTo(replaced.size());
        assertThat(comparison.imports()).isPositive();
        assertThat(comparison.idleStatuses()).isPositive();
        assertThat(comparison.largestSnapshot())
                .as("several times what one message may hold")
                .isGreaterThan(4 * MAX_MESSAGE_BYTES);
        assertThat(compared).containsOnlyKeys(Topic.values());
    }

    /**
     * With far more models than memory has room for: most records load a model, and write and drop another one. A
     * replica with as little memory learns beside the engine.
     */
    @Test
    @Tag("full")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void shouldLearnManyModelsExactlyOnceHoweverOftenItIsKilled() throws Exception {
        cluster.stopLoad();
        engine.kill();
        Map<String, String> settings = new HashMap<>(SETTINGS);
        // 150 bytes for each model, which take some thousands
        settings.put("store.heap.bytes", Integer.toString(150 * MANY_MODELS));
        // so that another thread sends the outputs
        settings.put("num.stream.threads", "1");
        engine = new EngineProcess(
                cluster.process(), directory.resolve("data"), directory.resolve("engine.log"), settings);
        engine.start();
        cluster.startLoad(
                RECORDS_PER_SECOND,
                new ManyModels(SEED, Topic.EXAMPLES.name("perceptron"), PARTITIONS, MANY_MODELS)::next);
        EngineConfig config = EngineConfig.of(
                Map.of("bootstrap.servers", cluster.bootstrapServers(), "schema.registry.url", cluster.registryUrl()),
                Map.of("data.dir", directory.resolve("replica").toString()),
                null,
                Map.of());
        try (Replica replica = Replica.open(config, 150 * MANY_MODELS, cluster.registry())) {
            replica.start();
            kill(KILLS_WITH_MANY, counted -> {});
            cluster.setRate(RECORDS_PER_SECOND);
            until(() -> cluster.sent() > 2 * MANY_MODELS);
            long sent = cluster.stopLoad();
            untilAllProcessed();
            assertThat(engine.stop(60)).isTrue();
            say(sent + " records sent, " + cluster.requireExact());
            await().atMost(PATIENCE)
                    .until(() -> replica.isReady() && replica.states().stream().allMatch(state -> state.lag() == 0));
            List<String> models = cluster.requireSame(replica);
            say(models.size() + " models of the replica are equal");
            for (int k = 0; k < VERIFIED_OF_MANY; k++) {
                String model = models.get(random.nextInt(models.size()));
                assertThat(cluster.verify(model).predictions()).as(model).isPositive();
            }
        }
    }

    @Test
    void shouldTrustItsCopiesWhenItWasToldToStopAndNotWhenItWasKilled() throws Exception {
        cluster.setRate(GENTLE_PER_SECOND);
        until(() -> cluster.predictions() > GENTLE_PER_SECOND);
        boolean isStopped = engine.stop(60);

        assertThat(isStopped).isTrue();
        assertThat(cluster.openTransactions("perceptron-")).isZero();
        engine.start();
        long before = cluster.predictions();
        until(() -> cluster.predictions() > before + GENTLE_PER_SECOND);
        assertThat(engineLog())
                .as("its copies of the models are trusted, and contain everything")
                .doesNotContain("shutdown was not clean")
                .doesNotContain("replayed");
        engine.kill();
        engine.start();
        long atKill = cluster.predictions();
        until(() -> cluster.predictions() > atKill + GENTLE_PER_SECOND);
        // one line instead of the sixty of Kafka Streams
        assertThat(engineLog())
                .containsOnlyOnce("the previous shutdown was not clean")
                .doesNotContain("did not find checkpoint offsets");
        cluster.stopLoad();
        untilAllProcessed();
        assertThat(engine.stop(60)).isTrue();
        cluster.requireExact();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "streams"})
    @Tag("full")
    void shouldLearnExactlyOnceWhilePartitionsMoveBetweenProcesses(String protocol) throws Exception {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("group.protocol", protocol);
        if (protocol.equals("classic")) {
            // copies of the models wait in the other process; with streams the broker decides how many
            settings.put("num.standby.replicas", "1");
        }
        // a silent member is given up soon
        settings.put("session.timeout.ms", "6000");
        settings.put("heartbeat.interval.ms", "1000");
        settings.put("checkpoint.interval.ms", "3000");
        cluster.setRate(GENTLE_PER_SECOND);
        engine.kill();
        try (EngineProcess first = new EngineProcess(
                        cluster.process(), directory.resolve("first"), directory.resolve("engine.log"), settings);
                EngineProcess second = new EngineProcess(
                        cluster.process(), directory.resolve("second"), directory.resolve("second.log"), settings)) {
            first.start();
            advance(first, GENTLE_PER_SECOND);
            // it takes over some partitions from a live process, between two checkpoints
            second.start();
            advance(first, 8 * GENTLE_PER_SECOND);
            // and the others from a dead one
            List<EngineProcess> both = List.of(first, second);
            for (int k = 0; k < TAKEOVERS; k++) {
                EngineProcess left = both.get((k + 1) % 2);
                both.get(k % 2).kill();
                advance(left, GENTLE_PER_SECOND);
                say("takeover " + (k + 1) + " of " + TAKEOVERS);
                if (k + 1 < TAKEOVERS) {
                    both.get(k % 2).start();
                    advance(left, 8 * GENTLE_PER_SECOND);
                }
            }
            cluster.stopLoad();
            while (!cluster.isAllProcessed()) {
                Map<TopicPartition, OffsetAndMetadata> before = cluster.positions();
                await().atMost(PATIENCE).until(() -> !cluster.positions().equals(before) || cluster.isAllProcessed());
            }
            assertThat(both.get(TAKEOVERS % 2).stop(60)).isTrue();
        }
        String logs = engineLog() + Files.readString(directory.resolve("second.log"));
        say("partitions moved: "
                + logs.lines().filter(line -> line.contains("replayed ")).count() + " replays");
        assertThat(logs).contains("replayed ");
        cluster.requireExact();
    }

    /** Called with the number of counted kills, after each one whose engine runs again. */
    private interface AfterKill {
        void killed(int counted) throws Exception;
    }

    /** Kills the engine this number of times while it has an open transaction; every other time its state is lost. */
    private void kill(int kills, AfterKill then) throws Exception {
        int counted = 0;
        int withoutState = 0;
        while (counted < kills) {
            long progress = random.nextInt(RECORDS_PER_SECOND);
            long before = cluster.predictions();
            until(() -> cluster.predictions() > before);
            untilPredicted(before + progress);
            // most lives see some commits, some not one
            engine.live(random.nextInt(4 * COMMIT_INTERVAL_MS));
            if (cluster.openTransactions(engine.transactionalIdPrefix()) == 0) {
                say("no open transaction, not killed");
                continue;
            }
            engine.kill();
            // less while no engine runs: with many kills it would never catch up
            cluster.setRate(TRICKLE_PER_SECOND);
            // a dead engine's transaction stays open until its next life or its time-out
            boolean isHit = cluster.openTransactions(engine.transactionalIdPrefix()) > 0;
            boolean isStateLost = isHit && counted % 2 == 1;
            counted += isHit ? 1 : 0;
            withoutState += isStateLost ? 1 : 0;
            say("kill " + counted + " of " + kills + (isHit ? "" : " (not counted: it hit no open transaction)")
                    + (isStateLost ? ", state directory deleted" : ""));
            if (isStateLost) {
                engine.deleteState();
            }
            engine.start();
            if (random.nextInt(isStateLost ? 2 : 4) == 0) {
                // while it starts and restores; there is no transaction of its own yet
                long ms = random.nextInt(isStateLost ? TRANSACTION_TIMEOUT_MS + 2_000 : 3_000);
                engine.live(ms);
                engine.kill();
                say("killed " + ms + " ms after the start, not counted");
                engine.start();
            }
            if (isHit) {
                then.killed(counted);
            }
        }
        say(counted + " kills, " + withoutState + " without state directory");
    }

    /**
     * Repairs a model while examples come in: it becomes what it had been without some records. Only a live one can be,
     * and only between two commands, which the stream has at any place.
     *
     * @return its name
     */
    private String replaceAModel() throws Exception {
        // with more, there would always be a command among the records that the weights lack
        cluster.setRate(TRICKLE_PER_SECOND);
        untilAtLast(() -> cluster.lag() < 2 * TRICKLE_PER_SECOND);
        Commands perceptron = new Commands();
        for (int attempt = 0; attempt < REPLACEMENT_ATTEMPTS; attempt++) {
            String model = REPAIRED.get(attempt % REPAIRED.size());
            int partition = Utils.toPositive(Utils.murmur2(Utils.utf8(model))) % PARTITIONS;
            int exitCode = perceptron.run("what-if " + model + " --without " + partition + "@500..1499 --replace --yes"
                    + " --timeout 120 --bootstrap " + cluster.bootstrapServers()
                    + " --registry " + cluster.registryUrl());
            assertThat(perceptron.output() + perceptron.errors())
                    .doesNotContain("not reproduced")
                    .doesNotContain("must be reproduced");
            if (exitCode == 0) {
                say("replaced " + model + " in attempt " + (attempt + 1));
                return model;
            }
            say("not replaced: " + perceptron.errors().strip());
        }
        throw new AssertionError("one of " + REPAIRED + " must be replaced");
    }

    private void advance(EngineProcess process, long records) throws Exception {
        long before = cluster.predictions();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .failFast("the engine has ended by itself", () -> !process.isAlive())
                .until(() -> cluster.predictions() > before + records);
    }

    private void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .failFast("the engine has ended by itself", () -> !engine.isAlive())
                .until(condition);
    }

    /** The load almost pauses while the engine is far behind. */
    private void untilPredicted(long count) {
        until(() -> {
            cluster.setRate(cluster.lag() < MAX_LAG ? RECORDS_PER_SECOND : TRICKLE_PER_SECOND);
            return cluster.predictions() > count;
        });
    }

    private void untilAllProcessed() throws Exception {
        untilAtLast(cluster::isAllProcessed);
    }

    /** As long as it takes: many kills leave a long log. But it must go on. */
    private void untilAtLast(Callable<Boolean> condition) throws Exception {
        while (!condition.call()) {
            Map<TopicPartition, OffsetAndMetadata> before = cluster.positions();
            until(() -> !cluster.positions().equals(before) || condition.call());
        }
    }

    private String engineLog() throws IOException {
        return Files.readString(directory.resolve("engine.log"));
    }

    private static void say(String line) {
        System.out.println("CrashIT, seed " + SEED + ": " + line);
    }
}
