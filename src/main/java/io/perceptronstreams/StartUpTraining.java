package io.perceptronstreams;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/**
 * Loads the classes of short commands. The launcher runs it once with {@code -XX:ArchiveClassesAtExit}; later commands
 * start faster with that archive. Connects to nothing.
 */
final class StartUpTraining {
    private StartUpTraining() {}

    /** Runs help and the start of the clients, without output. */
    public static void main(String[] arguments) {
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
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            EventReader.of(Topic.MODELS, registry);
        }
    }
}
