package io.perceptronstreams.log;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.streams.errors.StreamsException;

/**
 * Time that a read of the log waits for brokers that do not answer: {@code task.timeout.ms} in an engine, which must
 * outlast an outage; at most a minute in a command, which says after some seconds that it waits, and for which broker.
 */
final class Patience {
    private static final Duration OF_COMMAND = Duration.ofMinutes(1);
    private static final Duration FIRST_NOTE = Duration.ofSeconds(5);

    private final EngineConfig config;
    private final Duration limit;

    // Null in an engine.
    private final Consumer<String> notes;

    private Patience(EngineConfig config, Duration limit, Consumer<String> notes) {
        this.config = config;
        this.limit = limit;
        this.notes = notes;
    }

    static Patience ofEngine(EngineConfig config) {
        return new Patience(config, Duration.ofMillis(config.taskTimeoutMs()), null);
    }

    /** @param notes receives a line for each wait, perhaps from another thread */
    static Patience ofCommand(EngineConfig config, Consumer<String> notes) {
        Duration ofEngine = Duration.ofMillis(config.taskTimeoutMs());
        return new Patience(config, ofEngine.compareTo(OF_COMMAND) < 0 ? ofEngine : OF_COMMAND, notes);
    }

    Duration limit() {
        return limit;
    }

    /** Time without an answer after which {@link #note} is called. */
    Duration beforeNote() {
        Duration half = limit.dividedBy(2);
        return notes == null ? limit.multipliedBy(2) : half.compareTo(FIRST_NOTE) < 0 ? half : FIRST_NOTE;
    }

    /** Says that the command waits. */
    void note() {
        if (notes != null) {
            notes.accept(silence() + "; waiting for an answer up to " + text(limit));
        }
    }

    /** The failure of a requirement that was not met within the limit: in a command one line for the user. */
    RuntimeException late(String requirement, Throwable cause) {
        return notes == null
                ? new StreamsException(
                        requirement + ", got no answer for " + limit.toMillis()
                                + " ms (task.timeout.ms); see the warnings before this",
                        cause)
                : new StartupException(
                        List.of(requirement + ", got no answer for " + text(limit) + ": " + silence()), cause);
    }

    private String silence() {
        List<String> faults = BrokerCheck.faults(config);
        return faults.isEmpty()
                ? "brokers must answer, got connections and no answer from "
                        + config.get(EngineConfigDef.BOOTSTRAP_SERVERS) + " (are they overloaded or suspended?)"
                : faults.get(0);
    }

    private static String text(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
