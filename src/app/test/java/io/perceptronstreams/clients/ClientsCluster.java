package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cli.RunningMonitor;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Utils;

/**
 * A cluster with an engine that writes Avro, of topic prefix {@code avro}, its monitor, and two engines that write
 * JSON.
 */
final class ClientsCluster implements AutoCloseable {
    static final int PARTITIONS = 3;
    private static final int MINUTES = 5;
    private static final String TOKEN = "0123456789abcdef";

    private final Path directory;
    private final Map<String, SharedCluster> clusters = new HashMap<>();
    private final List<EngineRunner> engines = new ArrayList<>();
    private final RunningMonitor monitor;
    private final int port;

    ClientsCluster(Path directory) throws Exception {
        this.directory = directory;
        for (String prefix : List.of("avro", "json", "connect")) {
            engines.add(new EngineRunner(cluster(prefix)
                    .config(Map.of(
                            "output.format",
                            prefix.equals("avro") ? "avro" : "json",
                            "topics.partitions",
                            Integer.toString(PARTITIONS)))));
        }
        port = freePort();
        monitor = RunningMonitor.open(
                cluster("avro").config(Map.of("http.write", "true", "http.auth", "bearer:" + TOKEN)), port, null);
        for (EngineRunner engine : engines) {
            engine.start();
        }
        for (EngineRunner engine : engines) {
            engine.awaitRunning();
        }
        monitor.start(null);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Runs a client to its end, and returns the last line of its output. */
    String run(Map<String, String> environment, String prefix, List<String> command) throws Exception {
        Ended ended = end(environment, prefix, command);
        assertThat(ended.exitCode).as(ended.toString()).isZero();
        assertThat(ended.out).as(ended.toString()).isNotEmpty();
        return ended.out.get(ended.out.size() - 1);
    }

    /** Runs a client that must fail, and returns its error output. */
    String failure(Map<String, String> environment, String prefix, List<String> command) throws Exception {
        Ended ended = end(environment, prefix, command);
        assertThat(ended.exitCode).as(ended.toString()).isEqualTo(1);
        return ended.err;
    }

    private record Ended(List<String> command, int exitCode, List<String> out, String err) {}

    private Ended end(Map<String, String> environment, String prefix, List<String> command) throws Exception {
        Path out = directory.resolve("out.txt");
        Path err = directory.resolve("err.txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        Map<String, String> all = builder.environment();
        all.put("BOOTSTRAP", cluster(prefix).bootstrapServers());
        all.put("REGISTRY", cluster(prefix).registryUrl());
        all.put("PREFIX", prefix);
        all.put("TOKEN", TOKEN);
        all.put("URL", "http://127.0.0.1:" + port);
        all.putAll(environment);
        Process process = builder.start();
        try {
            boolean hasEnded = process.waitFor(MINUTES, TimeUnit.MINUTES);
            assertThat(hasEnded).as("%s%n%s", command, Files.readString(err)).isTrue();
            return new Ended(
                    command,
                    process.exitValue(),
                    Files.readAllLines(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** The commands for the topics of a prefix. */
    SharedCluster cluster(String prefix) {
        return clusters.computeIfAbsent(prefix, SharedCluster::new);
    }

    /** The model's last status and its weights, both of this moment. */
    void assertLearned(String prefix, String model, JsonNode expectedWeights, long rerouted) throws IOException {
        cluster(prefix).output("models snapshot " + model);
        Path file = directory.resolve(model + ".json");
        cluster(prefix).output("weights export " + model + " --output " + file);
        JsonNode weights = new ObjectMapper().readTree(file.toFile());
        for (String field : List.of("updates", "examples", "labelled", "mistakes", "vectors", "state")) {
            assertThat(weights.get(field)).as(field).isEqualTo(expectedWeights.get(field));
        }
        JsonNode status = new ObjectMapper().readTree(cluster(prefix).output("models show " + model + " --json"));
        assertThat(status.get("rerouted").asLong()).as("rerouted").isEqualTo(rerouted);
    }

    @Override
    public void close() {
        Utils.closeQuietly(monitor, "monitor");
        engines.forEach(engine -> Utils.closeQuietly(engine, "engine"));
    }
}
