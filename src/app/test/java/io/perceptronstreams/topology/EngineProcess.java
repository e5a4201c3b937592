package io.perceptronstreams.topology;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.embedded.ClusterProcess;
import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.embedded.LiveObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;

/** {@code perceptron run} in its own process, to be killed, stopped and restarted on the same data directory. */
public final class EngineProcess implements AutoCloseable {
    /** A busy machine's broker may take longer to answer than a user wants to wait. */
    private static final List<String> PATIENCE = List.of(
            "-D", "admin.default.api.timeout.ms=120000",
            "-D", "admin.request.timeout.ms=60000",
            "-D", "consumer.default.api.timeout.ms=120000",
            "-D", "producer.max.block.ms=120000",
            // the mixed streams have records of an id that no registry has
            "-D", "unknown.schema.grace.ms=500");

    private final Path dataDir;
    private final Path temporary;
    private final Path log;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private Process process;

    EngineProcess(ClusterProcess cluster, Path dataDir, Path log, Map<String, String> settings) {
        this(cluster.bootstrapServers(), cluster.registryUrl(), dataDir, log, settings);
    }

    /** Prepares a process without starting it; {@code log} takes what it prints, also after restarts. */
    public EngineProcess(
            String bootstrapServers, String registryUrl, Path dataDir, Path log, Map<String, String> settings) {
        this.dataDir = dataDir;
        this.log = log;
        // a killed JVM leaves RocksDB's library there
        temporary = dataDir.resolveSibling(dataDir.getFileName() + ".tmp");
        arguments.addAll(List.of("-Djava.io.tmpdir=" + temporary, "-Xmx192m", "io.perceptronstreams.Main", "run"));
        arguments.addAll(List.of("--bootstrap", bootstrapServers, "--registry", registryUrl));
        arguments.addAll(List.of("--data-dir", dataDir.toString()));
        arguments.addAll(PATIENCE);
        settings.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
    }

    /** Starts the process, again after it has ended. */
    public void start() throws IOException {
        Utils.delete(temporary.toFile());
        Files.createDirectories(temporary);
        List<String> command = JavaProcess.command();
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        process = builder.start();
    }

    /** Sets a variable of the environment of later starts. */
    public void setEnvironment(String name, String value) {
        environment.put(name, value);
    }

    /** Whether the process runs. */
    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Exit code of a process that has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    /** File with everything that the process has printed. */
    public Path log() {
        return log;
    }

    /**
     * Warnings of stream threads that have closed tasks and begun them again at the last commit: they were fenced, or a
     * task was corrupted.
     */
    public List<String> recoveries() throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("Detected that the thread is being fenced")
                            || line.contains("Detected the states of tasks"))
                    .toList();
        }
    }

    /** Sends a signal, such as {@code STOP}. */
    public void signal(String name) throws IOException, InterruptedException {
        signal(process, name);
    }

    static void signal(Process process, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException(
                    "process " + process.pid() + " must take SIG" + name + ", kill ended with " + kill.exitValue());
        }
    }

    /** Waits for the end of the process; returns whether it has ended within the time. */
    public boolean awaitEnd(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    /** Id of the process. */
    public long pid() {
        return process.pid();
    }

    /** Bytes of all objects that a full collection leaves. */
    public long liveBytes() throws IOException, InterruptedException {
        return LiveObjects.of(pid()).bytes();
    }

    /** Returns after a number of milliseconds, or at once with an error if the process has ended by itself. */
    void live(long ms) throws InterruptedException {
        if (process.waitFor(ms, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "the engine must run until it is killed, it ended with " + process.exitValue());
        }
    }

    /** SIGKILL: nothing is flushed, committed or said. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM; returns whether the process has ended within the time. */
    public boolean stop(long seconds) throws InterruptedException {
        process.destroy();
        return awaitEnd(seconds);
    }

    /** Removes the local copies of all models, and with them the process's identity. */
    public void deleteState() throws IOException {
        Utils.delete(dataDir.resolve("state").toFile());
    }

    /**
     * What the ids of this engine's transactions start with, but not those of one whose state directory was deleted.
     */
    public String transactionalIdPrefix() throws IOException {
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
            // SIGKILL also ends a stopped process
            kill();
        }
    }
}
