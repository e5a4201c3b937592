package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.topology.LogLines;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica whose brokers do not listen. */
final class ReplicaWithoutBrokersTest {
    @TempDir
    Path directory;

    // perceptron replica without a broker wrote six warnings of Kafka's clients a second
    @Test
    void shouldSayOnceThatItWaitsForTheBrokers() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0)) {
            port = closed.getLocalPort();
        }
        EngineConfig config = EngineConfig.of(
                Map.of(
                        "bootstrap.servers",
                        "127.0.0.1:" + port,
                        "schema.registry.url",
                        "mock://replica",
                        "data.dir",
                        directory.toString()),
                Map.of(),
                null,
                Map.of());
        try (LogLines log = new LogLines();
                SchemaRegistry registry = SchemaRegistries.of(config.registry());
                Replica replica = Replica.open(config, 1 << 20, registry)) {
            replica.start();

            await().until(() -> !log.lines().isEmpty());
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("Replica: the replica waits: brokers must listen, got 127.0.0.1:" + port);
        }
    }
}
