package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.embedded.LiveObjects;
import io.perceptronstreams.embedded.ProcessUse;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two engines that share 20 partitions and commit each 10 ms, one of which is killed again and again: the memory of the
 * other one and of the broker stays flat, their producers use up all epochs of an id, and nothing is lost. Needs Linux.
 *
 * <p>{@code -Dlong.minutes} and {@code -Dlong.examples} end the run, whichever comes first; {@code
 * -Dlong.kill.minutes} is the time between two kills, {@code -Dlong.rate} the number of records a second, of which four
 * have twelve examples, and is lowered while the engines are behind; {@code -Dlong.epochs.left} lets producers begin
 * with epochs that are nearly used up, as a run of less than {@value #MINUTES_TO_SETTLE} minutes does. Such a run does
 * not look at the slopes of memory. Each run compares the live objects of the engine at two moments at which all is
 * processed: an object that is kept for every other transaction is a fault, in a short run in each of four intervals.
 *
 * <p>Every committed prediction is checked as it comes. The examples are kept, about 60 bytes each, for
 * {@code verify} of the three models of partition 0, which learns that partition again; of their predictions and
 * mistakes what is still there is compared, which is all of a run of some million examples. Older ones are deleted.
 */
@Tag("full")
final class LongRunIT {
    private static final double MINUTES = Double.parseDouble(System.getProperty("long.minutes", "0.4"));
    private static final double KILL_MINUTES = Double.parseDouble(System.getProperty("long.kill.minutes", "0.1"));
    private static final long EXAMPLES = Long.getLong("long.examples", Long.MAX_VALUE);
    private static final int RATE = Integer.getInteger("long.rate", 300);
    private static final int PARTITIONS = 20;

    /** As long as models, caches, compilers and malloc take to have the memory that they need. */
    private static final int MINUTES_TO_SETTLE = 20;

    private static final boolean IS_SHORT = MINUTES < MINUTES_TO_SETTLE;

    /** Many more than the objects of any class by which an engine differs from one moment to another. */
    private static final int LEAST_TRANSACTIONS = 300;

    private static final int MOST_INTERVALS = 4;

    /** Epochs that are left to the producers at the start; 0: all. */
    private static final int EPOCHS_LEFT = Integer.getInteger("long.epochs.left", IS_SHORT ? 150 : 0);

    /** Seconds of records, above which the engines are behind. */
    private static final int MAX_LAG = 5;

    private static final int TRICKLE = 100;
    private static final int SAMPLES = 60;
    private static final Duration LONGEST_SAMPLE = Duration.ofSeconds(30);

    /** That of the defaults, in which a busy machine may leave an engine without a heartbeat; longer in a short run. */
    private static final long SESSION_MS = IS_SHORT ? 30_000 : 6_000;

    private static final int VERIFIED = NumberedExamples.Kind.values().length;
    private static final double MEGABYTE = 1e6;
    private static final int LOG_LINES = 60;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("topics.create", "true"),
            Map.entry("models.defaults", ""),
            Map.entry("topics.partitions", Integer.toString(PARTITIONS)),
            Map.entry("num.stream.threads", "1"),
            Map.entry("commit.interval.ms", "10"),
            Map.entry("commit.interval.min.ms", "10"),
            // also while they are behind
            Map.entry("commit.interval.max.ms", "0"),
            Map.entry("producer.transaction.timeout.ms", "60000"),
            Map.entry("session.timeout.ms", Long.toString(SESSION_MS)),
            Map.entry("heartbeat.interval.ms", "1000"),
            // an engine that comes back gets partitions at once, not after a probing rebalance ten minutes later
            Map.entry("acceptable.recovery.lag", "1000000000"),
            Map.entry("store.cache.bytes", "8388608"),
            Map.entry("topic.min.compaction.lag.ms", "0"),
            Map.entry("topic.segment.bytes", "1048576"));

    @TempDir
    Path directory;

    private final long start = System.nanoTime();
    private LoadedCluster cluster;
    private EngineProcess first;
    private EngineProcess second;
    private NumberedExamples examples;
    private PredictionCheck predictions;
    private ProducerEpochs epochs;

    @RegisterExtension
    final AfterTestExecutionCallback showsLogs = context -> {
        if (context.getExecutionException().isPresent() && cluster != null) {
            say("the first engine said\n" + LoadedCluster.tail(first.log(), LOG_LINES) + "\nthe second\n"
                    + LoadedCluster.tail(second.log(), LOG_LINES) + "\nand the broker\n" + cluster.tail(LOG_LINES));
        }
    };

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void shouldStayFlatAndLoseNothing() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/status")), "memory of processes is read from /proc");
        try (LoadedCluster started = LoadedCluster.start(directory, PARTITIONS);
                EngineProcess engine = started.engine("first", SETTINGS);
                EngineProcess killed = started.engine("second", SETTINGS)) {
            cluster = started;
            first = engine;
            second = killed;
            epochs = new ProducerEpochs(cluster.admin());
            first.start();
            second.start();
            until(() -> epochs.idle() == 2);
            if (EPOCHS_LEFT > 0) {
                age();
            }
            examples = new NumberedExamples(Topic.EXAMPLES.name("perceptron"), PARTITIONS, cluster.registry());
            cluster.startLoad(RATE, examples::next);
            deleteWhatIsNotNeeded();
            try (PredictionCheck check = new PredictionCheck(
                    cluster.bootstrapServers(), PARTITIONS, cluster.registry(), examples.models())) {
                predictions = check;
                run();
            }
        }
    }

    private void run() throws Exception {
        epochs.look();
        // all code has run, all models are there
        int kills = runFor(
                IS_SHORT ? MINUTES * 2 / 3 : MINUTES / 5,
                IS_SHORT ? 2 : Integer.MAX_VALUE,
                () -> !IS_SHORT || epochs.otherIds() > 0);
        untilQuiet();
        Map<String, LiveObjects> before = liveObjects();
        Set<String> gained = new TreeSet<>(before.get("engine").numbers().keySet());
        for (int i = 0; i < (IS_SHORT ? MOST_INTERVALS : 1) && !gained.isEmpty(); i++) {
            long used = epochs.epochs(first.transactionalIdPrefix());
            // a partition that moves takes objects with it, too many for a short run
            kills += runFor(
                    IS_SHORT ? MINUTES / 3 : MINUTES * 4 / 5,
                    IS_SHORT ? 0 : Integer.MAX_VALUE,
                    () -> epochs.epochs(first.transactionalIdPrefix()) - used > LEAST_TRANSACTIONS);
            untilQuiet();
            long transactions = epochs.epochs(first.transactionalIdPrefix()) - used;
            Map<String, LiveObjects> after = liveObjects();
            for (String name : after.keySet()) {
                say(name + ": live objects of " + megabytes(before.get(name).bytes()) + " and "
                        + megabytes(after.get(name).bytes()) + " MB, more than before in " + transactions
                        + " transactions: " + after.get(name).gained(before.get(name), transactions / 10));
            }
            // what is kept for each transaction is gained in every interval, what an engine happens to hold in one
            gained.retainAll(after.get("engine")
                    .gained(before.get("engine"), transactions / 2)
                    .keySet());
            before = after;
        }
        cluster.stopLoad();
        say(examples.examples() + " examples, " + kills + " kills, producers: " + epochs);
        assertThat(gained).as("classes of which the engine has gained objects").isEmpty();
        requireCounts();
        verify();
        for (EngineProcess engine : List.of(first, second)) {
            List<String> recoveries = engine.recoveries();
            say(recoveries.size() + " recoveries in " + engine.log().getFileName() + " " + recoveries);
            assertThat(IS_SHORT ? recoveries : List.of()).isEmpty();
            assertThat(Files.readString(engine.log())).doesNotContain(" ERROR ");
            assertThat(engine.stop(60)).isTrue();
        }
    }

    /** Makes the coordinator count on from an epoch shortly before the last one of each producer id. */
    private void age() throws Exception {
        assertThat(first.stop(60)).isTrue();
        assertThat(second.stop(60)).isTrue();
        ProducerEpochs.age(cluster.bootstrapServers(), EPOCHS_LEFT);
        cluster.kill();
        cluster.restart();
        first.start();
        second.start();
        until(() -> epochs.idle() == 2);
    }

    /** Old outputs, of which none is needed, and what the broker keeps of positions and transactions. */
    private void deleteWhatIsNotNeeded() throws Exception {
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES)) {
            changes.put(
                    new ConfigResource(ConfigResource.Type.TOPIC, topic.name("perceptron")),
                    List.of(set("retention.bytes", 1L << 26), set("segment.bytes", 1L << 24)));
        }
        for (String topic : List.of("__consumer_offsets", "__transaction_state")) {
            changes.put(
                    new ConfigResource(ConfigResource.Type.TOPIC, topic),
                    List.of(set("min.compaction.lag.ms", 0), set("segment.bytes", 1L << 24)));
        }
        cluster.admin().incrementalAlterConfigs(changes).all().get();
    }

    private static AlterConfigOp set(String name, long value) {
        return new AlterConfigOp(new ConfigEntry(name, Long.toString(value)), AlterConfigOp.OpType.SET);
    }

    /** Runs on until it is enough, at least for this time; returns the number of kills. */
    private int runFor(double minutes, int mostKills, Callable<Boolean> isEnough) throws Exception {
        long begin = System.nanoTime();
        long end = begin + (long) (minutes * 60e9);
        long sampleEach = Math.min((long) (minutes * 60e9 / SAMPLES), LONGEST_SAMPLE.toNanos());
        long nextSample = begin;
        long nextKill = begin + (long) (KILL_MINUTES * 60e9);
        long back = Long.MAX_VALUE;
        int killed = 0;
        Map<String, List<Sample>> samples = new TreeMap<>();
        while ((System.nanoTime() < end && examples.examples() < EXAMPLES) || !isEnough.call()) {
            Thread.sleep(500);
            requireNoFault();
            epochs.look();
            cluster.setRate(cluster.lag() < (long) MAX_LAG * RATE ? RATE : TRICKLE);
            long now = System.nanoTime();
            if (now > nextKill && killed < mostKills) {
                second.kill();
                // the same member comes back at once, or the other engine takes over before
                back = now + (killed++ % 2 == 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(2 * SESSION_MS));
                nextKill = Math.max(back, now) + (long) (KILL_MINUTES * 60e9);
            }
            if (now > back) {
                second.start();
                back = Long.MAX_VALUE;
            }
            if (!IS_SHORT && now > nextSample) {
                sample(samples, (now - begin) / 3.6e12);
                nextSample += sampleEach;
            }
        }
        if (back < Long.MAX_VALUE) {
            second.start();
        }
        samples.forEach(this::report);
        return killed;
    }

    private void requireNoFault() {
        predictions.requireExpected();
        assertThat(first.isAlive()).as("the first engine runs").isTrue();
        assertThat(cluster.isAlive()).as("the broker runs").isTrue();
    }

    /** @param hours since the first sample */
    private record Sample(double hours, ProcessUse use) {}

    private void sample(Map<String, List<Sample>> samples, double hours) throws IOException, InterruptedException {
        StringBuilder line = new StringBuilder(examples.examples() + " examples");
        for (Map.Entry<String, Long> process : processes().entrySet()) {
            ProcessUse use = ProcessUse.of(process.getValue());
            samples.computeIfAbsent(process.getKey(), any -> new ArrayList<>()).add(new Sample(hours, use));
            line.append("; ").append(process.getKey()).append(' ').append(use.text());
        }
        say(line.toString());
    }

    private Map<String, Long> processes() {
        return new TreeMap<>(Map.of(
                "engine", first.pid(), "broker", cluster.process().process().pid()));
    }

    private Map<String, LiveObjects> liveObjects() throws IOException, InterruptedException {
        Map<String, LiveObjects> objects = new TreeMap<>();
        for (Map.Entry<String, Long> process : processes().entrySet()) {
            objects.put(process.getKey(), LiveObjects.of(process.getValue()));
        }
        return objects;
    }

    private void report(String name, List<Sample> samples) {
        List<Sample> settled = samples.subList(samples.size() / 3, samples.size());
        say("%s: live heap %s, resident %s; last %s"
                .formatted(
                        name,
                        trend(settled, ProcessUse::heapBytes),
                        trend(settled, ProcessUse::residentBytes),
                        settled.get(settled.size() - 1).use.text()));
    }

    private static String trend(List<Sample> samples, ToLongFunction<ProcessUse> value) {
        return "%+.1f MB/hour".formatted(slope(samples, value) / MEGABYTE);
    }

    /** Least squares, per hour. */
    private static double slope(List<Sample> samples, ToLongFunction<ProcessUse> value) {
        double hours = samples.stream().mapToDouble(Sample::hours).average().orElseThrow();
        double mean = samples.stream()
                .mapToDouble(each -> value.applyAsLong(each.use))
                .average()
                .orElseThrow();
        double products = 0;
        double squares = 0;
        for (Sample each : samples) {
            products += (each.hours - hours) * (value.applyAsLong(each.use) - mean);
            squares += (each.hours - hours) * (each.hours - hours);
        }
        return products / squares;
    }

    /** Pauses the load until all is predicted. */
    private void untilQuiet() throws Exception {
        cluster.setRate(0);
        long[] before = {-1};
        // as long as it takes, but it must go on
        while (predictions.predictions() < examples.examples()) {
            before[0] = predictions.predictions();
            until(() -> predictions.predictions() > before[0]);
        }
        until(() -> cluster.isAllProcessed());
        epochs.look();
    }

    /** Counts of the models are what was sent, and what was wrong of it; dead letters are the deliberate ones. */
    private void requireCounts() throws Exception {
        Map<String, GenericRecord> statuses = new HashMap<>();
        until(() -> {
            statuses.putAll(statuses());
            return examples.models().stream().allMatch(each -> isLatest(statuses.get(each.name()), each));
        });
        long errors = 0;
        long labels = 0;
        for (NumberedExamples.Numbered model : examples.models()) {
            GenericRecord status = statuses.get(model.name());
            assertThat(List.of(status.get("labelled"), status.get("pending"), status.get("errors")))
                    .as("labelled, pending and errors of %s", model.name())
                    .isEqualTo(
                            List.of(model.labelled(), model.examples() - model.labelled(), predictions.errors(model)));
            errors += predictions.errors(model);
            labels += model.labelled();
        }
        Map<String, Long> letters = new TreeMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (ConsumerRecord<byte[], byte[]> letter :
                    TopicLog.all(cluster.bootstrapServers(), Topic.DEAD_LETTERS.name("perceptron"), partition)) {
                letters.merge(
                        new String(
                                letter.headers().lastHeader(DeadLetter.REASON).value(), StandardCharsets.UTF_8),
                        1L,
                        Long::sum);
            }
        }
        say(predictions.predictions() + " predictions, " + labels + " labels, " + errors + " errors, dead letters "
                + letters);
        assertThat(letters).containsOnlyKeys("DUPLICATE_LABEL", "MALFORMED_JSON");
        assertThat(letters.values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(examples.models().stream()
                        .mapToLong(NumberedExamples.Numbered::refused)
                        .sum());
    }

    private static boolean isLatest(GenericRecord status, NumberedExamples.Numbered model) {
        return status != null
                && (Long) status.get("examples") == model.examples()
                && (Long) status.get("labelled") == model.labelled();
    }

    private Map<String, GenericRecord> statuses() {
        Map<String, byte[]> last = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (TopicLog log = new TopicLog(cluster.bootstrapServers(), Topic.MODELS.name("perceptron"), partition)) {
                log.forEachRemaining(
                        record -> last.put(new String(record.key(), StandardCharsets.UTF_8), record.value()));
            }
        }
        Map<String, GenericRecord> statuses = new HashMap<>();
        last.forEach((name, value) -> statuses.put(name, EngineDriver.decode(cluster.registry(), value)));
        return statuses;
    }

    private void verify() {
        for (NumberedExamples.Numbered model : examples.models().subList(0, VERIFIED)) {
            long begin = System.nanoTime();
            Verification.Counted equal = cluster.verify(model.name());
            say("verified " + model.name() + " of " + model.examples() + " examples in "
                    + (System.nanoTime() - begin) / 1_000_000_000 + " s: " + equal);
            assertThat(equal.predictions()).isPositive();
        }
    }

    private void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .failFast("an engine has ended by itself", () -> !first.isAlive() || !second.isAlive())
                .until(condition);
    }

    private static String megabytes(long bytes) {
        return "%.2f".formatted(bytes / MEGABYTE);
    }

    private void say(String line) {
        System.out.println("LongRunIT, " + (System.nanoTime() - start) / 1_000_000_000 + " s: " + line);
    }
}
