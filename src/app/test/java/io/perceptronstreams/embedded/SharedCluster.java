package io.perceptronstreams.embedded;

import io.perceptronstreams.cli.Commands;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * Broker and registry of this JVM, for all tests that neither stop nor configure them, and the commands that a test
 * runs on them.
 *
 * <p>Both start with the first use and end with the JVM. Each instance has topics, an application id and a data
 * directory of its own: a test class has one in a static field, or one per test in a field of the instance.
 * {@code EngineOnCluster} adds an engine.
 */
public class SharedCluster extends Commands {
    private static final Map<String, Integer> USES = new ConcurrentHashMap<>();

    private final String prefix;

    /**
     * Creates topics' prefix and application id from a name; from the second use of the name on, a number follows it.
     */
    public SharedCluster(String name) {
        int use = USES.merge(name, 1, Integer::sum);
        prefix = use == 1 ? name : name + "-" + use;
    }

    /** Started when the class is initialized, by the first use. */
    private static final class Running {
        static final Path DIRECTORY = directory();
        static final EmbeddedCluster CLUSTER = EmbeddedCluster.start(DIRECTORY.resolve("cluster"), 0, 0);

        private static Path directory() {
            try {
                Path directory = Files.createTempDirectory("shared-cluster");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    // faster than to stop it
                    EmbeddedCluster.abandonAll();
                    Utils.closeQuietly(() -> Utils.delete(directory.toFile()), "directory");
                }));
                return directory;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public String bootstrapServers() {
        return Running.CLUSTER.bootstrapServers();
    }

    public String registryUrl() {
        return Running.CLUSTER.registryUrl();
    }

    /** Prefix of the topics, and application id. */
    public String prefix() {
        return prefix;
    }

    public String topic(Topic topic) {
        return topic.name(prefix);
    }

    /** Settings of an engine that creates its topics, and others, which may replace them. */
    public EngineConfig config(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Running.CLUSTER.addresses());
        settings.put("topics.prefix", prefix);
        settings.put("topics.create", "true");
        // plain learners, and positions from 0
        settings.put("models.defaults", "");
        settings.putAll(more);
        settings.putIfAbsent(
                "data.dir",
                Running.DIRECTORY.resolve(settings.get("topics.prefix")).toString());
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    /** Sends values of a model to the examples and returns when they are there. */
    public void send(String model, String... values) {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config(Map.of()))) {
            for (String value : values) {
                var unused = producer.send(new ProducerRecord<>(
                        topic(Topic.EXAMPLES),
                        model.getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    /** Starts an engine and returns when it runs; the caller closes it. */
    public static EngineRunner startEngine(EngineConfig config) throws InterruptedException {
        EngineRunner engine = new EngineRunner(config);
        engine.start();
        engine.awaitRunning();
        return engine;
    }

    /** Runs {@code perceptron WORD…} on the cluster, for these topics. */
    @Override
    public int run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--bootstrap", bootstrapServers(), "--registry", registryUrl()));
        all.addAll(List.of("-D", "topics.prefix=" + prefix));
        if (all.stream().noneMatch(word -> word.startsWith("models.defaults="))) {
            all.addAll(List.of("-D", "models.defaults="));
        }
        return runAlone(all.toArray(String[]::new));
    }
}
