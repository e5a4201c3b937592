package io.perceptronstreams.model;

import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.state.StoredFields;

/**
 * A model's last status and example, size of its last snapshot, and named snapshots, which are kept by resets, to
 * remove old chunks; and the number of rerouted records in its epoch.
 */
public final class Publications {
    private static final long STATUS_MS = 1_000;

    // many models with an example now and then would otherwise send a status for each
    private static final int STATUS_RECORDS = 10;

    private long rerouted;
    private int chunks;
    private Versions versions = Versions.NONE;
    private long statusTime;
    private long lastExample = LateState.NO_TIME;
    private boolean isStatusPending;
    private long pendingTime;

    /**
     * Returns true if the status must be published because of the time since the last example in the last status. Only
     * each tenth example or late label of the epoch asks for the time.
     *
     * @param timestamp event time of the current record, in ms; that of one that was refused is no example's
     * @param records number of examples and late labels of the epoch
     */
    boolean isStatusDue(long timestamp, long records) {
        return records % STATUS_RECORDS == 0 && Math.min(timestamp, lastExample) >= statusTime + STATUS_MS;
    }

    /**
     * Notes that a status was published. Its time is that of the last example: a command, which is of now, may follow
     * examples of the past.
     */
    public void markStatus() {
        statusTime = lastExample;
    }

    /** Event time of the last example in the last published status, in ms; 0 before the first. */
    public long statusTime() {
        return statusTime;
    }

    /** Notes the event time of an example or label that was applied to the model, in ms. */
    public void markExample(long timestamp) {
        lastExample = Math.max(lastExample, timestamp);
    }

    /**
     * Largest event time of the examples and labels of the model, in ms; {@link LateState#NO_TIME} before the first.
     */
    public long lastExample() {
        return lastExample;
    }

    /** Writes or restores the time of the last example, which {@link #exchange} leaves out: a challenger has none. */
    public void exchangeLastExample(StoredFields fields, long lastSeen) {
        lastExample = fields.near(lastSeen, lastExample);
    }

    /** Returns true if records were applied to the model that no published status contains. */
    public boolean isStatusPending() {
        return isStatusPending;
    }

    /** Event time of the last record that no published status contains, in ms. */
    public long pendingTime() {
        return pendingTime;
    }

    /** Notes that a record was applied to the model that no published status contains. */
    public void markPending(long timestamp) {
        isStatusPending = true;
        pendingTime = timestamp;
    }

    /** Notes that a published status contains all records that were applied to the model. */
    public void markPublished() {
        isStatusPending = false;
    }

    /** Counts a record that was sent on from a wrong partition. */
    public void countRerouted() {
        rerouted++;
    }

    /** Number of records that were sent on from a wrong partition. */
    public long rerouted() {
        return rerouted;
    }

    /** Forgets the examples, because the model is deleted. */
    void forgetExamples() {
        lastExample = LateState.NO_TIME;
    }

    void beginEpoch() {
        rerouted = 0;
    }

    /** Writes or restores counts and time, but not whether a status is pending. */
    public void exchange(StoredFields fields, long lastSeen) {
        rerouted = fields.unsigned(rerouted);
        chunks = (int) fields.signed(chunks);
        statusTime = fields.near(lastSeen, statusTime);
    }

    /** Number of chunks of the last published snapshot; 0 before the first. */
    public int chunks() {
        return chunks;
    }

    /** Sets the number of chunks of the last published snapshot. */
    public void markSnapshot(int newChunks) {
        chunks = newChunks;
    }

    /** The named snapshots. */
    public Versions versions() {
        return versions;
    }

    /** Sets the named snapshots. */
    public void setVersions(Versions newVersions) {
        versions = newVersions;
    }

    /** Writes or restores the named snapshots, which {@link #exchange} leaves out: a challenger has none. */
    public void exchangeVersions(StoredFields fields) {
        versions = versions.exchange(fields);
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return versions.heapBytes();
    }
}
