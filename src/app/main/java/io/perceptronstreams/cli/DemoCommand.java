package io.perceptronstreams.cli;

import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.demo.DemoSender;
import io.perceptronstreams.demo.DemoStream;
import io.perceptronstreams.demo.DemoTable;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron demo}: broker, registry, engine and streams of examples in one process, and a table of results. */
@Command(
        name = "demo",
        description = {
            "Start broker, registry and engine in this process, stream examples and print errors and mistakes.",
            "Stream 'separable' is generated with a known hyperplane and margin; 'wdbc' is the Wisconsin breast cancer "
                    + "data. A tenth as fast: 'drifting', generated with a hyperplane that changes every 4,000 examples (at the "
                    + "default rate every 20 s): its model detects the drift and is reset; 'late', whose labels are "
                    + "sent 5 s after their examples.",
            "The dashboard shows all models."
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    private static final Duration SUMMARY_TIMEOUT = Duration.ofMillis(1_500);
    private static final int DELETE_ATTEMPTS = 25;
    private static final long DELETE_PAUSE_NANOS = 20_000_000;

    /** The table while it is shown, whose end is followed by a summary. */
    private final AtomicReference<DemoTable> shown = new AtomicReference<>();

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--examples",
            paramLabel = "N",
            description = "Stop after N examples of separable and of wdbc (default: run until Ctrl-C).")
    private long examples = Long.MAX_VALUE;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "2000",
            description =
                    "Examples per second and stream; 0: as fast as possible, in a JVM with options for a quick start, "
                            + "not for throughput (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the generated streams (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description = "Port of dashboard, HTTP API and metrics (default: 8080, or any free one if it is in use).")
    private Integer httpPort;

    @Option(names = "--verbose", description = "Show the stack trace of an error.")
    boolean isVerbose;

    @Override
    public Integer call() throws Exception {
        Usage.atLeast(1, "--examples", examples, spec);
        Usage.atLeast(0, "--rate", rate, spec);
        Path dataDir = Files.createTempDirectory("perceptron-demo");
        PrintWriter err = spec.commandLine().getErr();
        err.println("Starting broker, registry and engine in this process …");
        err.flush();
        try (ShutdownSignal stop = new ShutdownSignal()) {
            stop.onShutdown(() -> onShutdown(stop));
            stop.endWithin(SUMMARY_TIMEOUT, () -> abandon(dataDir));
            try (EmbeddedCluster cluster = EmbeddedCluster.start(dataDir, 0, 0)) {
                Map<String, String> settings = new HashMap<>(cluster.addresses());
                settings.put("data.dir", dataDir.toString());
                settings.put("topics.create", "true");
                settings.put("topics.partitions", "2");
                run(EngineConfig.of(settings, Map.of(), null, Map.of()), stop);
            } catch (Exception e) {
                // failures caused by the shutdown itself are ignored
                if (!stop.hasShutdownBegun()) {
                    throw e;
                }
            } finally {
                if (!isRemoved(dataDir)) {
                    err.println("Files are left in " + dataDir);
                    err.flush();
                }
            }
        }
        return 0;
    }

    private void run(EngineConfig config, ShutdownSignal stop) throws Exception {
        try (EngineRunner engine = new EngineRunner(config);
                RunningMonitor monitor = startBoth(config, engine)) {
            printAddress(monitor);
            PrintWriter out = spec.commandLine().getOut();
            // examples are sent while the engine joins its group: the topics exist
            try (DemoTable table = new DemoTable(config, DemoStream.NAMES, out);
                    DemoSender sender = new DemoSender(config, seed, examples, rate, table::fail)) {
                shown.set(table);
                sender.start();
                table.printUntil(examples, () -> stop.isRequested() || table.isFailed());
                table.rethrowFailure();
                summarize(table);
                if (stop.isRequested()) {
                    // nothing of this cluster is needed again: the process ends without stopping it in order
                    stop.close();
                }
            }
        }
    }

    /** Starts the engine and, beside its checks, which wait for the broker, the monitor. */
    private RunningMonitor startBoth(EngineConfig config, EngineRunner engine) {
        CompletableFuture<RunningMonitor> opening = CompletableFuture.supplyAsync(() -> httpPort == null
                ? RunningMonitor.openOnAnyPort(config, HttpOptions.DEFAULT_PORT, engine)
                : RunningMonitor.open(config, httpPort, engine));
        try {
            engine.start();
            RunningMonitor monitor = opening.join();
            monitor.start(engine.streams());
            return monitor;
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } catch (RuntimeException e) {
            var unused = opening.thenAccept(RunningMonitor::close);
            throw e;
        }
    }

    private void onShutdown(ShutdownSignal stop) {
        // the parts of the cluster are not stopped in order, and log what they miss
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        DemoTable table = shown.get();
        if (table != null) {
            table.wakeup();
            return;
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println("Stopped during the start, before the first prediction.");
        err.flush();
        stop.close();
    }

    private static void abandon(Path dataDir) {
        EmbeddedCluster.abandonAll();
        var unused = isRemoved(dataDir);
    }

    /**
     * Deletes a directory in which threads of a cluster that was not stopped in order may create files, also after the
     * deletion.
     */
    private static boolean isRemoved(Path directory) {
        int absent = 0;
        for (int attempt = 0; attempt < DELETE_ATTEMPTS && absent < 2; attempt++) {
            if (attempt > 0) {
                LockSupport.parkNanos(DELETE_PAUSE_NANOS);
            }
            absent = isDeleted(directory) ? absent + 1 : 0;
        }
        return absent > 0;
    }

    /** Deletes a directory; false if the running cluster has created or removed a file meanwhile. */
    private static boolean isDeleted(Path directory) {
        try {
            delete(directory);
            return true;
        } catch (IOException | UncheckedIOException e) {
            return !Files.exists(directory);
        }
    }

    private void printAddress(RunningMonitor monitor) {
        PrintWriter err = spec.commandLine().getErr();
        if (httpPort == null && URI.create(monitor.url()).getPort() != HttpOptions.DEFAULT_PORT) {
            err.println("Port " + HttpOptions.DEFAULT_PORT
                    + " is in use; the dashboard is on a free one (--http-port sets the port).");
        }
        err.println("Watch it learn: " + monitor.url());
        err.flush();
    }

    private void summarize(DemoTable table) {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        if (DemoStream.NAMES.stream().allMatch(stream -> table.examples(stream) == 0)) {
            out.println("Stopped before the first prediction.");
            out.flush();
            return;
        }
        out.printf(
                Locale.ROOT,
                "separable: %,d mistakes in %,d examples; in any order of the examples a perceptron makes at most%n"
                        + "           (R/gamma)^2 = %,.0f mistakes, with R = 1 and margin gamma = %s (Novikoff 1962)%n",
                table.mistakes("separable"),
                table.examples("separable"),
                1 / (DemoStream.MARGIN * DemoStream.MARGIN),
                DemoStream.MARGIN);
        out.printf(
                Locale.ROOT,
                "wdbc:      %,d errors in %,d examples, %,.1f rounds of %d; algorithm=adaptive, the default: AdaGrad, features standardized%n",
                table.errors("wdbc"),
                table.examples("wdbc"),
                table.examples("wdbc") / (double) DemoStream.WDBC_EXAMPLES,
                DemoStream.WDBC_EXAMPLES);
        if (table.alarms() > 0) {
            out.printf(
                    Locale.ROOT,
                    "drifting:  its hyperplane changes every %,d examples; alarms: %,d%n",
                    DemoStream.PERIOD,
                    table.alarms());
        }
        out.flush();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
