package io.perceptronstreams.embedded;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** An Apicurio Registry in its own process, empty and in memory, on a free port of the loopback interface. */
final class ApicurioServer implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("Listening on: (http://127\\.0\\.0\\.1:\\d+)");

    private final Process process;
    private final String url;

    private ApicurioServer(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Starts the server and waits until it listens.
     *
     * @param directory the unpacked distribution
     */
    static ApicurioServer start(Path directory) throws IOException {
        Path log = directory.resolve("server.log");
        var process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-Dquarkus.http.host=127.0.0.1",
                        "-Dquarkus.http.port=0",
                        "-jar",
                        jar(directory).getFileName().toString()))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            return new ApicurioServer(
                    process,
                    await().atMost(Duration.ofMinutes(5)).until(() -> url(process, log), found -> !found.isEmpty()));
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** Address of its Confluent-compatible API. */
    String url() {
        return url + "/apis/ccompat/v7";
    }

    @Override
    public void close() {
        process.destroyForcibly();
        // the next start needs the directory
        process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
    }

    private static Path jar(Path directory) throws IOException {
        try (var jars = Files.newDirectoryStream(directory, "*-runner.jar")) {
            return jars.iterator().next();
        }
    }

    private static String url(Process process, Path log) throws IOException {
        // its colour codes are not all UTF-8
        String text = Files.readString(log, StandardCharsets.ISO_8859_1);
        if (!process.isAlive()) {
            throw new AssertionError("Apicurio Registry ended:\n" + text);
        }
        var listening = LISTENING.matcher(text);
        return listening.find() ? listening.group(1) : "";
    }
}
