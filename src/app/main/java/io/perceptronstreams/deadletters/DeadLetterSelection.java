package io.perceptronstreams.deadletters;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectReason;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The dead letters that a command is about.
 *
 * @param reason null for all
 * @param model null for all
 * @param since lowest event time in ms; null for all
 */
public record DeadLetterSelection(RejectReason reason, String model, Long since) {
    /** All dead letters. */
    static final DeadLetterSelection ALL = new DeadLetterSelection(null, null, null);

    /**
     * Creates a selection from the options of a command.
     *
     * @param since time in ISO 8601 with a zone, such as {@code 2026-01-31T12:00:00Z}; null for all
     * @throws CommandFailedException if the model's name or the time is invalid
     */
    public static DeadLetterSelection of(RejectReason reason, String model, String since) {
        if (model != null) {
            ModelKey.of(model);
        }
        return new DeadLetterSelection(reason, model, since == null ? null : time(since));
    }

    private static Long time(String since) {
        try {
            return OffsetDateTime.parse(since).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw CommandFailedException.wrongUsage(
                    "--since must be a time with a zone, as 2026-01-31T12:00:00Z, got '" + since + "'");
        }
    }

    /** Returns true for a dead letter of the engine with the reason, model and time of this selection. */
    boolean matches(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
        return letter.reason() != null
                && (reason == null || reason.name().equals(letter.reason()))
                && (model == null || model.equals(EventFormat.model(record)))
                && (since == null || record.timestamp() >= since);
    }

    /** Returns true if this selection contains all dead letters of another one. */
    boolean covers(DeadLetterSelection other) {
        return (reason == null || reason == other.reason)
                && (model == null || model.equals(other.model))
                && (since == null || (other.since != null && since <= other.since));
    }

    /** The options that make this selection, each after a blank; empty for all. */
    public String toOptions() {
        return (reason == null ? "" : " --reason " + reason)
                + (model == null ? "" : " --model " + model)
                + (since == null ? "" : " --since " + Instant.ofEpochMilli(since));
    }
}
