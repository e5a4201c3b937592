package io.perceptronstreams.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** A broker and a registry in their own process, for tests that kill their clients. */
public record ClusterProcess(Process process, String bootstrapServers, String registryUrl) implements AutoCloseable {

    /**
     * Starts both and returns when they answer.
     *
     * @param directory directory of the broker's files
     * @param log file for warnings
     */
    public static ClusterProcess start(Path directory, Path log) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ClusterProcess.class.getName(),
                        directory.toString())
                .redirectError(log.toFile())
                .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String bootstrapServers = out.readLine();
        String registryUrl = out.readLine();
        if (registryUrl == null) {
            process.destroyForcibly();
            throw new IOException("broker and registry must start, see " + log);
        }
        return new ClusterProcess(process, bootstrapServers, registryUrl);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs until killed. */
    public static void main(String[] arguments) throws InterruptedException {
        var broker = EmbeddedBroker.start(
                Path.of(arguments[0]),
                0,
                Map.of(
                        // the records have old timestamps, and tests compare all of them
                        "log.retention.ms", "-1",
                        "log.cleaner.min.compaction.lag.ms", Long.toString(Long.MAX_VALUE),
                        // compacted topics are compacted continuously
                        "log.cleaner.backoff.ms", "200"));
        var registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
        System.out.println(broker.bootstrapServers());
        System.out.println(registry.url());
        Thread.currentThread().join();
    }
}
