package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

/** A broker of an older version in its own process, with the libraries that {@code src/test/broker/pom.xml} copies. */
public record OlderBroker(Process process, String bootstrapServers) implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Path LIBRARIES = Path.of("src/test/broker/target");

    /**
     * Formats the directory, starts a broker and returns when it answers. Skips the test where its libraries are
     * missing.
     *
     * @param log file for what the broker prints
     */
    public static OlderBroker start(String version, Path directory, Path log) throws IOException {
        Path libraries = LIBRARIES.resolve(version);
        assumeTrue(
                Files.isDirectory(libraries),
                "skipped: needs ./mvnw -f src/test/broker/pom.xml package -Dkafka.version=" + version);
        int port = ProxiedBroker.freePort();
        Properties properties = BrokerProperties.of(
                directory.toAbsolutePath(), port, ProxiedBroker.freePort(), ClusterProcess.PROPERTIES);
        Path file = directory.resolveSibling("server.properties");
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        String id = Uuid.randomUuid().toString();
        Process format = java(
                libraries, log, "kafka.tools.StorageTool", "format", "--cluster-id", id, "--config", file.toString());
        assertThat(format.onExit().join().exitValue())
                .as("the directory is formatted, see " + log)
                .isZero();
        var broker = new OlderBroker(java(libraries, log, "kafka.Kafka", file.toString()), Loopback.HOST + ":" + port);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers))) {
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .failFast("the broker has ended, see " + log, () -> !broker.process.isAlive())
                    .until(() -> !admin.describeCluster().nodes().get().isEmpty());
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
        return broker;
    }

    private static Process java(Path libraries, Path log, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(JavaProcess.tool("java"), "-Xmx512m", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", libraries.toAbsolutePath() + "/*"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** SIGKILL: nothing is flushed or closed. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
