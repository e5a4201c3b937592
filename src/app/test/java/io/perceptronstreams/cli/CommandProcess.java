package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.perceptronstreams.Main;
import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A command in a process of its own, for tests that stop it by a signal.
 *
 * @param out file with its standard output
 * @param err file with its standard error
 */
record CommandProcess(Process process, Path out, Path err) implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final int SIGINT = 2;

    /** Exit code of a JVM after SIGINT. */
    static final int INTERRUPTED = 130;

    /** Exit code of a JVM after SIGTERM. */
    static final int TERMINATED = 143;

    /**
     * Starts {@code perceptron ARGUMENT…} with its files in {@code directory}, which is also its temporary directory.
     */
    static CommandProcess start(Path directory, String... arguments) throws IOException {
        return start(directory, List.of(), arguments);
    }

    /** Like {@link #start(Path, String...)}, with further options of the JVM. */
    static CommandProcess start(Path directory, List<String> options, String... arguments) throws IOException {
        return start(directory, options, Main.class, arguments);
    }

    static CommandProcess start(Path directory, List<String> options, Class<?> program, String... arguments)
            throws IOException {
        Path out = directory.resolve("out.txt");
        Path err = directory.resolve("err.txt");
        List<String> command = JavaProcess.command();
        command.addAll(List.of("-Xmx512m", "-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new CommandProcess(process, out, err);
    }

    void awaitOutput(String text) {
        await().atMost(TIMEOUT).until(() -> outText().contains(text));
    }

    void awaitError(String text) {
        await().atMost(TIMEOUT).until(() -> errText().contains(text));
    }

    /** Sends SIGINT, as Ctrl-C does, and returns the exit code; skips the test where the process cannot receive it. */
    int interrupt() throws IOException, InterruptedException {
        assumeFalse(isInterruptIgnored(), "SIGINT is ignored, as by all jobs in the background of a shell");
        Process kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
        return process.waitFor();
    }

    /** A process inherits the signals that it ignores. Only Linux shows them. */
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        String ignored = Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        long mask = Long.parseUnsignedLong(ignored.substring("SigIgn:".length()).trim(), 16);
        return (mask & (1L << (SIGINT - 1))) != 0;
    }

    /** Sends SIGTERM and returns the exit code. */
    int terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    String outText() throws IOException {
        return Files.readString(out);
    }

    String errText() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
