package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One round: each contestant in turn, in a new process and as a new application, drains its topic. */
final class BenchRound {
    /**
     * What was measured of one contestant.
     *
     * @param latencies null where they are not measured
     * @param errorRate mistakes per measured example; 0 for the copying topology
     */
    record Figures(Throughput drain, LatencyStats latencies, double errorRate) {}

    /**
     * What was measured in a round.
     *
     * @param restart null where the hard stream is not measured
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

    /** Runs all contestants in the order of this round, and then the restart. */
    Result run() throws Exception {
        Map<Variant, Figures> figures = new EnumMap<>(Variant.class);
        for (Variant contestant : order(Variant.compared(settings.data()), number)) {
            Figures result = drain(contestant);
            System.err.printf(
                    "round %d, %s, %-12s %,9.0f examples/s, %.2f us of CPU each, %.2f us of the broker's, %.0f %% stolen%n",
                    number + 1,
                    contestant.input().isHard() ? "hard" : "easy",
                    contestant.title(),
                    result.drain().perSecond(),
                    result.drain().cpuMicros(),
                    result.drain().brokerCpuMicros(),
                    result.drain().stolenPercent());
            figures.put(contestant, result);
        }
        return new Result(figures, settings.data().stream().isHard() ? restart() : null);
    }

    /**
     * Who comes when, so that each contestant has each place equally often and follows each of the others equally often, because what
     * one leaves behind in broker and memory may slow down the next one.
     *
     * <p>E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, Australian Journal of
     * Scientific Research A 2 (1949): 0, 1, n - 1, 2, n - 2, … in the first round, and each number one more in each further one. With n
     * even, n rounds are balanced. With n odd it takes 2n: each order is followed by its reverse.
     */
    static <T> List<T> order(List<T> all, int round) {
        int n = all.size();
        boolean isOdd = n % 2 == 1;
        int shift = isOdd ? round / 2 : round;
        List<T> order = new ArrayList<>();
        for (int place = 0; place < n; place++) {
            int first = place % 2 == 1 ? (place + 1) / 2 : n - place / 2;
            order.add(all.get((first + shift) % n));
        }
        if (isOdd && round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    private Figures drain(Variant contestant) throws Exception {
        Map<String, String> all = settings(contestant);
        Throughput drain;
        LatencyStats latencies;
        try (BenchProcess process =
                BenchProcess.start(settings.heap(), arguments(contestant, settings.warmUp(), all))) {
            process.hear();
            drain = new ObjectMapper().readValue(process.hear(), Throughput.class);
            latencies = contestant.isLatencyMeasured()
                    ? new LatencyProbe(settings, stream, topics).measure(contestant)
                    : null;
        }
        // only now are all mistakes committed
        long mistakes = topics.mistakes(contestant.input(), drain.before(), drain.before() + drain.examples());
        forget(contestant, all);
        return new Figures(drain, latencies, (double) mistakes / drain.examples());
    }

    private BenchRestart restart() throws Exception {
        Map<String, String> all = settings(Variant.RESTARTED);
        List<String> arguments = arguments(Variant.RESTARTED, BenchRestart.killAt(settings.examples(), number), all);
        BenchRestart restart =
                BenchRestart.measure(settings.heap(), arguments, topics.config(Variant.RESTARTED.input()));
        System.err.printf(
                "round %d, killed and started again: first prediction after %.2f s, %,d records replayed%n",
                number + 1, restart.seconds(), restart.replayedRecords());
        forget(Variant.RESTARTED, all);
        return restart;
    }

    private Map<String, String> settings(Variant contestant) {
        String application = contestant.input().prefix() + "-" + contestant.jsonName() + "-" + number;
        return topics.settings(
                contestant.input(),
                Map.of(
                        "application.id",
                        application,
                        "data.dir",
                        directory.resolve(application).toString(),
                        // as "perceptron run" has one: after a kill the engine need not wait for a time-out
                        "group.instance.id",
                        application));
    }

    /** @param from count of processed records at which the process has something to say */
    private List<String> arguments(Variant contestant, long from, Map<String, String> all) {
        List<String> arguments = new ArrayList<>(List.of(
                contestant.name(),
                Long.toString(from),
                Integer.toString(settings.examples()),
                Long.toString(broker.id())));
        all.forEach((key, value) -> arguments.add(key + "=" + value));
        return arguments;
    }

    /** What a contestant has written is of no use to the next one. */
    private void forget(Variant contestant, Map<String, String> all) throws Exception {
        topics.clear(contestant.input());
        BenchCommand.delete(Path.of(all.get("data.dir")));
    }
}
