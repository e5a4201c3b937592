package io.perceptronstreams;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/**
 * Loads the classes of the commands: starts clients that connect to nothing, then runs a short demo on free loopback
 * ports and in a temporary directory. The launcher runs it once with {@code -XX:ArchiveClassesAtExit}; later commands
 * and engines start faster with that archive.
 */
final class StartUpTraining {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private StartUpTraining() {}

    /**
     * Runs help, the start of the clients and the demo, without output; the process ends after a minute at the latest.
     */
    public static void main(String[] arguments) {
        // the build waits for the archive, which it can do without
        CompletableFuture.delayedExecutor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> Runtime.getRuntime().halt(1));
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Main.run(new String[] {"--help"}, nowhere, nowhere);
        Main.run(new String[] {"produce", "--help"}, nowhere, nowhere);
        Main.run(new String[] {"config", "show"}, nowhere, nowhere);
        EngineConfig config = EngineConfig.of(
                Map.of("bootstrap.servers", "127.0.0.1:9", "schema.registry.url", "mock://training"),
                Map.of(),
                null,
                Map.of());
        TopicScan.consumer(config, null).close();
        KafkaClients.producer(config).close();
        Admin.create(config.admin()).close();
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            EventReader.of(Topic.MODELS, registry);
        }
        System.exit(Main.run(new String[] {"demo", "--examples", "300", "--http-port", "0"}, nowhere, nowhere));
    }
}
