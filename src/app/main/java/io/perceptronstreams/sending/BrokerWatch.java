package io.perceptronstreams.sending;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.config.EngineConfig;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Ends the wait of a command whose brokers have gone: Kafka's clients try again for two minutes, or without end.
 *
 * <p>Brokers that accept connections, also slow ones, have not gone.
 */
final class BrokerWatch implements AutoCloseable {
    private static final long INTERVAL_MS = 4_000;

    /** Time after which a second attempt must fail, too. */
    private static final long AGAIN_MS = 1_000;

    private final Supplier<List<String>> check;
    private final Runnable onGone;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String fault;

    /**
     * @param check returns a line if no broker accepts connections, otherwise none
     * @param onGone called once, from another thread, when no broker accepts connections any more
     */
    BrokerWatch(Supplier<List<String>> check, Runnable onGone) {
        this.check = check;
        this.onGone = onGone;
    }

    /** Begins to watch the brokers, which were there just now. */
    static BrokerWatch begin(EngineConfig config, Runnable onGone) {
        BrokerWatch watch = new BrokerWatch(() -> BrokerCheck.faults(config), onGone);
        Thread thread = new Thread(() -> watch.run(INTERVAL_MS, AGAIN_MS), "broker-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    void run(long intervalMs, long againMs) {
        try {
            while (!closed.await(intervalMs, TimeUnit.MILLISECONDS)) {
                if (check.get().isEmpty() || closed.await(againMs, TimeUnit.MILLISECONDS)) {
                    continue;
                }
                List<String> faults = check.get();
                if (!faults.isEmpty()) {
                    fault = faults.get(0);
                    onGone.run();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The line for the user if the brokers have gone; otherwise null. */
    String fault() {
        return fault;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
