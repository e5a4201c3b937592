package io.perceptronstreams.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cli.BenchRound.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron bench}: the engine beside a topology that only copies, by turns, against one broker. */
@Command(
        name = "bench",
        description = {
            "Measure the engine beside a topology of plain Kafka Streams that copies 60 bytes of each example.",
            "Both have the same settings and input, run by turns, and each in a JVM of its own beside that of the broker.",
            "The examples are generated: 40 of 16384 features, popular as words are, with a known hyperplane that "
                    + "separates them. The engine also runs with the monitor in its process, and with the features spread over 2^24.",
            "Stolen is the share of processor time that the host of a virtual machine gave to others, as Linux tells it: "
                    + "rounds with much of it are not to be compared with others.",
            "Needs about 10 GB of disk."
        },
        mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "4", description = "Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--examples",
            paramLabel = "N",
            defaultValue = "6000000",
            description = "Examples to drain, of which the first two thirds, while the JVM compiles, are not measured "
                    + "(default: ${DEFAULT-VALUE}).")
    private int examples;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Stream threads, and partitions of each topic (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "8",
            description = "How long latency is measured, at 2,000 examples/s, after as long a warm-up "
                    + "(default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--models",
            paramLabel = "N",
            description = "Models that the examples go to in turn (default: one for each thread).")
    private Integer models;

    @Option(
            names = "--noise",
            paramLabel = "F",
            defaultValue = "0",
            description = "Fraction of wrong labels (default: ${DEFAULT-VALUE}).")
    private double noise;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            defaultValue = "1g",
            description = "Heap of each JVM (default: ${DEFAULT-VALUE}).")
    private String heap;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "A setting of Kafka Streams, for both sides.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description = "Where a directory for the files is made, and removed in the end (default: that of temporary "
                    + "files).")
    private Path workDir;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean isJson;

    @Override
    public Integer call() throws Exception {
        BenchSettings bench = new BenchSettings(
                rounds, examples, threads, seconds, models == null ? threads : models, noise, seed, heap, settings);
        if (workDir != null) {
            Files.createDirectories(workDir);
        }
        Path directory = workDir == null
                ? Files.createTempDirectory("perceptron-bench")
                : Files.createTempDirectory(workDir, "perceptron-bench");
        // Without its processes the benchmark ends at once, and still removes its files.
        try (Stop stop = new Stop(BenchCommand::endProcesses)) {
            try (BenchProcess broker = BenchProcess.start(
                    heap, List.of("broker", directory.resolve("cluster").toString()))) {
                BenchReport report = run(bench, broker, directory);
                spec.commandLine().getOut().println(isJson ? report.toJson() : report.toText());
            } catch (CommandFailedException e) {
                if (!stop.isRequested()) {
                    throw e;
                }
            } finally {
                delete(directory);
            }
        }
        return 0;
    }

    private static void endProcesses() {
        ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    }

    private static BenchReport run(BenchSettings bench, BenchProcess broker, Path directory) throws Exception {
        Map<String, String> addresses =
                new ObjectMapper().readerForMapOf(String.class).readValue(broker.hear());
        BenchTopics topics = new BenchTopics(bench, addresses);
        BenchStream stream = new BenchStream(bench.seed(), bench.noise());
        System.err.printf("filling two topics with %,d examples each …%n", bench.examples());
        try (Progress progress = Progress.onTerminal(bench.examples())) {
            topics.fill(stream, progress);
        }
        List<Map<Contestant, Figures>> rounds = new ArrayList<>();
        for (int round = 0; round < bench.rounds(); round++) {
            rounds.add(new BenchRound(bench, topics, stream, directory, round).run());
        }
        return new BenchReport(bench, rounds);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
