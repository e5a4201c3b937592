package io.perceptronstreams.topology;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.embedded.ClusterProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Utils;

/** {@code perceptron run} in its own process, to be killed, stopped and restarted on the same data directory. */
final class EngineProcess implements AutoCloseable {
    /** A busy machine's broker may take longer to answer than a user wants to wait. */
    private static final List<String> PATIENCE = List.of(
            "-D", "admin.default.api.timeout.ms=120000",
            "-D", "admin.request.timeout.ms=60000",
            "-D", "consumer.default.api.timeout.ms=120000",
            "-D", "producer.max.block.ms=120000");

    private final Path dataDir;
    private final Path log;
    private final List<String> command = new ArrayList<>();
    private Process process;

    EngineProcess(ClusterProcess cluster, Path dataDir, Path log, Map<String, String> settings) {
        this.dataDir = dataDir;
        this.log = log;
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.perceptronstreams.Main", "run"));
        command.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        command.addAll(List.of("--data-dir", dataDir.toString()));
        command.addAll(PATIENCE);
        settings.forEach((key, value) -> command.addAll(List.of("-D", key + "=" + value)));
    }

    void start() throws IOException {
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns after a number of milliseconds, or at once with an error if the process has ended by itself. */
    void live(long ms) throws InterruptedException {
        if (process.waitFor(ms, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "the engine must run until it is killed, it ended with " + process.exitValue());
        }
    }

    /** SIGKILL: nothing is flushed, committed or said. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM; returns whether the process has ended within the time. */
    boolean stop(long seconds) throws InterruptedException {
        process.destroy();
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    /** Removes the local copies of all models, and with them the process's identity. */
    void deleteState() throws IOException {
        Utils.delete(dataDir.resolve("state").toFile());
    }

    /** What the ids of this engine's transactions start with, but not those of one whose state directory was deleted. */
    String transactionalIdPrefix() throws IOException {
        Path identity = dataDir.resolve(Path.of("state", "perceptron", "kafka-streams-process-metadata"));
        return "perceptron-"
                + new ObjectMapper()
                        .readTree(identity.toFile())
                        .path("processId")
                        .asText() + "-";
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
