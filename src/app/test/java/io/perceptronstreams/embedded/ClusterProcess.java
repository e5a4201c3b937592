package io.perceptronstreams.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A broker and a registry in their own process, for tests that kill their clients.
 *
 * @param proxiedPort port of the broker to which a proxy forwards, 0 if there is none
 */
public record ClusterProcess(Process process, String bootstrapServers, String registryUrl, int proxiedPort)
        implements AutoCloseable {
    /** Beginning of the line with the addresses. */
    private static final String STARTED = "started ";

    static final Map<String, String> PROPERTIES = Map.of(
            // the records have old timestamps, and tests compare all of them
            "log.retention.ms", "-1",
            "log.cleaner.min.compaction.lag.ms", Long.toString(Long.MAX_VALUE),
            // compacted topics are compacted continuously
            "log.cleaner.backoff.ms", "200",
            // tests of group.protocol=streams wait for the end of sessions
            "group.streams.min.session.timeout.ms", "3000",
            "group.streams.min.heartbeat.interval.ms", "500");

    /**
     * Starts both and returns when they answer.
     *
     * @param directory directory of the broker's files
     * @param log file for warnings
     */
    public static ClusterProcess start(Path directory, Path log) throws IOException {
        return start(directory, log, 0, 0, 0);
    }

    /** Like {@link #start(Path, Path)}, with a second listener whose advertised address is a proxy on this machine. */
    public static ClusterProcess startBehind(int proxyPort, Path directory, Path log) throws IOException {
        return start(directory, log, 0, 0, proxyPort);
    }

    private static ClusterProcess start(Path directory, Path log, int brokerPort, int registryPort, int proxyPort)
            throws IOException {
        List<String> command = JavaProcess.command();
        command.addAll(List.of("-Xmx512m", ClusterProcess.class.getName(), directory.toString()));
        command.addAll(List.of("" + brokerPort, "" + registryPort, "" + proxyPort));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        // a broker that starts after a kill may report what it finds
        while (line != null && !line.startsWith(STARTED)) {
            line = out.readLine();
        }
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("broker and registry must start, see " + log);
        }
        String[] words = line.substring(STARTED.length()).split(" ", -1);
        return new ClusterProcess(process, words[0], words[1], Integer.parseInt(words[2]));
    }

    /** Starts both again on the same files and ports, after {@link #close}. */
    public ClusterProcess restart(Path directory, Path log) throws IOException {
        return start(directory, log, port(bootstrapServers), port(registryUrl), 0);
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /** Whether it has not been killed, and the broker has not ended by itself. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL: nothing is flushed or closed. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs until it is killed or the broker fails. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int proxyPort = Integer.parseInt(arguments[3]);
        String bootstrapServers;
        int proxiedPort = 0;
        if (proxyPort == 0) {
            EmbeddedBroker broker = EmbeddedBroker.start(directory, Integer.parseInt(arguments[1]), PROPERTIES);
            bootstrapServers = broker.bootstrapServers();
            // as a broker of a cluster does
            var unused =
                    broker.fatalFault().thenAccept(fault -> Runtime.getRuntime().halt(1));
        } else {
            var broker = ProxiedBroker.start(directory, proxyPort, PROPERTIES);
            bootstrapServers = broker.bootstrapServers();
            proxiedPort = broker.proxiedPort();
        }
        var registry = EmbeddedRegistry.start(bootstrapServers, Integer.parseInt(arguments[2]));
        System.out.println(STARTED + bootstrapServers + " " + registry.url() + " " + proxiedPort);
        Thread.currentThread().join();
    }
}
