package io.perceptronstreams.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;

/**
 * A broker with two listeners for clients: those of the second one are told to connect to a proxy.
 *
 * @param proxiedPort port of the second listener, to which the proxy forwards
 */
record ProxiedBroker(String bootstrapServers, int proxiedPort) {
    private static final String LISTENER = "PROXIED";

    /** Starts a broker in this process, which ends with it. */
    static ProxiedBroker start(Path directory, int proxyPort, Map<String, String> more) throws IOException {
        // formats the directory
        EmbeddedBroker.start(directory, 0).close();
        int port = freePort();
        int proxied = freePort();
        Properties properties = BrokerProperties.of(directory.toAbsolutePath().normalize(), port, freePort(), more);
        append(properties, "listeners", LISTENER + "://" + Loopback.HOST + ":" + proxied);
        append(properties, "advertised.listeners", LISTENER + "://" + Loopback.HOST + ":" + proxyPort);
        append(properties, "listener.security.protocol.map", LISTENER + ":PLAINTEXT");
        new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM).startup();
        return new ProxiedBroker(Loopback.HOST + ":" + port, proxied);
    }

    private static void append(Properties properties, String key, String value) {
        properties.put(key, properties.get(key) + "," + value);
    }

    static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }
}
