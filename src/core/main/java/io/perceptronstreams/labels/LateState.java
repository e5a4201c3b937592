package io.perceptronstreams.labels;

import java.util.List;

/**
 * The numbers of {@link LateLabels}; what waits, and the ids, are in a {@link WaitingStore}.
 *
 * @param streamTime largest event time of the model's records, in ms; {@link #NO_TIME} before the first
 * @param pending number of waiting examples
 * @param labels number of waiting labels
 * @param firstId number of the first of the last ids
 * @param nextId number of the next id
 * @param delays of the labels that came in time: counts of a {@link DelayHistogram} up to the last that is not 0
 * @param generation of the records in the store: number of times that the model was deleted after it had waited
 * @param nextDue last stream time at which the first entry of the due list waits; {@link #NO_TIME} without one, or if
 *     not asked for
 * @param oldest event time of the waiting example that is due first; {@link #NO_TIME} likewise
 * @param settled number of examples with labels that can still be corrected
 */
public record LateState(
        long streamTime,
        long pending,
        long labels,
        long firstId,
        long nextId,
        List<Long> delays,
        long generation,
        long nextDue,
        long oldest,
        long settled) {
    /** Stream time before the first record. */
    public static final long NO_TIME = -1;

    /** State of a model that has never waited. */
    public static final LateState NONE = new LateState(NO_TIME, 0, 0, 0, 0, List.of(), 0);

    /** Numbers of a model without the times of its due list, which are not stored. */
    public LateState(
            long streamTime, long pending, long labels, long firstId, long nextId, List<Long> delays, long generation) {
        this(streamTime, pending, labels, firstId, nextId, delays, generation, NO_TIME, NO_TIME, 0);
    }

    /** Returns the same numbers with another number of examples that can be corrected. */
    public LateState withSettled(long count) {
        return new LateState(streamTime, pending, labels, firstId, nextId, delays, generation, nextDue, oldest, count);
    }

    /** Checks the numbers. */
    public LateState {
        if (streamTime < NO_TIME
                || pending < 0
                || labels < 0
                || firstId < 0
                || nextId < firstId
                || generation < 0
                || settled < 0) {
            throw new IllegalArgumentException("counts must not be negative, got stream time " + streamTime + ", "
                    + pending + " examples, " + labels + " labels, " + settled + " settled ones, ids from " + firstId
                    + " to " + nextId
                    + " and generation " + generation);
        }
        if (delays.size() > DelayHistogram.BUCKETS || delays.stream().anyMatch(count -> count < 0)) {
            throw new IllegalArgumentException("delays must be at most " + DelayHistogram.BUCKETS
                    + " counts that are not negative, got " + delays);
        }
    }
}
