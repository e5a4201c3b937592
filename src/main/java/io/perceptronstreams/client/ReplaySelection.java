package io.perceptronstreams.client;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.serde.DeadLetter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The dead letters that a replay sends again.
 *
 * @param letters what the user asks for
 * @param maxReplays a record that was sent again as often and came back is left out, so that none goes round for ever
 * @param isRestamped true if they get the time of the replay; otherwise those of reason {@link
 *     RejectReason#INVALID_TIMESTAMP} are left out, because they have no time of their own
 */
public record ReplaySelection(DeadLetterSelection letters, int maxReplays, boolean isRestamped) {
    /** Default of {@link #maxReplays}. */
    public static final int MAX_REPLAYS = 3;

    /** All dead letters that are sent again without options. */
    static final ReplaySelection ALL = new ReplaySelection(DeadLetterSelection.ALL, MAX_REPLAYS, false);

    /** Returns true if a dead letter is sent again. */
    boolean matches(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
        return letters.matches(record, letter) && !isWornOut(record) && !lacksTime(letter);
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
        return letters.covers(other.letters) && maxReplays >= other.maxReplays && (isRestamped || !other.isRestamped);
    }
}
