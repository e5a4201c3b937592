package io.perceptronstreams.sending;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Ends the wait of a command whose brokers have gone: Kafka's clients try again for two minutes, or without end.
 *
 * <p>Brokers that accept connections, also slow ones, have not gone.
 */
final class BrokerWatch implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(4);

    /** Time after which a second attempt must fail, too. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final Supplier<List<String>> check;
    private final Runnable onGone;
    private final StoppableThread thread = new StoppableThread("broker-watch", () -> run(INTERVAL, AGAIN));
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
        watch.thread.start();
        return watch;
    }

    void run(Duration interval, Duration again) {
        while (!thread.pause(interval)) {
            if (check.get().isEmpty() || thread.pause(again)) {
                continue;
            }
            List<String> faults = check.get();
            if (!faults.isEmpty()) {
                fault = faults.get(0);
                onGone.run();
                return;
            }
        }
    }

    /** The line for the user if the brokers have gone; otherwise null. */
    String fault() {
        return fault;
    }

    @Override
    public void close() {
        thread.stop();
    }
}
