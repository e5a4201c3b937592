package io.perceptronstreams.monitor;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP settings of the monitor.
 *
 * @param host address to listen on
 * @param port 0 for any free one
 * @param auth required credentials, {@code basic:USER:PASSWORD} or {@code bearer:TOKEN}; null for none
 * @param isInsecure true to allow a non-loopback address without {@code auth}
 * @param tls Kafka's {@code ssl.keystore.*} settings; empty for plain HTTP
 * @param names additional valid values of the Host header, such as that of a proxy
 * @param maxStreams maximum number of concurrent event streams
 * @param maxConnections maximum number of concurrent connections; others wait
 * @param lookback number of records per partition to read at the start
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
    private static final Logger LOG = LoggerFactory.getLogger(HttpSettings.class);
    private static final int MIN_SECRET = 16;

    /** Copies the collections. */
    public HttpSettings {
        tls = Map.copyOf(tls);
        names = List.copyOf(names);
    }

    /**
     * Validates address and credentials.
     *
     * @throws MonitorException if the address is not loopback and has no credentials, or if {@code auth} is malformed
     */
    void check() {
        if (auth != null && !auth.matches("(?s)basic:[^:]+:.+|bearer:\\S+")) {
            throw new MonitorException("http.auth must be basic:USER:PASSWORD or bearer:TOKEN, got another value");
        }
        if (auth == null && !isInsecure && !isLoopback()) {
            throw new MonitorException("http.host must be a loopback address if there are no credentials, got " + host
                    + " (set http.auth or --insecure)");
        }
        if (auth != null && tls.isEmpty() && !isInsecure && !isLoopback()) {
            throw new MonitorException("http.host must be a loopback address without TLS, which protects the"
                    + " credentials in transit, got " + host
                    + " (set http.ssl.keystore.location; --insecure if a proxy adds TLS)");
        }
        if (auth != null && secretLength() < MIN_SECRET) {
            LOG.warn("the secret in http.auth should have at least {} characters, as it can be guessed", MIN_SECRET);
        }
    }

    private int secretLength() {
        return auth.length() - auth.indexOf(':', auth.startsWith("basic:") ? "basic:".length() : 0) - 1;
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new MonitorException("http.host must be an address of this machine, got " + host);
        }
    }

    /** Returns a text without secrets. */
    @Override
    public String toString() {
        return "HttpSettings(" + host + ":" + port + (auth == null ? "" : ", with credentials") + ")";
    }
}
