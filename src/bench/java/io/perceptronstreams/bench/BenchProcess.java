package io.perceptronstreams.bench;

import io.perceptronstreams.Main;
import io.perceptronstreams.client.CommandFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A {@link BenchWorker} in another JVM with the same Java, class path and options, and a given heap size. */
final class BenchProcess implements AutoCloseable {
    private static final int EXIT_TIMEOUT_SECONDS = 20;

    private final String name;
    private final Process process;
    private final BufferedReader output;

    private BenchProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.output = reader(process.getInputStream());
    }

    /** Starts a process that logs warnings to standard error of this process. */
    static BenchProcess start(String heap, List<String> arguments) throws IOException {
        Process process = new ProcessBuilder(command("WARN", heap, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new BenchProcess(arguments.get(0), process);
    }

    /** Starts a process that logs at level INFO; {@code log} receives each line of its standard error. */
    static BenchProcess startLogging(String heap, List<String> arguments, Consumer<String> log) throws IOException {
        Process process = new ProcessBuilder(command("INFO", heap, arguments)).start();
        Thread reader =
                new Thread(() -> reader(process.getErrorStream()).lines().forEach(log), arguments.get(0) + "-log");
        reader.setDaemon(true);
        reader.start();
        return new BenchProcess(arguments.get(0), process);
    }

    private static List<String> command(String logLevel, String heap, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dlog.level=" + logLevel);
        command.add("-D" + Main.LOG_CONFIGURATION + "=" + System.getProperty(Main.LOG_CONFIGURATION));
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // agents are not passed on
            if (option.startsWith("-X") || option.startsWith("-D")) {
                command.add(option);
            }
        }
        command.addAll(List.of("-Xms" + heap, "-Xmx" + heap));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BenchWorker.class.getName()));
        command.addAll(arguments);
        return command;
    }

    private static BufferedReader reader(InputStream stream) {
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    long id() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits for the next message of the process.
     *
     * @throws CommandFailedException if the process has ended
     */
    String readMessage() throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(BenchWorker.MESSAGE_PREFIX)) {
                return line.substring(BenchWorker.MESSAGE_PREFIX.length());
            }
            System.err.println(line);
        }
        throw new CommandFailedException("process '" + name + "' of the benchmark must run to its end, but exited early"
                + " (its output is above)");
    }

    /** Kills the process like {@code kill -9} and waits for its end. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Closes standard input, which ends the process, and kills it after a time-out. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(EXIT_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("process '" + name + "' of the benchmark did not end in time");
            }
        } catch (IOException e) {
            // it has ended already
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
