package io.perceptronstreams.model;

/** What was published of one model, and when; outlives resets, so that what is out of date is replaced or removed. */
public final class Publications {
    private static final long STATUS_MS = 1_000;

    private int chunks;
    private long statusTime;

    /**
     * Whether the status is to be published though nothing but time has passed since the last one.
     *
     * @param timestamp event time of the present example, in ms
     */
    public boolean isStatusDue(long timestamp) {
        return timestamp >= statusTime + STATUS_MS;
    }

    /**
     * Notes that the status is published.
     *
     * @param timestamp event time in ms
     */
    public void markStatus(long timestamp) {
        statusTime = timestamp;
    }

    /** Event time of the last published status, in ms; 0 before the first. */
    public long statusTime() {
        return statusTime;
    }

    /** How many chunks the last published snapshot of the weights had; 0 before the first. */
    public int chunks() {
        return chunks;
    }

    /** Notes that a snapshot of so many chunks is published. */
    public void markSnapshot(int newChunks) {
        chunks = newChunks;
    }
}
