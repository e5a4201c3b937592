package io.perceptronstreams.model;

/**
 * The counting window of a model: an interval of event time, [start, end), and its counts.
 *
 * <p>Windows are aligned to multiples of their length. The first example opens one. An example at or after the end
 * closes it and opens the window of its own time; empty windows are skipped. A late example counts in the open window.
 */
public final class CountingWindow {
    private final Counts counts = new Counts();
    private boolean isOpen;
    private long start;
    private long end;
    private Closed closed;

    /**
     * Counts of a closed window and the totals at its end.
     *
     * @param start event time in ms
     * @param end event time in ms, exclusive
     */
    public record Closed(long start, long end, Counts counts, Counts totals) {}

    void moveTo(long timestamp, long length, Counts totals) {
        if (isOpen && timestamp < end) {
            return;
        }
        close(totals);
        isOpen = true;
        start = Math.floorDiv(timestamp, length) * length;
        end = start + length;
    }

    void close(Counts totals) {
        if (isOpen && !counts.isEmpty()) {
            closed = new Closed(start, end, counts.copy(), totals.copy());
        }
        counts.clear();
        isOpen = false;
    }

    /** Returns the window that was closed since the last call, or null. */
    public Closed pollClosed() {
        Closed taken = closed;
        closed = null;
        return taken;
    }

    /** Counts of the open window. */
    public Counts counts() {
        return counts;
    }

    public boolean isOpen() {
        return isOpen;
    }

    /** Event time in ms. */
    public long start() {
        return start;
    }

    /** Event time in ms, exclusive. */
    public long end() {
        return end;
    }

    /** Restores a stored window; its counts are restored separately. */
    public void restore(boolean isOpen, long start, long end) {
        this.isOpen = isOpen;
        this.start = start;
        this.end = end;
    }
}
