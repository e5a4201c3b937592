package io.perceptronstreams.monitor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;

/**
 * Ends connections whose next request does not arrive whole: the idle time alone never ends one that sends a byte now and then.
 *
 * <p>A connection has {@link #PATIENCE_NS} between the end of an answer, or its opening, and the end of the next request's headers.
 */
final class ConnectionSweep implements Connection.Listener, AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long EVERY_MS = 1_000;

    private final Map<Connection, Idle> idle = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-sweep");

    /** Since when no request has come; {@code messages}: how many had come then. */
    private record Idle(long messages, long since) {}

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
        idle.put(connection, new Idle(connection.getMessagesIn(), System.nanoTime()));
    }

    @Override
    public void onClosed(Connection connection) {
        idle.remove(connection);
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
        idle.forEach((connection, before) -> {
            long messages = connection.getMessagesIn();
            boolean isAnswering = messages > connection.getMessagesOut();
            if (isAnswering || messages > before.messages()) {
                idle.replace(connection, new Idle(messages, now));
            } else if (now - before.since() > PATIENCE_NS) {
                connection.getEndPoint().close();
            }
        });
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
