package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import io.perceptronstreams.cli.RunningMonitor;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.EmbeddedRegistry;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Main class of the benchmark's processes: the broker and the variants.
 *
 * <p>A process sends messages as lines on standard output. It ends at the end of its standard input, and therefore also
 * with the process that started it.
 */
final class BenchWorker {
    /** Prefix of messages; distinguishes them from output of the JVM. */
    static final String MESSAGE_PREFIX = "bench: ";

    private BenchWorker() {}

    /**
     * {@code broker DIRECTORY KEY=VALUE…}, {@code run} with the arguments of {@code perceptron run}, or {@code VARIANT
     * FROM TO BROKER BATCH KEY=VALUE…}, with BROKER its process id, BATCH the examples of a record.
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("broker")) {
            broker(Path.of(arguments[1]), settings(arguments, 2));
            return;
        }
        if (arguments[0].equals("run")) {
            Main.main(arguments);
            return;
        }
        Map<String, String> settings = settings(arguments, 5);
        EngineConfig config = EngineConfig.of(settings, Map.of(), null, Map.of());
        Task task = new Task(
                Long.parseLong(arguments[1]),
                Long.parseLong(arguments[2]),
                ProcessHandle.of(Long.parseLong(arguments[3])).orElseThrow());
        switch (Variant.valueOf(arguments[0])) {
            case COPY, BATCH_COPY, EASY_COPY -> copy(config, task, Integer.parseInt(arguments[4]));
            case ENGINE, WIDE, MANY_MODELS, LATE_LABELS, SETTINGS, CHALLENGER, CHALLENGERS, BATCHES, EASY_ENGINE ->
                engine(config, task);
            case MONITORED -> monitored(config, task);
            case RESTARTED -> restarted(config, task);
        }
    }

    private static Map<String, String> settings(String[] arguments, int from) {
        Map<String, String> settings = new HashMap<>();
        for (int k = from; k < arguments.length; k++) {
            String[] setting = arguments[k].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        return settings;
    }

    /**
     * The measurement of a process.
     *
     * @param from number of processed records at its start
     * @param to number of processed records at its end
     */
    private record Task(long from, long to, ProcessHandle broker) {
        void measure(KafkaStreams streams) throws IOException {
            send(new ThroughputMeter(streams, broker).measure(from, to, Task::sendStarted));
            awaitEndOfInput();
        }

        void reach(KafkaStreams streams) throws IOException {
            new ThroughputMeter(streams, broker).await(from);
            sendStarted();
            awaitEndOfInput();
        }

        private static void sendStarted() {
            System.out.println(MESSAGE_PREFIX + "started");
        }
    }

    private static void broker(Path directory, Map<String, String> properties) throws IOException {
        try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"), 0, properties);
                EmbeddedRegistry registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0)) {
            send(Map.of("bootstrap.servers", broker.bootstrapServers(), "schema.registry.url", registry.url()));
            awaitEndOfInput();
        }
    }

    private static void copy(EngineConfig config, Task task, int batch) throws IOException {
        Properties properties = new Properties();
        properties.putAll(config.streams());
        // the longest interval of the engine, which requests its commits itself, is none of the others
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, config.commitIntervalMs());
        try (KafkaStreams streams = new KafkaStreams(
                CopyTopology.build(config.topic(Topic.EXAMPLES), Variant.copies(config), batch), properties)) {
            streams.start();
            task.measure(streams);
        }
    }

    private static void engine(EngineConfig config, Task task) throws IOException {
        try (EngineRunner engine = new EngineRunner(config)) {
            engine.start();
            task.measure(engine.streams());
        }
    }

    private static void monitored(EngineConfig config, Task task) throws IOException {
        try (EngineRunner engine = new EngineRunner(config);
                RunningMonitor monitor = RunningMonitor.open(config, 0, engine)) {
            engine.start();
            monitor.start(engine.streams());
            task.measure(engine.streams());
        }
    }

    private static void restarted(EngineConfig config, Task task) throws IOException {
        try (EngineRunner engine = new EngineRunner(config)) {
            engine.start();
            task.reach(engine.streams());
        }
    }

    private static void send(Object message) throws IOException {
        System.out.println(MESSAGE_PREFIX + new ObjectMapper().writeValueAsString(message));
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // ignore input, only its end matters
        }
    }
}
