package io.perceptronstreams.model;

/** A model in memory, with its name and its position in the log; a {@link Models} may extend it. Not thread-safe. */
public class LiveModel {
    /** The position of a model to which no record has been applied. */
    public static final long NO_POSITION = -1;

    // a young model grows with nearly every example
    private static final int MAX_CHANGES_PER_MEASUREMENT = 64;

    private final byte[] name;
    private Model model;
    private long position;
    private long lastSeen;
    private boolean isChanged;
    private PendingStatuses.Pending pendingStatus;
    private int changesUntilMeasured;
    private int changesPerMeasurement = 1;
    private long heapBytes;

    /**
     * Creates a model with a name.
     *
     * @param name in UTF-8; owned by this object
     * @param position offset of the last applied record, or {@link #NO_POSITION}
     * @param lastSeen stream time at that record in ms, -1 if unknown
     */
    public LiveModel(byte[] name, Model model, long position, long lastSeen) {
        this.name = name;
        this.model = model;
        this.position = position;
        this.lastSeen = lastSeen;
    }

    /** The record key: the model's name in UTF-8. Callers must not change it. */
    public final byte[] name() {
        return name;
    }

    public final Model model() {
        return model;
    }

    /** Sets the object of the model, which has the state of the last one; null while the state has another form. */
    protected final void setModel(Model same) {
        model = same;
    }

    /** Offset of the last record of the input partition that was applied to the model. */
    public final long position() {
        return position;
    }

    /** Stream time at that record, in ms; -1 if unknown. */
    public final long lastSeen() {
        return lastSeen;
    }

    /** Returns true if the model has changed since it was last written. */
    public final boolean isChanged() {
        return isChanged;
    }

    /**
     * Marks the model changed by a record.
     *
     * @return true if the model had not changed since it was last written
     */
    public final boolean markChanged(InputRecord record) {
        position = record.offset();
        lastSeen = record.streamTime();
        return markChanged();
    }

    /**
     * Marks the model changed without a record.
     *
     * @return true if the model had not changed since it was last written
     */
    public final boolean markChanged() {
        boolean isFirst = !isChanged;
        isChanged = true;
        return isFirst;
    }

    /** Marks the model written in its current state. */
    public final void markWritten() {
        isChanged = false;
    }

    /** Status that is still to be sent; null if there is none. */
    final PendingStatuses.Pending pendingStatus() {
        return pendingStatus;
    }

    final void setPendingStatus(PendingStatuses.Pending pending) {
        pendingStatus = pending;
    }

    /** Counts a change; returns true if enough changes have been made to call {@link #heapGrowth}. */
    public final boolean isMeasurementDue() {
        return --changesUntilMeasured <= 0;
    }

    /** Measures the model; returns its growth since the last measurement, in bytes. */
    public final long heapGrowth() {
        changesUntilMeasured = changesPerMeasurement;
        changesPerMeasurement = Math.min(MAX_CHANGES_PER_MEASUREMENT, 2 * changesPerMeasurement);
        long before = heapBytes;
        heapBytes = measured();
        return heapBytes - before;
    }

    /** Estimated heap, in bytes. */
    protected long measured() {
        return model.heapBytes();
    }

    /** Heap at the last measurement, in bytes. */
    public final long heapBytes() {
        return heapBytes;
    }
}
