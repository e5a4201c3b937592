package io.perceptronstreams.store;

import io.perceptronstreams.model.Fence;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import org.apache.kafka.common.Uuid;

/**
 * The position of the last checkpoint in the input partition, and the context for a replay of the records behind it.
 *
 * @param topicId of the input topic of the offsets
 * @param next offset of the first record behind the checkpoint
 * @param stagedThrough offset of the last record that changed staged chunks of an import, -1 before the first; they are
 *     durable at once, without a checkpoint
 * @param decisions settings under which the records behind {@code next} were processed
 * @param summary of the records before {@code next}
 * @param defaults settings of models to be created behind {@code next}, until a command changes them
 * @param note about the last intervention of an operator; empty if none
 * @param fence behind which the records behind {@code next} lie; null if there is none
 */
public record InputPosition(
        Uuid topicId,
        long next,
        long stagedThrough,
        Decisions decisions,
        Summary summary,
        Settings defaults,
        String note,
        Fence fence) {
    private static final int FORM = 5;

    /** Form with a fence. */
    private static final int FORM_WITH_FENCE = 6;

    /** Position without a fence. */
    public InputPosition(
            Uuid topicId,
            long next,
            long stagedThrough,
            Decisions decisions,
            Summary summary,
            Settings defaults,
            String note) {
        this(topicId, next, stagedThrough, decisions, summary, defaults, note, null);
    }

    /**
     * Settings that affect how a record is processed.
     *
     * @param createsModels whether the first example of a model creates it
     * @param reroutes whether records on a wrong partition are rerouted
     * @param partitions of the input topic
     * @param revision of the arithmetic
     * @param writesJson whether outputs are JSON, in which weights need another number of chunks
     * @param aheadMs maximum time by which an event time in JSON may be after the timestamp of its record
     */
    public record Decisions(
            boolean createsModels, boolean reroutes, int partitions, int revision, boolean writesJson, long aheadMs) {
        /** Default: the lead over a broker's clock that Kafka 4 allows to the timestamp of a record. */
        public static final long DEFAULT_AHEAD_MS = 3_600_000;
    }

    /**
     * Summary of the records before a position.
     *
     * @param streamTime largest event time, in ms; -1 without records
     * @param models number of models, without deleted ones; {@link #UNKNOWN} if both must be computed
     * @param isStatusPending whether statuses of models are to be published that contain their last records
     */
    public record Summary(long streamTime, long models, boolean isStatusPending) {
        /** Summary of a position that was written by {@code topics reset}. */
        public static final Summary UNKNOWN = new Summary(-1, -1);

        /** Summary without pending statuses. */
        public Summary(long streamTime, long models) {
            this(streamTime, models, false);
        }

        boolean isKnown() {
            return models >= 0;
        }
    }

    /** Returns true if the summary is known. */
    public boolean isSummed() {
        return summary.isKnown();
    }

    InputPosition withStagedThrough(long offset) {
        return new InputPosition(topicId, next, offset, decisions, summary, defaults, note, fence);
    }

    /** Returns this position after a checkpoint. */
    InputPosition at(
            Uuid newTopicId,
            long newNext,
            Decisions newDecisions,
            Summary newSummary,
            Settings newDefaults,
            Fence newFence) {
        return new InputPosition(
                newTopicId, newNext, stagedThrough, newDecisions, newSummary, newDefaults, note, newFence);
    }

    /** Encodes the position for {@link ModelKeys#POSITION}. */
    public byte[] encode() {
        StoredFields out = new StoredFields();
        var unused = exchange(out);
        return out.toBytes();
    }

    /** Decodes a stored position. */
    public static InputPosition decode(byte[] encoded) {
        Decisions decisions = new Decisions(false, false, 0, 0, false, 0);
        return new InputPosition(Uuid.ZERO_UUID, 0, 0, decisions, Summary.UNKNOWN, Settings.DEFAULTS, "")
                .exchange(new StoredFields(encoded));
    }

    private InputPosition exchange(StoredFields fields) {
        int form = fields.form(fence == null ? FORM : FORM_WITH_FENCE, FORM, FORM_WITH_FENCE, "position");
        return new InputPosition(
                new Uuid(
                        fields.signed(topicId.getMostSignificantBits()),
                        fields.signed(topicId.getLeastSignificantBits())),
                fields.signed(next),
                fields.signed(stagedThrough),
                new Decisions(
                        fields.flag(decisions.createsModels),
                        fields.flag(decisions.reroutes),
                        fields.upTo(Integer.MAX_VALUE, decisions.partitions),
                        fields.upTo(Integer.MAX_VALUE, decisions.revision),
                        fields.flag(decisions.writesJson),
                        fields.signed(decisions.aheadMs)),
                new Summary(
                        fields.signed(summary.streamTime),
                        fields.signed(summary.models),
                        fields.flag(summary.isStatusPending)),
                new SettingsCodec().exchange(fields, defaults),
                fields.text(note),
                form < FORM_WITH_FENCE ? null : new Fence(fields.flag(fence != null && fence.isForwarding())));
    }

    /** Returns a stored header without its position, for a new input of which no record was applied. */
    public static byte[] withoutPosition(byte[] header) {
        HeaderCodec headers = new HeaderCodec();
        return headers.withPosition(header, LiveModel.NO_POSITION);
    }
}
