package io.perceptronstreams.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.topology.EngineConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** One round: each contestant in turn, in a new process and as a new application, drains its topic. */
final class BenchRound {
    /**
     * What came of one contestant.
     *
     * @param latencies null where they are not measured
     * @param errorRate mistakes per measured example; 0 for the copying topology
     */
    record Figures(Drain drain, Latencies latencies, double errorRate) {}

    private final BenchSettings settings;
    private final BenchTopics topics;
    private final BenchStream stream;
    private final Path directory;
    private final int number;

    BenchRound(BenchSettings settings, BenchTopics topics, BenchStream stream, Path directory, int number) {
        this.settings = settings;
        this.topics = topics;
        this.stream = stream;
        this.directory = directory;
        this.number = number;
    }

    /** Runs all contestants in the order of this round. */
    Map<Contestant, Figures> run() throws Exception {
        Map<Contestant, Figures> figures = new EnumMap<>(Contestant.class);
        for (Contestant contestant : order(number)) {
            Figures result = run(contestant);
            System.err.printf(
                    "round %d, %-12s %,9.0f examples/s, %.2f us of CPU each, %.0f %% stolen%n",
                    number + 1,
                    contestant.title(),
                    result.drain().perSecond(),
                    result.drain().cpuMicros(),
                    result.drain().stolenPercent());
            figures.put(contestant, result);
        }
        return figures;
    }

    /**
     * Who comes when: in as many rounds as there are contestants each has each place once, and follows each of the others once, because
     * what one leaves behind in broker and memory may slow down the next one.
     *
     * <p>E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, Australian Journal of
     * Scientific Research A 2 (1949): 0, 1, n - 1, 2, n - 2, … in the first round, and each number one more in each further one; n even.
     */
    static List<Contestant> order(int round) {
        Contestant[] all = Contestant.values();
        List<Contestant> order = new ArrayList<>();
        for (int place = 0; place < all.length; place++) {
            int first = place % 2 == 1 ? (place + 1) / 2 : all.length - place / 2;
            order.add(all[(first + round) % all.length]);
        }
        return order;
    }

    private Figures run(Contestant contestant) throws Exception {
        String application = contestant.prefix() + "-" + contestant.name().toLowerCase(Locale.ROOT) + "-" + number;
        Map<String, String> own = Map.of(
                "application.id",
                application,
                "data.dir",
                directory.resolve(application).toString());
        Map<String, String> all = topics.settings(contestant, own);
        Figures figures;
        try (BenchProcess process = BenchProcess.start(settings.heap(), arguments(contestant, all))) {
            boolean isEngine = contestant != Contestant.COPY;
            process.hear();
            long before = isEngine ? topics.mistakes(contestant) : 0;
            Drain drain = new ObjectMapper().readValue(process.hear(), Drain.class);
            long mistakes = isEngine ? topics.mistakes(contestant) - before : 0;
            Latencies latencies = contestant.isLatencyMeasured()
                    ? new LatencyProbe(settings, stream, topics).measure(contestant)
                    : null;
            figures = new Figures(drain, latencies, (double) mistakes / drain.examples());
        }
        forget(EngineConfig.of(all, Map.of(), null, Map.of()));
        return figures;
    }

    private List<String> arguments(Contestant contestant, Map<String, String> all) {
        List<String> arguments = new ArrayList<>(
                List.of(contestant.name(), Integer.toString(settings.warmUp()), Integer.toString(settings.examples())));
        all.forEach((key, value) -> arguments.add(key + "=" + value));
        return arguments;
    }

    /** The models of a round are of no use to the next one. */
    private static void forget(EngineConfig config) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(config.admin())) {
            List<String> changelogs = admin.listTopics().names().get().stream()
                    .filter(config.changelog()::equals)
                    .toList();
            admin.deleteTopics(changelogs).all().get();
        }
    }
}
