package io.perceptronstreams.model;

/**
 * The numbers of {@link LateLabels}; what waits, and the ids, are in a {@link WaitingStore}.
 *
 * @param streamTime largest event time of the model's records, in ms; {@link #NO_TIME} before the first
 * @param pending number of waiting examples
 * @param labels number of waiting labels
 * @param firstId number of the first of the last ids
 * @param nextId number of the next id
 */
public record LateState(long streamTime, long pending, long labels, long firstId, long nextId) {
    /** Stream time before the first record. */
    public static final long NO_TIME = -1;

    /** State of a model that has never waited. */
    public static final LateState NONE = new LateState(NO_TIME, 0, 0, 0, 0);

    /** Checks the numbers. */
    public LateState {
        if (streamTime < NO_TIME || pending < 0 || labels < 0 || firstId < 0 || nextId < firstId) {
            throw new IllegalArgumentException("counts must not be negative, got stream time " + streamTime + ", "
                    + pending + " examples, " + labels + " labels and ids from " + firstId + " to " + nextId);
        }
    }
}
