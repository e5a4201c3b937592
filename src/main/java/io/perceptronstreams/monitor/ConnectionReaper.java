package io.perceptronstreams.monitor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;

/**
 * Closes connections whose next request is incomplete after {@link #TIMEOUT_NS}, counted from the last response or the
 * opening to the end of the request headers.
 *
 * <p>The idle time-out does not close a connection that sends single bytes.
 */
final class ConnectionReaper implements Connection.Listener, AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long INTERVAL_MS = 1_000;

    // start of the wait for a request, in ns; without connections whose request is being answered
    private final Map<Connection, Long> waiting = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-reaper");

    void start() {
        thread.setDaemon(true);
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
    }

    /** Stops the time-out while a request is answered: event streams have no end. */
    void answering(Request request) {
        Connection connection = request.getConnectionMetaData().getConnection();
        waiting.remove(connection);
        Request.addCompletionListener(request, failure -> {
            waiting.put(connection, System.nanoTime());
            if (!connection.getEndPoint().isOpen()) {
                waiting.remove(connection);
            }
        });
    }

    private void run() {
        try {
            while (!stopped.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
                sweep(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the connections whose time-out has passed at {@code now}, in ns. */
    void sweep(long now) {
        waiting.forEach((connection, since) -> {
            if (now - since > TIMEOUT_NS) {
                connection.getEndPoint().close();
            }
        });
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
