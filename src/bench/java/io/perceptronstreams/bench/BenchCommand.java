package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.sending.LabelDelay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The script {@code bench}: compares the engine with a topology that only copies, on the same broker. */
@Command(
        name = "bench",
        description = {
            "Compare the engine with a topology of plain Kafka Streams that copies 60 bytes of each example.",
            "Both have the engine's client settings and the same input. They run in turn, each in its own JVM.",
            "The examples are generated: 40 of 16384 features (--live), distributed like words, labelled by a known "
                    + "hyperplane. Easy stream: all labels are correct, and after the warm-up almost all predictions. "
                    + "Hard stream: some labels are wrong, so that 1 in 10 predictions (--mistakes) is a mistake.",
            "On the hard stream the engine also runs with the monitor in its process, with the features spread over 2^24 "
                    + "indices, with the examples spread over many models (--models), with labels that come later than their "
                    + "examples (--labels-after), with other settings of its models (--set), with challengers (--challengers), and with many "
                    + "examples in each record (--batch). At the end of each round it is killed in the middle of the hard stream and started again.",
            "Warm-up and measurement of a slow variant end after 2 minutes each.",
            "Stolen is the share of processor time that the host of a virtual machine gave to other machines, as "
                    + "reported by Linux: do not compare rounds in which it differs much.",
            "bench takeover is another benchmark: the time until another engine predicts after a kill.",
            "Takes about 30 minutes on two cores, 10 with --stream easy. Needs about 15 GB of disk."
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);
    private static final int DELETE_ATTEMPTS = 5;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Rounds, each with all variants in a different order. The orders are balanced after as many rounds as "
                            + "there are variants, twice as many if their number is odd: 6, or 4 with --stream hard "
                            + "(default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--examples",
            paramLabel = "N",
            defaultValue = "6000000",
            description = "Examples to process; the first two thirds, while the JVM compiles, are not measured "
                    + "(default: ${DEFAULT-VALUE}).")
    private int examples;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of stream threads, and of partitions of each topic unless --partitions says another "
                    + "(default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Number of partitions of each topic, each with a model (default: --threads).")
    private Integer partitions;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Examples per second of the latency measurement (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "8",
            description =
                    "Seconds of latency measurement, after a warm-up of equal length " + "(default: ${DEFAULT-VALUE}).")
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
            description = "Fraction of predictions on the hard stream that are mistakes after learning (default: "
                    + "${DEFAULT-VALUE}). The required fraction of wrong labels is determined first with the "
                    + "engine's learner, in about 15 s, and reported as turnedLabels.")
    private double mistakes;

    @Option(
            names = "--live",
            paramLabel = "N",
            defaultValue = "16384",
            description =
                    "Number of features, up to 4194304 (default: ${DEFAULT-VALUE}). With more features, learning takes "
                            + "longer, and more mistakes remain on the easy stream.")
    private int live;

    @Option(
            names = "--dense",
            paramLabel = "N",
            description = "Measure dense examples of N features instead, up to 16384, without the variant wide.")
    private Integer dense;

    @Option(
            names = "--models",
            paramLabel = "N",
            description =
                    "Add a variant: the engine on the hard stream with examples spread over N models, up to 1000000. "
                            + "The other variants have one model per partition.")
    private Integer models;

    @Option(
            names = "--models-distribution",
            paramLabel = "D",
            defaultValue = "zipf",
            description =
                    "Distribution of examples over the N models: zipf (share of the model of rank r proportional to "
                            + "r^-1.1) or uniform (default: ${DEFAULT-VALUE}).")
    private BenchModels.Distribution modelsDistribution;

    @Option(
            names = "--labels-after",
            paramLabel = "DELAY",
            description =
                    "Add a variant: the engine on the hard stream with examples without labels, and each label as a "
                            + "record of its own, this many ms of event time (such as 1000ms) or examples (such as 100ex) after "
                            + "its example. An example is counted when its label has been learned.")
    private String labelsAfter;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Add a variant: the engine on the hard stream with models that have this setting, such as "
                    + "algorithm=arow or explain=5; may be repeated.")
    private Map<String, String> modelSettings = new LinkedHashMap<>();

    @Option(
            names = "--challengers",
            description = "Add two variants: the engine on the hard stream with one and with four challengers of each "
                    + "model, which have its learner with another eta.")
    private boolean isChallenged;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Add two variants: the engine and the copying topology on the hard stream with N examples in each "
                            + "record, at most 1000; 60 bytes of each example are copied.")
    private int batch;

    @Option(
            names = "--variants",
            split = ",",
            paramLabel = "NAME",
            description = "Measure only these variants, by their names in JSON, such as engine,manyModels; restart is "
                    + "the start after a kill (default: all).")
    private List<String> variants = new ArrayList<>();

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
            description = "A setting of the engine or of Kafka Streams, for all variants.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--work-dir",
            paramLabel = "DIR",
            description =
                    "Directory for a temporary directory with all files (default: the system's temporary directory).")
    private Path workDir;

    @Option(
            names = "--constants",
            paramLabel = "FILE",
            description =
                    "Put the measured costs of an example into FILE, for perceptron size --constants; what it has of"
                            + " variants that are not measured stays. All: --models 100000, and once more with"
                            + " --models-distribution uniform --variants manyModels.")
    private Path constants;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean isJson;

    /** Runs the benchmark and ends the process. */
    public static void main(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals("takeover")) {
            Main.start(new TakeoverCommand(), Arrays.copyOfRange(arguments, 1, arguments.length));
        } else {
            Main.start(new BenchCommand(), arguments);
        }
    }

    @Override
    public Integer call() throws Exception {
        BenchSettings bench = new BenchSettings(
                rounds,
                examples,
                threads,
                partitions == null ? threads : partitions,
                rate,
                seconds,
                heap,
                new BenchExamples(
                        stream,
                        mistakes,
                        live,
                        dense,
                        models,
                        modelsDistribution,
                        delay(),
                        modelSettings,
                        isChallenged,
                        batch,
                        variants(),
                        seed),
                settings);
        if (workDir != null) {
            Files.createDirectories(workDir);
        }
        Path directory = workDir == null
                ? Files.createTempDirectory("perceptron-bench")
                : Files.createTempDirectory(workDir, "perceptron-bench");
        // killing the processes ends the benchmark at once, and files are still removed
        try (ShutdownSignal stop = new ShutdownSignal(BenchCommand::killProcesses)) {
            // this process may be waiting for the broker
            stop.endWithin(STOP_TIMEOUT, () -> abandon(directory));
            try (BenchProcess broker = BenchProcess.start(
                    heap, List.of("broker", directory.resolve("cluster").toString()))) {
                BenchReport report = run(bench, broker, directory);
                spec.commandLine().getOut().println(isJson ? report.toJson() : report.toText());
                if (constants != null) {
                    BenchConstants.of(report)
                            .write(
                                    constants,
                                    spec.commandLine().getParseResult().originalArgs());
                }
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

    private LabelDelay delay() {
        try {
            return labelsAfter == null ? null : LabelDelay.parse(labelsAfter);
        } catch (IllegalArgumentException e) {
            throw CommandFailedException.wrongUsage("--labels-after " + e.getMessage());
        }
    }

    private Set<Variant> variants() {
        try {
            return variants.stream().map(Variant::named).collect(Collectors.toSet());
        } catch (IllegalArgumentException e) {
            throw CommandFailedException.wrongUsage("--variants " + e.getMessage());
        }
    }

    static void killProcesses() {
        ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    }

    static void abandon(Path directory) {
        for (int attempt = 0; attempt < DELETE_ATTEMPTS; attempt++) {
            try {
                delete(directory);
                return;
            } catch (IOException | UncheckedIOException e) {
                // this process or one that ends has created or removed a file meanwhile
            }
        }
    }

    private static BenchReport run(BenchSettings bench, BenchProcess broker, Path directory) throws Exception {
        Map<String, String> addresses =
                new ObjectMapper().readerForMapOf(String.class).readValue(broker.readMessage());
        double turned = bench.data().stream().isHard() ? turned(bench.data()) : 0;
        BenchTopics topics = new BenchTopics(bench, addresses, turned);
        SyntheticStream stream = bench.data().newStream();
        System.err.printf(Locale.ROOT, "filling topics with %,d examples each …%n", bench.examples());
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
        System.err.println("calibrating the fraction of wrong labels …");
        BenchCalibration calibration =
                BenchCalibration.of(examples.newStream(), examples.mistakes(), BenchCalibration.EXAMPLES);
        if (calibration.mistakes() > examples.mistakes()) {
            System.err.printf(
                    Locale.ROOT,
                    "no label is turned: after %,d examples, a fraction %.3f of the predictions are mistakes anyway%n",
                    BenchCalibration.EXAMPLES,
                    calibration.mistakes());
        }
        return calibration.turned();
    }

    /** Deletes a directory with its content, if it exists. */
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
