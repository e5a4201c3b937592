package io.perceptronstreams.model;

import java.util.function.Supplier;

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
     * What is known of the model when a window is closed.
     *
     * @param totals counts of the epoch; not changed later
     * @param metrics of the window
     * @param totalMetrics of the epoch
     */
    public record AtEnd(Counts totals, ClassMetrics metrics, ClassMetrics totalMetrics) {}

    /**
     * A closed window.
     *
     * @param start event time in ms
     * @param end event time in ms, exclusive
     */
    public record Closed(long start, long end, Counts counts, AtEnd atEnd) {
        public Counts totals() {
            return atEnd.totals();
        }
    }

    /** Returns true if an example at this time counts in the open window. */
    boolean covers(long timestamp) {
        return isOpen && timestamp < end;
    }

    /** Closes the open window, and opens that of a time. */
    void moveTo(long timestamp, long length, Supplier<AtEnd> atEnd) {
        if (covers(timestamp)) {
            return;
        }
        close(atEnd);
        isOpen = true;
        start = Math.floorDiv(timestamp, length) * length;
        end = start + length;
    }

    void close(Supplier<AtEnd> atEnd) {
        if (isOpen && !counts.isEmpty()) {
            closed = new Closed(start, end, counts.copy(), atEnd.get());
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
