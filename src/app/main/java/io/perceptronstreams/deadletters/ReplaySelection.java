package io.perceptronstreams.deadletters;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectReason;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The dead letters that a replay sends again.
 *
 * @param letters what the user asks for
 * @param maxReplays maximum number of replays of a record, which prevents endless loops
 * @param isRestamped true if records get the time of the replay; otherwise reason {@link
 *     RejectReason#INVALID_TIMESTAMP} is left out, because its records have no time of their own
 * @param isWithCommands true if commands and weights are sent, too, which the engine executes at their new place
 */
public record ReplaySelection(
        DeadLetterSelection letters, int maxReplays, boolean isRestamped, boolean isWithCommands) {
    /** Default of {@link #maxReplays}. */
    public static final int MAX_REPLAYS = 3;

    /** All dead letters that are sent again without options. */
    static final ReplaySelection ALL = new ReplaySelection(DeadLetterSelection.ALL, MAX_REPLAYS, false, false);

    /** Returns true if a dead letter is sent again. */
    boolean matches(ConsumerRecord<byte[], byte[]> record, DeadLetter letter, boolean isCommand) {
        return letters.matches(record, letter)
                && (isWithCommands || !isCommand)
                && !isWornOut(record)
                && !lacksTime(letter);
    }

    /** Returns true if the record came back too often. */
    boolean isWornOut(ConsumerRecord<byte[], byte[]> record) {
        return DeadLetter.replays(record.headers()) >= maxReplays;
    }

    /** Returns true if the record needs a new time. */
    boolean lacksTime(DeadLetter letter) {
        return !isRestamped && RejectReason.INVALID_TIMESTAMP.name().equals(letter.reason());
    }

    /** Returns true if this selection contains all dead letters of another one. */
    boolean covers(ReplaySelection other) {
        return letters.covers(other.letters)
                && maxReplays >= other.maxReplays
                && (isRestamped || !other.isRestamped)
                && (isWithCommands || !other.isWithCommands);
    }
}
