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
 * @param summary of the records in front of {@code next}
 * @param note on the last intervention of an operator, empty without one
 */
public record InputPosition(
        Uuid topicId, long next, long stagedThrough, Decisions decisions, Summary summary, String note) {
    /** Without a summary. */
    private static final byte FIRST_FORM = 1;

    private static final byte FORM = 2;

    /**
     * Settings that decide what becomes of a record.
     *
     * @param createsModels whether a model exists from its first example on
     * @param reroutes whether records on a wrong partition are sent on
     * @param partitions of the input topic
     * @param revision of the arithmetic
     */
    public record Decisions(boolean createsModels, boolean reroutes, int partitions, int revision) {}

    /**
     * What the records in front of a position add up to.
     *
     * @param streamTime largest event time, in ms; -1 if there is none
     * @param models how many models there are, deleted ones not counted; {@link #UNKNOWN} where both must be found out
     */
    public record Summary(long streamTime, long models) {
        /** Where a position was written by an earlier version or by hand. */
        public static final Summary UNKNOWN = new Summary(-1, -1);

        boolean isKnown() {
            return models >= 0;
        }
    }

    /** Whether the summary need not be found out. */
    public boolean isSummed() {
        return summary.isKnown();
    }

    InputPosition withStagedThrough(long offset) {
        return new InputPosition(topicId, next, offset, decisions, summary, note);
    }

    /** This position after a checkpoint. */
    InputPosition at(Uuid newTopicId, long newNext, Decisions newDecisions, Summary newSummary) {
        return new InputPosition(newTopicId, newNext, stagedThrough, newDecisions, newSummary, note);
    }

    /** The position as it is stored under {@link ModelKeys#POSITION}. */
    public byte[] encode() {
        byte[] text = note.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + 6 * Long.BYTES + 2 + 2 * Integer.BYTES + text.length)
                .put(FORM)
                .putLong(topicId.getMostSignificantBits())
                .putLong(topicId.getLeastSignificantBits())
                .putLong(next)
                .putLong(stagedThrough)
                .put((byte) (decisions.createsModels ? 1 : 0))
                .put((byte) (decisions.reroutes ? 1 : 0))
                .putInt(decisions.partitions)
                .putInt(decisions.revision)
                .putLong(summary.streamTime)
                .putLong(summary.models)
                .put(text)
                .array();
    }

    /** Reads a stored position. */
    public static InputPosition decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        byte form = bytes.get();
        if (form < FIRST_FORM || form > FORM) {
            throw new IllegalStateException("a stored position must be of form 1 to " + FORM + ", got " + form
                    + " (written by a newer engine?)");
        }
        Uuid topicId = new Uuid(bytes.getLong(), bytes.getLong());
        long next = bytes.getLong();
        long stagedThrough = bytes.getLong();
        Decisions decisions = new Decisions(bytes.get() != 0, bytes.get() != 0, bytes.getInt(), bytes.getInt());
        Summary summary = form == FIRST_FORM ? Summary.UNKNOWN : new Summary(bytes.getLong(), bytes.getLong());
        String note = StandardCharsets.UTF_8.decode(bytes).toString();
        return new InputPosition(topicId, next, stagedThrough, decisions, summary, note);
    }
}
