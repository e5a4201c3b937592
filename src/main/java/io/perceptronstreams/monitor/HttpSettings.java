package io.perceptronstreams.monitor;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;

/**
 * Where and how the monitor listens.
 *
 * @param host address to listen on
 * @param port 0: any free one
 * @param auth {@code basic:USER:PASSWORD} or {@code bearer:TOKEN} that every request must bring; null: none
 * @param isInsecure whether another address than loopback may be listened on without {@code auth}
 * @param tls Kafka's {@code ssl.keystore.*} settings; empty: plain HTTP
 * @param names further values of the Host header that are this server's, such as a proxy's
 * @param maxStreams event streams at the same time
 * @param maxConnections connections at the same time; more wait to be accepted
 * @param lookback records per partition that are read again at the start
 */
public record HttpSettings(
        String host,
        int port,
        String auth,
        boolean isInsecure,
        Map<String, String> tls,
        List<String> names,
        int maxStreams,
        int maxConnections,
        long lookback) {

    /** Keeps unmodifiable copies. */
    public HttpSettings {
        tls = Map.copyOf(tls);
        names = List.copyOf(names);
    }

    /**
     * Refuses what would be open to everybody.
     *
     * @throws MonitorException if another address than loopback is to be listened on without credentials
     */
    void check() {
        if (auth != null && !auth.matches("(?s)basic:[^:]+:.+|bearer:\\S+")) {
            throw new MonitorException("http.auth must be basic:USER:PASSWORD or bearer:TOKEN, got another value");
        }
        if (auth == null && !isInsecure && !isLoopback()) {
            throw new MonitorException("http.host must be a loopback address where nobody has to log in, got " + host
                    + " (set http.auth, or say --insecure)");
        }
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new MonitorException("http.host must be an address of this machine, got " + host);
        }
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return "HttpSettings(" + host + ":" + port + (auth == null ? "" : ", with credentials") + ")";
    }
}
