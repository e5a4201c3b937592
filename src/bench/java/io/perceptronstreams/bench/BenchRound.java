package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One round: each variant in turn processes its topic, in a new process and as a new application. */
final class BenchRound {
    /**
     * Figures of one variant.
     *
     * @param latencies null if not measured
     * @param errorRate mistakes per measured example; 0 for the copying topology
     * @param bytes what the records of its topics take
     */
    record Figures(Throughput throughput, LatencyStats latencies, double errorRate, BenchTopics.RecordBytes bytes) {}

    /**
     * Figures of a round.
     *
     * @param restart null if the hard stream is not measured
     */
    record Result(Map<Variant, Figures> figures, BenchRestart restart) {}

    private final BenchSettings settings;
    private final BenchTopics topics;
    private final SyntheticStream stream;
    private final BenchProcess broker;
    private final Path directory;
    private final int number;

    BenchRound(
            BenchSettings settings,
            BenchTopics topics,
            SyntheticStream stream,
            BenchProcess broker,
            Path directory,
            int number) {
        this.settings = settings;
        this.topics = topics;
        this.stream = stream;
        this.broker = broker;
        this.directory = directory;
        this.number = number;
    }

    /** Runs all variants in the order of this round, then the restart. */
    Result run() throws Exception {
        Map<Variant, Figures> figures = new EnumMap<>(Variant.class);
        for (Variant variant : order(Variant.compared(settings.data()), number)) {
            Figures result = measure(variant);
            System.err.printf(
                    Locale.ROOT,
                    "round %d, %s, %-12s %,9.0f examples/s, %.2f us of CPU each, %.2f us of the broker's, %.0f %% stolen%n",
                    number + 1,
                    variant.input().isHard() ? "hard" : "easy",
                    variant.title(),
                    result.throughput().perSecond(),
                    result.throughput().cpuMicros(),
                    result.throughput().brokerCpuMicros(),
                    result.throughput().stolenPercent());
            figures.put(variant, result);
        }
        return new Result(figures, settings.data().isRestarted() ? restart() : null);
    }

    /**
     * Returns the order of a round. Each variant has each position, and follows each other variant, equally often,
     * because state left in broker and memory may slow down the next variant.
     *
     * <p>Williams 1949, Experimental designs balanced for the estimation of residual effects of treatments, Australian
     * Journal of Scientific Research A 2: 0, 1, n - 1, 2, n - 2, … in the first round, plus 1 in each further round.
     * Balanced after n rounds if n is even, else after 2n, with each order followed by its reverse.
     */
    static <T> List<T> order(List<T> all, int round) {
        int n = all.size();
        boolean isOdd = n % 2 == 1;
        int shift = isOdd ? round / 2 : round;
        List<T> order = new ArrayList<>();
        for (int position = 0; position < n; position++) {
            int first = position % 2 == 1 ? (position + 1) / 2 : n - position / 2;
            order.add(all.get((first + shift) % n));
        }
        if (isOdd && round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    private Figures measure(Variant variant) throws Exception {
        Map<String, String> all = settings(variant);
        Throughput throughput;
        LatencyStats latencies;
        try (BenchProcess process = BenchProcess.start(settings.heap(), arguments(variant, settings.warmUp(), all))) {
            process.readMessage();
            throughput = learned(variant, new ObjectMapper().readValue(process.readMessage(), Throughput.class));
            latencies =
                    variant.isLatencyMeasured() ? new LatencyProbe(settings, stream, topics).measure(variant) : null;
        }
        // after the end of the process, when all records are committed
        topics.requireNoDeadLetters(variant.input());
        long before = throughput.before();
        long mistakes = topics.mistakes(variant.input(), before, before + throughput.examples());
        BenchTopics.RecordBytes bytes = topics.bytes(variant.input());
        cleanUp(variant, all);
        return new Figures(throughput, latencies, (double) mistakes / throughput.examples(), bytes);
    }

    private Throughput learned(Variant variant, Throughput records) {
        long before = topics.learned(variant.input(), records.before());
        return records.counted(before, topics.learned(variant.input(), records.before() + records.examples()) - before);
    }

    private BenchRestart restart() throws Exception {
        Map<String, String> all = settings(Variant.RESTARTED);
        List<String> arguments = arguments(Variant.RESTARTED, BenchRestart.killAt(settings.examples(), number), all);
        BenchRestart restart =
                BenchRestart.measure(settings.heap(), arguments, topics.config(Variant.RESTARTED.input()));
        System.err.printf(
                Locale.ROOT,
                "round %d, killed and started again: first prediction after %.2f s, %,d records replayed%n",
                number + 1,
                restart.seconds(),
                restart.replayedRecords());
        cleanUp(Variant.RESTARTED, all);
        return restart;
    }

    private Map<String, String> settings(Variant variant) {
        String application = variant.input().prefix() + "-" + variant.jsonName() + "-" + number;
        return topics.settings(
                variant.input(),
                Map.of(
                        "application.id",
                        application,
                        "data.dir",
                        directory.resolve(application).toString(),
                        // as in "perceptron run": after a kill the engine does not wait for a session time-out
                        "group.instance.id",
                        application));
    }

    /** @param from number of examples after which the process sends a message */
    private List<String> arguments(Variant variant, long from, Map<String, String> all) {
        List<String> arguments = new ArrayList<>(List.of(
                variant.name(),
                Long.toString(topics.records(variant.input(), from)),
                Long.toString(topics.records(variant.input(), settings.examples())),
                Long.toString(broker.id()),
                Integer.toString(settings.batch(variant.input()))));
        all.forEach((key, value) -> arguments.add(key + "=" + value));
        return arguments;
    }

    /** Deletes all output and files of a variant. */
    private void cleanUp(Variant variant, Map<String, String> all) throws Exception {
        topics.clear(variant.input());
        BenchCommand.delete(Path.of(all.get("data.dir")));
    }
}
