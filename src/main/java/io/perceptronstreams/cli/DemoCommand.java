package io.perceptronstreams.cli;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.GenericEventWriter;
import io.perceptronstreams.serde.SchemaRegistry;
import io.perceptronstreams.topology.EngineConfig;
import io.perceptronstreams.topology.StreamsRunner;
import io.perceptronstreams.topology.Topic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron demo}: everything in one process, two streams of examples, and a table of what was learned. */
@Command(
        name = "demo",
        description = {
            "Start broker, registry and engine in this process, stream examples and print how the mistakes become fewer.",
            "Stream 'separable' is generated, with a known hyperplane and margin; 'wdbc' is the Wisconsin breast cancer data."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--examples",
            paramLabel = "N",
            description = "Stop after N examples of each stream (default: go on until Ctrl-C).")
    private long examples = Long.MAX_VALUE;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Examples per second and stream; 0: as fast as they are learned (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the generated stream (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            description = "Port of page, HTTP API and metrics (default: 8080, or any free one if that is in use).")
    private Integer httpPort;

    @Override
    public Integer call() throws Exception {
        if (examples < 1 || !(rate >= 0)) {
            throw new CommandFailedException("--examples must be at least 1 and --rate at least 0");
        }
        Path dataDir = Files.createTempDirectory("perceptron-demo");
        System.err.println("Starting broker, registry and engine in this process …");
        try (Stop stop = new Stop()) {
            try (EmbeddedCluster cluster = EmbeddedCluster.start(dataDir, 0, 0)) {
                Map<String, String> settings = new HashMap<>(cluster.addresses());
                settings.put("data.dir", dataDir.toString());
                settings.put("topics.create", "true");
                settings.put("topics.partitions", "2");
                run(EngineConfig.of(settings, Map.of(), null, Map.of()), stop);
            } finally {
                delete(dataDir);
            }
        }
        return 0;
    }

    private void run(EngineConfig config, Stop stop) throws Exception {
        try (StreamsRunner runner = new StreamsRunner(config);
                RunningMonitor monitor = httpPort == null
                        ? RunningMonitor.openAnywhere(config, HttpOptions.DEFAULT_PORT, runner)
                        : RunningMonitor.open(config, httpPort, runner)) {
            runner.start();
            runner.awaitRunning();
            monitor.start(runner.streams());
            System.err.println("Watch it learn: " + monitor.url());
            PrintWriter out = spec.commandLine().getOut();
            try (DemoTable table = new DemoTable(config, DemoStream.NAMES, out)) {
                stop.wakes(table::wakeup);
                Thread sender = new Thread(() -> send(config, stop, table), "demo-sender");
                sender.setDaemon(true);
                sender.start();
                table.printUntil(examples, () -> stop.isRequested() || table.isFailed());
                sender.interrupt();
                sender.join();
                table.rethrowFailure();
                summarize(table);
            }
        }
    }

    private void send(EngineConfig config, Stop stop, DemoTable table) {
        String topic = config.topic(Topic.EXAMPLES);
        Schema schema = EventSchemas.schema("Example");
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                Producer<byte[], byte[]> producer = Clients.producer(config)) {
            GenericEventWriter writer = new GenericEventWriter(schema, registry.register(topic + "-value", schema));
            Map<DemoStream, ExampleSender> streams = new LinkedHashMap<>();
            for (DemoStream stream : List.of(DemoStream.separable(seed), DemoStream.wdbc())) {
                byte[] key = ModelName.key(stream.name());
                producer.send(new ProducerRecord<>(topic, key, stream.command()))
                        .get();
                streams.put(stream, new ExampleSender(producer, topic, key, writer));
            }
            long start = System.nanoTime();
            for (long sent = 0; sent < examples && !stop.isRequested() && !Thread.interrupted(); sent++) {
                Pace.await(start, sent, rate);
                streams.forEach((stream, sender) -> sender.send(stream.next()));
            }
            producer.flush();
        } catch (Exception e) {
            table.fail(e);
        }
    }

    private void summarize(DemoTable table) {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.printf(
                "separable: %,d mistakes in %,d examples; no order of these examples makes a perceptron make more than%n"
                        + "           (R/gamma)^2 = %,.0f, with R = 1 and margin gamma = %s (Novikoff 1962)%n",
                table.mistakes("separable"),
                table.examples("separable"),
                1 / (DemoStream.MARGIN * DemoStream.MARGIN),
                DemoStream.MARGIN);
        out.printf(
                "wdbc:      %,d errors in %,d examples, %,.1f rounds of %d; features standardized online, averaged weights%n",
                table.errors("wdbc"),
                table.examples("wdbc"),
                table.examples("wdbc") / (double) DemoStream.WDBC_EXAMPLES,
                DemoStream.WDBC_EXAMPLES);
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
