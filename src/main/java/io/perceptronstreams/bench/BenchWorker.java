package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cli.RunningMonitor;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;

/**
 * The main class of the benchmark's processes: the broker, and the two sides in turn.
 *
 * <p>Each says on standard output what it has to say, a line for each thing, and ends when its standard input does: so it also
 * ends with the process that started it.
 */
final class BenchWorker {
    /** What begins each line for the other process; the JVM itself may have things to say, too. */
    static final String SAYS = "bench: ";

    private BenchWorker() {}

    /** {@code broker DIRECTORY}, or {@code CONTESTANT FROM TO BROKER KEY=VALUE…}, where BROKER is the id of its process. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("broker")) {
            broker(Path.of(arguments[1]));
            return;
        }
        Map<String, String> settings = new HashMap<>();
        for (int k = 4; k < arguments.length; k++) {
            String[] setting = arguments[k].split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        EngineConfig config = EngineConfig.of(settings, Map.of(), null, Map.of());
        Task task = new Task(
                Long.parseLong(arguments[1]),
                Long.parseLong(arguments[2]),
                ProcessHandle.of(Long.parseLong(arguments[3])).orElseThrow());
        switch (Variant.valueOf(arguments[0])) {
            case COPY, EASY_COPY -> copy(config, task);
            case ENGINE, WIDE, MANY_MODELS, EASY_ENGINE -> engine(config, task);
            case MONITORED -> monitored(config, task);
            case RESTARTED -> restarted(config, task);
        }
    }

    /**
     * What to measure.
     *
     * @param from count of processed records at which the measurement begins
     * @param to count at which it ends
     */
    private record Task(long from, long to, ProcessHandle broker) {
        void measure(KafkaStreams streams) throws IOException {
            say(new ThroughputMeter(streams, broker).measure(from, to, Task::sayBegun));
            awaitEndOfInput();
        }

        void reach(KafkaStreams streams) throws IOException {
            new ThroughputMeter(streams, broker).await(from);
            sayBegun();
            awaitEndOfInput();
        }

        private static void sayBegun() {
            System.out.println(SAYS + "begun");
        }
    }

    private static void broker(Path directory) throws IOException {
        try (EmbeddedCluster cluster = EmbeddedCluster.start(directory, 0, 0)) {
            say(cluster.addresses());
            awaitEndOfInput();
        }
    }

    private static void copy(EngineConfig config, Task task) throws IOException {
        Properties properties = new Properties();
        properties.putAll(config.streams());
        try (KafkaStreams streams = new KafkaStreams(
                CopyTopology.build(config.topic(Topic.EXAMPLES), Variant.copies(config)), properties)) {
            streams.start();
            task.measure(streams);
        }
    }

    private static void engine(EngineConfig config, Task task) throws IOException {
        try (Engine runner = new Engine(config)) {
            runner.start();
            task.measure(runner.streams());
        }
    }

    private static void monitored(EngineConfig config, Task task) throws IOException {
        try (Engine runner = new Engine(config);
                RunningMonitor monitor = RunningMonitor.open(config, 0, runner)) {
            runner.start();
            monitor.start(runner.streams());
            task.measure(runner.streams());
        }
    }

    private static void restarted(EngineConfig config, Task task) throws IOException {
        try (Engine runner = new Engine(config)) {
            runner.start();
            task.reach(runner.streams());
        }
    }

    private static void say(Object what) throws IOException {
        System.out.println(SAYS + new ObjectMapper().writeValueAsString(what));
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // nobody has anything to say: only the end counts
        }
    }
}
