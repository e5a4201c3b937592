package io.perceptronstreams.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * Binds the broker's two ports first and hands the sockets to Kafka later.
 *
 * <p>Thus no other process can take a free port in between, and a port in use is detected before Kafka touches a file.
 */
final class ReservedPorts implements ServerSocketFactory, AutoCloseable {

    private static final int BACKLOG = 50;

    /** By listener name; Kafka closes the sockets that it has taken. */
    private final Map<String, ServerSocketChannel> reserved = new ConcurrentHashMap<>();

    /**
     * Binds a port for a listener and returns it.
     *
     * @param port 0 for any free one
     * @param hint remedy for the error message
     */
    int reserve(String listener, int port, String hint) {
        try {
            var channel = ServerSocketChannel.open();
            reserved.put(listener, channel);
            channel.configureBlocking(false);
            channel.bind(Loopback.socket(port), BACKLOG);
            return channel.socket().getLocalPort();
        } catch (IOException e) {
            close();
            throw new EmbeddedException("port " + port + " cannot be opened: " + e.getMessage() + "; " + hint, e);
        }
    }

    @Override
    public ServerSocketChannel openServerSocket(
            String listener, InetSocketAddress address, int backlog, int receiveBufferSize) throws IOException {
        var channel = reserved.remove(listener);
        if (channel == null) {
            throw new IOException("no socket is reserved for listener " + listener);
        }
        if (receiveBufferSize > 0) {
            channel.socket().setReceiveBufferSize(receiveBufferSize);
        }
        return channel;
    }

    /** Closes the sockets that Kafka has not taken. */
    @Override
    public void close() {
        reserved.forEach((listener, channel) -> Utils.closeQuietly(channel, "socket of " + listener));
        reserved.clear();
    }
}
