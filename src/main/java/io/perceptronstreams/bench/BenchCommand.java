package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.client.ShutdownSignal;
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
            "Both have the engine's client settings and the same input. They run by turns, each in a JVM of its own beside "
                    + "the broker's.",
            "The examples are generated: 40 of 16384 features (--live), popular as words are, labelled by a known hyperplane. "
                    + "Easy stream: all labels are right, and after the warm-up nearly all predictions, too. Hard stream: "
                    + "a fraction of the labels is wrong, so that one prediction in ten (--mistakes) stays a mistake.",
            "On the hard stream the engine also runs with the monitor in its process, with the features spread over 2^24 "
                    + "indices, and with the examples spread over many models (--models). At the end of each round it is "
                    + "killed in the middle of the hard stream and started again.",
            "A contestant that is slow warms up for at most 2 minutes and is then measured for at most 2 minutes.",
            "Stolen is the share of processor time that the host of a virtual machine gave to others, as Linux reports it: "
                    + "do not compare rounds with much of it with others.",
            "Takes about 30 minutes on two cores, 10 with --stream easy. Needs about 15 GB of disk."
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Rounds, each with all contestants in another order. The orders are balanced after 6 rounds; with "
                            + "--models after 14, with --stream hard after 4 (with --models 10), with --stream easy after 2 "
                            + "(default: ${DEFAULT-VALUE}).")
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
            description = "Stream threads, partitions of each topic, and models, one for each partition "
                    + "(default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "8",
            description = "How long latency is measured, at 2,000 examples/s, after as long a warm-up "
                    + "(default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--stream",
            paramLabel = "STREAM",
            defaultValue = "both",
            description = "hard, easy or both (default: ${DEFAULT-VALUE}).")
    private BenchExamples.Streams stream;

    @Option(
            names = "--mistakes",
            paramLabel = "F",
            defaultValue = "0.1",
            description =
                    "Fraction of predictions on the hard stream that are mistakes once the stream is learned "
                            + "(default: ${DEFAULT-VALUE}). The fraction of labels to turn for that is found beforehand with the "
                            + "engine's learner, in about 15 s; the report contains both this fraction and the measured errorRate.")
    private double mistakes;

    @Option(
            names = "--live",
            paramLabel = "N",
            defaultValue = "16384",
            description =
                    "Number of features, up to 4194304 (default: ${DEFAULT-VALUE}). The more there are, the longer the "
                            + "stream takes to learn, and the more mistakes are left on the easy stream, too.")
    private int live;

    @Option(
            names = "--models",
            paramLabel = "N",
            description =
                    "Adds a contestant: the engine on the hard stream with the examples spread over N models, up to "
                            + "100000. All others have one model for each thread.")
    private Integer models;

    @Option(
            names = "--models-distribution",
            paramLabel = "D",
            defaultValue = "zipf",
            description =
                    "How examples are spread over the N models: zipf (the share of the model of rank r is proportional "
                            + "to r^-1.1) or uniform (default: ${DEFAULT-VALUE}).")
    private BenchModels.Distribution modelsDistribution;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the examples (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            defaultValue = "1g",
            description = "Heap of each JVM (default: ${DEFAULT-VALUE}).")
    private String heap;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting of the engine or of Kafka Streams, for all contestants.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description =
                    "Directory in which a temporary one is created for all files (default: the system's for temporary "
                            + "files).")
    private Path workDir;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean isJson;

    @Override
    public Integer call() throws Exception {
        BenchSettings bench = new BenchSettings(
                rounds,
                examples,
                threads,
                seconds,
                heap,
                new BenchExamples(stream, mistakes, live, models, modelsDistribution, seed),
                settings);
        if (workDir != null) {
            Files.createDirectories(workDir);
        }
        Path directory = workDir == null
                ? Files.createTempDirectory("perceptron-bench")
                : Files.createTempDirectory(workDir, "perceptron-bench");
        // Without its processes the benchmark ends at once, and still removes its files.
        try (ShutdownSignal stop = new ShutdownSignal(BenchCommand::endProcesses)) {
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
        double turned = bench.data().stream().isHard() ? turned(bench.data()) : 0;
        BenchTopics topics = new BenchTopics(bench, addresses, turned);
        SyntheticStream stream =
                new SyntheticStream(bench.data().seed(), bench.data().live());
        System.err.printf("filling topics with %,d examples each …%n", bench.examples());
        try (ProgressBar progress = ProgressBar.onTerminal(bench.examples())) {
            topics.fill(stream, progress);
        }
        List<BenchRound.Result> rounds = new ArrayList<>();
        for (int round = 0; round < bench.rounds(); round++) {
            rounds.add(new BenchRound(bench, topics, stream, broker, directory, round).run());
        }
        return new BenchReport(bench, turned, rounds);
    }

    private static double turned(BenchExamples examples) {
        System.err.println("finding out how many labels to turn …");
        BenchCalibration calibration = BenchCalibration.of(examples.seed(), examples.live(), examples.mistakes());
        if (calibration.mistakes() > examples.mistakes()) {
            System.err.printf(
                    "no label is turned: after %,d examples a fraction %.3f of the predictions are mistakes without%n",
                    BenchCalibration.EXAMPLES, calibration.mistakes());
        }
        return calibration.turned();
    }

    /** Deletes a directory with all that is in it, if it is there. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
