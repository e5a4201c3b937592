package io.perceptronstreams.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A broker in its own process, so that a test can kill it. */
record BrokerProcess(Process process, String bootstrapServers) implements AutoCloseable {

    static BrokerProcess start(Path directory) throws IOException {
        List<String> command = JavaProcess.command();
        command.addAll(List.of(BrokerProcess.class.getName(), directory.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new IOException("broker process ended before it listened");
        }
        return new BrokerProcess(process, line);
    }

    /** Kills with SIGKILL: nothing is flushed or closed. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Runs until killed. */
    public static void main(String[] arguments) throws InterruptedException {
        var broker = EmbeddedBroker.start(Path.of(arguments[0]), 0);
        System.out.println(broker.bootstrapServers());
        Thread.currentThread().join();
    }
}
