package io.perceptronstreams.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.Uuid;

/**
 * How far the models of a task have been checkpointed, and what a replay of the records behind that needs to know.
 *
 * @param topicId of the input topic that the offsets belong to
 * @param next offset from which on records are not yet in the checkpoint
 * @param stagedThrough offset of the last record that has changed the chunks put aside for imports, -1 before the first: these are
 *     durable at once and not by a checkpoint
 * @param decisions settings that decide what becomes of a record, as they were when the records behind {@code next} were used
 * @param note on the last intervention of an operator, empty without one
 */
public record InputPosition(Uuid topicId, long next, long stagedThrough, Decisions decisions, String note) {
    private static final byte FORM = 1;

    /**
     * Settings that decide what becomes of a record.
     *
     * @param createsModels whether a model exists from its first example on
     * @param reroutes whether records on a wrong partition are sent on
     * @param partitions of the input topic
     * @param revision of the arithmetic
     */
    public record Decisions(boolean createsModels, boolean reroutes, int partitions, int revision) {}

    InputPosition withStagedThrough(long offset) {
        return new InputPosition(topicId, next, offset, decisions, note);
    }

    /** This position after a checkpoint. */
    InputPosition at(Uuid newTopicId, long newNext, Decisions newDecisions) {
        return new InputPosition(newTopicId, newNext, stagedThrough, newDecisions, note);
    }

    /** The position as it is stored under {@link ModelKeys#POSITION}. */
    public byte[] encode() {
        byte[] text = note.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + 4 * Long.BYTES + 2 + 2 * Integer.BYTES + text.length)
                .put(FORM)
                .putLong(topicId.getMostSignificantBits())
                .putLong(topicId.getLeastSignificantBits())
                .putLong(next)
                .putLong(stagedThrough)
                .put((byte) (decisions.createsModels ? 1 : 0))
                .put((byte) (decisions.reroutes ? 1 : 0))
                .putInt(decisions.partitions)
                .putInt(decisions.revision)
                .put(text)
                .array();
    }

    /** Reads a stored position. */
    public static InputPosition decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        byte form = bytes.get();
        if (form != FORM) {
            throw new IllegalStateException(
                    "a stored position must be of form " + FORM + ", got " + form + " (written by a newer engine?)");
        }
        Uuid topicId = new Uuid(bytes.getLong(), bytes.getLong());
        long next = bytes.getLong();
        long stagedThrough = bytes.getLong();
        Decisions decisions = new Decisions(bytes.get() != 0, bytes.get() != 0, bytes.getInt(), bytes.getInt());
        String note = StandardCharsets.UTF_8.decode(bytes).toString();
        return new InputPosition(topicId, next, stagedThrough, decisions, note);
    }
}
