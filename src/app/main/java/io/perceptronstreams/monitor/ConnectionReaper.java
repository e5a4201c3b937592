package io.perceptronstreams.monitor;

import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;

/**
 * Closes connections whose next request is incomplete after {@link #TIMEOUT_NS}, counted from the last response or the
 * opening to the end of the request headers, those whose request body is incomplete after {@link #BODY_NS}, and those
 * that have not read their response after {@link #ANSWER_NS}.
 *
 * <p>The idle time-out does not close a connection that sends or reads single bytes.
 */
final class ConnectionReaper implements Connection.Listener, AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long BODY_NS = TimeUnit.SECONDS.toNanos(10);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    // start of the wait for a request, in ns; without connections whose request is being answered
    private final Map<Connection, Long> waiting = new ConcurrentHashMap<>();

    // start of the response, in ns; streams have none
    private final Map<Connection, Long> answering = new ConcurrentHashMap<>();

    // start of the request body, in ns
    private final Map<Connection, Long> sending = new ConcurrentHashMap<>();
    private final StoppableThread thread = new StoppableThread("monitor-reaper", this::run);

    void start() {
        thread.start();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection.getMessagesIn() < 0) {
            // carries another connection, as for TLS
            return;
        }
        waiting.put(connection, System.nanoTime());
    }

    @Override
    public void onClosed(Connection connection) {
        waiting.remove(connection);
        answering.remove(connection);
        sending.remove(connection);
    }

    /** Starts the time-out of the body of a request. */
    void sending(Request request) {
        sending.put(request.getConnectionMetaData().getConnection(), System.nanoTime());
    }

    /** Stops the time-out of the body of a request. */
    void sent(Request request) {
        sending.remove(request.getConnectionMetaData().getConnection());
    }

    /** Starts the time-out of the response to a request. */
    void answering(Request request) {
        Connection connection = request.getConnectionMetaData().getConnection();
        waiting.remove(connection);
        answering.put(connection, System.nanoTime());
        Request.addCompletionListener(request, failure -> {
            answering.remove(connection);
            waiting.put(connection, System.nanoTime());
            if (!connection.getEndPoint().isOpen()) {
                waiting.remove(connection);
            }
        });
    }

    /** Stops the time-out of a response: event streams have no end. */
    void streaming(Request request) {
        answering.remove(request.getConnectionMetaData().getConnection());
    }

    private void run() {
        while (!thread.pause(INTERVAL)) {
            sweep(System.nanoTime());
        }
    }

    /** Closes the connections whose time-out has passed at {@code now}, in ns. */
    void sweep(long now) {
        close(waiting, now - TIMEOUT_NS);
        close(answering, now - ANSWER_NS);
        close(sending, now - BODY_NS);
    }

    private static void close(Map<Connection, Long> connections, long before) {
        connections.forEach((connection, since) -> {
            if (since - before < 0) {
                connection.getEndPoint().close();
            }
        });
    }

    @Override
    public void close() {
        thread.stop();
    }
}
