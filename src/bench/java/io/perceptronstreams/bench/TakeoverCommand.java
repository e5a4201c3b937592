package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.sending.RateLimiter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.InstanceId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench takeover}: time until another engine predicts after a kill. */
@Command(
        name = "bench takeover",
        description = {
            "Measure the time from kill -9 of an engine to the first predictions that another one makes of its partitions.",
            "Two engines, as perceptron run starts them, share the partitions of an embedded broker. The one with more "
                    + "partitions is killed, and started again when the other one predicts. The time ends when a reader with "
                    + "read_committed has a prediction of an example that was sent after the kill: of the first partition, "
                    + "and of all.",
            "With --join nothing is killed: one engine has learned all models when the other one starts, and gets half of the "
                    + "partitions. Measured are the time from its start until it has them, and for each partition the "
                    + "longest time without a prediction.",
        },
        mixinStandardHelpOptions = true)
final class TakeoverCommand implements Callable<Integer> {
    private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int FEATURES = 50;
    private static final int LOG_LINES = 40;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "10",
            description = "Kills (default: ${DEFAULT-VALUE}).")
    private int kills;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "4",
            description = "Partitions (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--models",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Models, of 50 features (default: ${DEFAULT-VALUE}).")
    private int models;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Examples per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--settle",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description = "Time from the return of an engine to the next kill (default: ${DEFAULT-VALUE}).")
    private int settle;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            defaultValue = "512m",
            description = "Heap of each JVM (default: ${DEFAULT-VALUE}).")
    private String heap;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting of both engines, such as num.standby.replicas=1.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--broker",
            paramLabel = "KEY=VALUE",
            description = "A property of the broker, such as group.min.session.timeout.ms=2000.")
    private Map<String, String> brokerProperties = new LinkedHashMap<>();

    @Option(names = "--join", description = "Start a second engine beside one that has all models, instead of kills.")
    private boolean isJoin;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean isJson;

    /** Examples that the sender has sent, and whether it sends as fast as it can. */
    private volatile long sent;

    private volatile boolean isFilling;

    /**
     * A second engine beside the first.
     *
     * @param seconds from its start until it has half of the partitions, and all partitions have predictions since
     * @param before longest time without a prediction of a partition in the same time before
     * @param moved longest times without a prediction of the partitions that it got, ascending
     * @param kept of those that stayed
     */
    record Joining(double seconds, double before, List<Double> moved, List<Double> kept) {}

    /**
     * A kill.
     *
     * @param partitions that the killed engine had
     * @param firstSeconds time to the first prediction of one of them
     * @param allSeconds time to the first predictions of all of them
     */
    record Takeover(int partitions, double firstSeconds, double allSeconds) {}

    /** An engine and its directory. */
    private final class Engine {
        final EngineConfig config;
        final Queue<String> log = new ConcurrentLinkedQueue<>();
        private final List<String> arguments = new ArrayList<>(List.of("run"));
        BenchProcess process;

        Engine(Path dataDir, Map<String, String> addresses) throws IOException {
            Map<String, String> all = new HashMap<>(addresses);
            all.put("topics.create", "true");
            all.put("topics.partitions", Integer.toString(partitions));
            all.putAll(settings);
            all.put("data.dir", dataDir.toString());
            all.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
            all.put("group.instance.id", InstanceId.of(dataDir));
            config = EngineConfig.of(all, Map.of(), null, Map.of());
        }

        void start() throws IOException {
            log.clear();
            process = BenchProcess.startLogging(heap, arguments, log::add);
        }

        Set<Integer> partitions(Admin admin) throws ExecutionException, InterruptedException {
            Set<Integer> own = new HashSet<>();
            EngineGroup.members(admin, config).stream()
                    .filter(member -> EngineGroup.isOwn(member, config))
                    .forEach(member -> own.addAll(member.partitions()));
            return own;
        }

        boolean isMember(Admin admin) throws ExecutionException, InterruptedException {
            return EngineGroup.members(admin, config).stream().anyMatch(member -> EngineGroup.isOwn(member, config));
        }
    }

    @Override
    public Integer call() throws Exception {
        BenchSettings.require(kills >= 1, "--kills must be at least 1, got " + kills);
        BenchSettings.require(!isJoin || partitions >= 2, "--partitions must be at least 2, got " + partitions);
        BenchSettings.require(rate >= 1, "--rate must be at least 1, got " + rate);
        Path directory = Files.createTempDirectory("perceptron-bench");
        List<String> broker =
                new ArrayList<>(List.of("broker", directory.resolve("cluster").toString()));
        brokerProperties.forEach((key, value) -> broker.add(key + "=" + value));
        try (ShutdownSignal stop = new ShutdownSignal(BenchCommand::killProcesses)) {
            stop.endWithin(BenchCommand.STOP_TIMEOUT, () -> BenchCommand.abandon(directory));
            try (BenchProcess process = BenchProcess.start(heap, broker)) {
                Map<String, String> addresses =
                        new ObjectMapper().readerForMapOf(String.class).readValue(process.readMessage());
                Engine first = new Engine(directory.resolve("first"), addresses);
                Engine second = new Engine(directory.resolve("second"), addresses);
                if (isJoin) {
                    report(join(first, second));
                } else {
                    report(run(first, second));
                }
            } catch (CommandFailedException e) {
                if (!stop.isRequested()) {
                    throw e;
                }
            } finally {
                BenchCommand.delete(directory);
            }
        }
        return 0;
    }

    /** What is measured with two engines, of which the first has all partitions. */
    private interface Measurement<T> {
        T measure(Admin admin, TopicScan predictions) throws Exception;
    }

    private List<Takeover> run(Engine first, Engine second) throws Exception {
        return measure(first, second, (admin, predictions) -> {
            List<Engine> both = List.of(first, second);
            List<Takeover> takeovers = new ArrayList<>();
            second.start();
            while (takeovers.size() < kills) {
                await(both, () -> first.isMember(admin) && second.isMember(admin));
                settle(predictions);
                Engine killed = first.partitions(admin).size()
                                >= second.partitions(admin).size()
                        ? first
                        : second;
                Takeover takeover =
                        kill(killed, killed == first ? second : first, killed.partitions(admin), predictions);
                takeovers.add(takeover);
                System.err.printf(
                        Locale.ROOT,
                        "kill %d: %d partitions, first prediction after %.2f s, of all after %.2f s%n",
                        takeovers.size(),
                        takeover.partitions(),
                        takeover.firstSeconds(),
                        takeover.allSeconds());
                killed.start();
            }
            return takeovers;
        });
    }

    private void settle(TopicScan predictions) {
        long settled = System.nanoTime() + TimeUnit.SECONDS.toNanos(settle);
        while (System.nanoTime() < settled) {
            predictions.poll();
        }
    }

    private <T> T measure(Engine first, Engine second, Measurement<T> measurement) throws Exception {
        List<Engine> both = List.of(first, second);
        try (Admin admin = Admin.create(first.config.admin())) {
            first.start();
            await(both, () -> first.partitions(admin).size() == partitions);
            try (TopicScan predictions = TopicScan.open(first.config, first.config.topic(Topic.PREDICTIONS))) {
                Thread load = new Thread(() -> send(first.config), "bench-sender");
                load.setDaemon(true);
                load.start();
                return measurement.measure(admin, predictions);
            }
        } catch (CommandFailedException e) {
            both.forEach(engine -> engine.log.stream()
                    .skip(Math.max(0, engine.log.size() - LOG_LINES))
                    .forEach(System.err::println));
            throw e;
        } finally {
            for (Engine engine : both) {
                if (engine.process != null) {
                    engine.process.kill();
                }
            }
        }
    }

    private Joining join(Engine first, Engine second) throws Exception {
        isFilling = true;
        return measure(first, second, (admin, predictions) -> {
            long predicted = 0;
            List<Engine> both = List.of(first, second);
            while (isFilling || predicted < sent - rate) {
                requireAlive(both);
                isFilling = isFilling && sent < models;
                predicted += predictions.poll().count();
            }
            settle(predictions);
            Gaps before = new Gaps();
            before.watch(both, predictions, () -> before.seconds() > settle);
            Gaps during = new Gaps();
            second.start();
            Set<Integer> moved = new HashSet<>();
            long[] asked = {System.nanoTime()};
            during.watch(both, predictions, () -> {
                long now = System.nanoTime();
                if (moved.size() < partitions / 2 && now - asked[0] > TimeUnit.MILLISECONDS.toNanos(500)) {
                    asked[0] = now;
                    moved.addAll(second.partitions(admin));
                    if (moved.size() >= partitions / 2) {
                        during.end();
                    }
                }
                return moved.size() >= partitions / 2 && during.hasAllSinceEnd();
            });
            double seconds = during.seconds();
            return new Joining(
                    seconds,
                    before.longest(partition -> true).get(partitions - 1),
                    during.longest(moved::contains),
                    during.longest(partition -> !moved.contains(partition)));
        });
    }

    /** The longest time without a prediction of each partition, from the creation on. */
    private final class Gaps {
        private final long start = System.nanoTime();
        private final long[] last = new long[partitions];
        private final long[] longest = new long[partitions];
        private long end = Long.MAX_VALUE;

        Gaps() {
            Arrays.fill(last, start);
        }

        void watch(List<Engine> engines, TopicScan predictions, Callable<Boolean> isDone) throws Exception {
            while (!isDone.call()) {
                requireAlive(engines);
                for (ConsumerRecord<byte[], byte[]> prediction : predictions.poll()) {
                    see(prediction.partition());
                }
                if (System.nanoTime() - start > TIMEOUT_NANOS) {
                    throw new CommandFailedException(
                            "the second engine must get half of the partitions, got less within "
                                    + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS)
                                    + " s (the last lines of its log are above)");
                }
            }
        }

        private void see(int partition) {
            long now = System.nanoTime();
            longest[partition] = Math.max(longest[partition], now - last[partition]);
            last[partition] = now;
        }

        void end() {
            end = System.nanoTime();
        }

        boolean hasAllSinceEnd() {
            return Arrays.stream(last).allMatch(each -> each > end);
        }

        double seconds() {
            return TakeoverCommand.seconds(start);
        }

        /** Of some partitions, in seconds, ascending. */
        List<Double> longest(IntPredicate which) {
            return IntStream.range(0, partitions)
                    .filter(which)
                    .mapToObj(each -> longest[each] / 1e9)
                    .sorted()
                    .toList();
        }
    }

    /** Kills an engine and waits for the predictions of its partitions. */
    private static Takeover kill(Engine engine, Engine other, Set<Integer> owned, TopicScan predictions)
            throws InterruptedException {
        Set<Integer> missing = new HashSet<>(owned);
        long start = System.nanoTime();
        long killedAt = System.currentTimeMillis();
        engine.process.kill();
        double first = 0;
        while (!missing.isEmpty()) {
            requireAlive(List.of(other));
            for (ConsumerRecord<byte[], byte[]> prediction : predictions.poll()) {
                // of the time of its example
                if (prediction.timestamp() > killedAt && missing.remove(prediction.partition())) {
                    first = first == 0 ? seconds(start) : first;
                }
            }
            if (System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new CommandFailedException(
                        "another engine must predict, got no prediction of partitions " + missing
                                + " within " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS)
                                + " s (the last lines of its log are above)");
            }
        }
        return new Takeover(owned.size(), first, seconds(start));
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static void await(List<Engine> engines, Callable<Boolean> condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.call()) {
            requireAlive(engines);
            if (System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new CommandFailedException("engines must start and join their group, got one that has not"
                        + " (the last lines of its log are above)");
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static void requireAlive(List<Engine> engines) {
        if (engines.stream().anyMatch(engine -> engine.process != null && !engine.process.isAlive())) {
            throw new CommandFailedException(
                    "engines must run, got one that has ended (the last lines of its log are above)");
        }
    }

    /** Sends examples until the process ends. */
    private void send(EngineConfig config) {
        Random random = new Random(1);
        long start = System.nanoTime();
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            long filled = 0;
            for (long k = 0; !Thread.currentThread().isInterrupted(); k++) {
                if (isFilling) {
                    filled = k + 1;
                    start = System.nanoTime();
                } else {
                    RateLimiter.await(start, k - filled, rate);
                }
                sent = k + 1;
                StringBuilder features = new StringBuilder();
                double sum = 0;
                for (int feature = 0; feature < FEATURES; feature++) {
                    double value = random.nextGaussian();
                    sum += value;
                    features.append(feature == 0 ? "" : ",").append(String.format(Locale.ROOT, "%.3f", value));
                }
                String example = "{\"label\":" + (sum > 0 ? 1 : -1) + ",\"features\":[" + features + "]}";
                var unused = producer.send(new ProducerRecord<>(
                        config.topic(Topic.EXAMPLES),
                        ("model-" + k % models).getBytes(StandardCharsets.UTF_8),
                        example.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private void report(List<Takeover> takeovers) throws IOException {
        double[] first = sorted(takeovers.stream().mapToDouble(Takeover::firstSeconds));
        double[] all = sorted(takeovers.stream().mapToDouble(Takeover::allSeconds));
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("kills", takeovers.size());
        figures.put("firstMedianSeconds", median(first));
        figures.put("firstWorstSeconds", first[first.length - 1]);
        figures.put("allMedianSeconds", median(all));
        figures.put("allWorstSeconds", all[all.length - 1]);
        if (isJson) {
            figures.put("takeovers", takeovers);
            print(figures);
            return;
        }
        spec.commandLine()
                .getOut()
                .println(String.format(
                        Locale.ROOT,
                        "%d kills: first prediction of another engine after %.1f s (worst %.1f s), of all partitions after"
                                + " %.1f s (worst %.1f s)",
                        takeovers.size(),
                        median(first),
                        first[first.length - 1],
                        median(all),
                        all[all.length - 1]));
    }

    private void report(Joining joining) throws IOException {
        if (isJson) {
            print(new LinkedHashMap<>(Map.of("joining", joining)));
            return;
        }
        spec.commandLine()
                .getOut()
                .println(String.format(
                        Locale.ROOT,
                        "a second engine had %d of %d partitions after %.1f s; longest time without a prediction of a"
                                + " partition that moved: median %.2f s, worst %.2f s; of one that stayed: worst %.2f s;"
                                + " before: worst %.2f s",
                        joining.moved().size(),
                        partitions,
                        joining.seconds(),
                        median(sorted(joining.moved().stream().mapToDouble(each -> each))),
                        joining.moved().get(joining.moved().size() - 1),
                        joining.kept().get(joining.kept().size() - 1),
                        joining.before()));
    }

    /** Prints figures as JSON, with what they were measured on. */
    private void print(Map<String, Object> figures) throws IOException {
        figures.put("partitions", partitions);
        figures.put("models", models);
        figures.put("rate", rate);
        figures.put("settings", settings);
        figures.put("broker", brokerProperties);
        spec.commandLine().getOut().println(new ObjectMapper().writeValueAsString(figures));
    }

    private static double[] sorted(DoubleStream values) {
        return values.sorted().toArray();
    }

    /** Median of ascending values. */
    static double median(double[] ascending) {
        int half = ascending.length / 2;
        return ascending.length % 2 == 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
    }
}
