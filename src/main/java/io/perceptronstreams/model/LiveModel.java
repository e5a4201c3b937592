package io.perceptronstreams.model;

/** A model in memory, with its name and its place in the log; a {@link Models} may add to it. Not thread-safe. */
public class LiveModel {
    /** The position of a model to which no record has been applied. */
    public static final long NO_POSITION = -1;

    private static final int CHANGES_PER_MEASUREMENT = 64;

    private final byte[] name;
    private final Model model;
    private long position;
    private long lastSeen;
    private boolean isChanged;
    private PendingStatuses.Pending pendingStatus;
    private int changesUntilMeasured;
    private long heapBytes;

    /**
     * A model under its name.
     *
     * @param name in UTF-8; owned by this object
     * @param position offset of the last record that was applied, or {@link #NO_POSITION}
     * @param lastSeen stream time at that record in ms, -1 if unknown
     */
    public LiveModel(byte[] name, Model model, long position, long lastSeen) {
        this.name = name;
        this.model = model;
        this.position = position;
        this.lastSeen = lastSeen;
    }

    /** The record key: the model's name in UTF-8. Not to be changed. */
    public final byte[] name() {
        return name;
    }

    public final Model model() {
        return model;
    }

    /** Offset of the last record of the input partition that has been applied to the model. */
    public final long position() {
        return position;
    }

    /** Stream time at that record: the largest event time that its partition had by then, in ms; -1 if unknown. */
    public final long lastSeen() {
        return lastSeen;
    }

    /** Whether the model has changed since it was last written. */
    public final boolean isChanged() {
        return isChanged;
    }

    /**
     * Notes that a record has been applied.
     *
     * @return whether the model had not changed since it was last written
     */
    public final boolean markChanged(InputRecord record) {
        position = record.offset();
        lastSeen = record.streamTime();
        boolean isFirst = !isChanged;
        isChanged = true;
        return isFirst;
    }

    /** Notes that the model has been written as it is. */
    public final void markWritten() {
        isChanged = false;
    }

    /** What the last status of the model lacks; null for nothing. */
    final PendingStatuses.Pending pendingStatus() {
        return pendingStatus;
    }

    final void setPendingStatus(PendingStatuses.Pending pending) {
        pendingStatus = pending;
    }

    /** Whether the model has changed so often since it was last measured that {@link #heapGrowth} is due. */
    public final boolean isMeasurementDue() {
        return --changesUntilMeasured < 0;
    }

    /** Measures the model and returns by how many bytes it has grown since the last time. */
    public final long heapGrowth() {
        changesUntilMeasured = CHANGES_PER_MEASUREMENT;
        long before = heapBytes;
        heapBytes = model.heapBytes();
        return heapBytes - before;
    }

    /** Bytes of heap, as last measured. */
    public final long heapBytes() {
        return heapBytes;
    }
}
