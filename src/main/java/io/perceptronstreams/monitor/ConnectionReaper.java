package io.perceptronstreams.monitor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;

/**
 * Ends connections whose next request does not arrive whole: the idle time alone never ends one that sends a byte now and then.
 *
 * <p>A connection has {@link #PATIENCE_NS} between the end of an answer, or its opening, and the end of the next request's headers.
 */
final class ConnectionReaper implements Connection.Listener, AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long EVERY_MS = 1_000;

    // since when they wait for a request, in ns; those that are being answered are not in it
    private final Map<Connection, Long> waiting = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-sweep");

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection.getMessagesIn() < 0) {
            // carries another connection, as TLS does
            return;
        }
        waiting.put(connection, System.nanoTime());
    }

    @Override
    public void onClosed(Connection connection) {
        waiting.remove(connection);
    }

    /** Lets the request have all the time it needs from now on: an event stream's is never answered whole. */
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
            while (!stopped.await(EVERY_MS, TimeUnit.MILLISECONDS)) {
                sweep(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the connections that have run out of time by {@code now}, in ns. */
    void sweep(long now) {
        waiting.forEach((connection, since) -> {
            if (now - since > PATIENCE_NS) {
                connection.getEndPoint().close();
            }
        });
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
