package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Utils;

/** Fails fast if no bootstrap broker accepts connections; a Kafka client would retry for its whole time-out. */
public final class BrokerCheck {
    private static final int CONNECT_TIMEOUT_MS = 5_000;

    private BrokerCheck() {}

    /**
     * Requires that a bootstrap broker accepts connections.
     *
     * @throws StartupException if none does
     */
    public static void require(EngineConfig config) {
        List<String> faults = faults(config);
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
    }

    /** Returns one line if no bootstrap broker accepts connections, otherwise none. */
    public static List<String> faults(EngineConfig config) {
        List<String> failures = new ArrayList<>();
        for (String broker : config.get(EngineConfigDef.BOOTSTRAP_SERVERS).split(",", -1)) {
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(Utils.getHost(broker.strip()), Utils.getPort(broker.strip())),
                        CONNECT_TIMEOUT_MS);
                return List.of();
            } catch (IOException e) {
                failures.add(broker.strip() + ": " + e.getMessage());
            }
        }
        return List.of("brokers must listen, got " + String.join(", ", failures)
                + " (start them, or name others with --bootstrap)");
    }
}
