package io.perceptronstreams.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.topology.EngineConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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

    /** Runs all contestants; each round begins with another one, so that none always has the best place. */
    Map<Contestant, Figures> run() throws Exception {
        List<Contestant> order = new ArrayList<>(Arrays.asList(Contestant.values()));
        Collections.rotate(order, -number);
        Map<Contestant, Figures> figures = new EnumMap<>(Contestant.class);
        for (Contestant contestant : order) {
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
