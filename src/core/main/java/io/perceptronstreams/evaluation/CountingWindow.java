package io.perceptronstreams.evaluation;

import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.state.StoredFields;
import java.util.List;
import java.util.function.Supplier;

/**
 * The counting window of a model: an interval of event time, [start, end), and its counts.
 *
 * <p>Windows are aligned to multiples of their length. The first example opens one. An example at or after the end
 * closes it and opens the window of its own time; empty windows are skipped. A late example counts in the open window.
 *
 * <p>A window that has enough examples ends early, with the time of the last one; the next window is the rest of the
 * interval. It begins in the millisecond in which the former one ended, because more examples may have that time.
 *
 * <p>With {@link Length#AUTO} a window goes on, length by length, until it has enough examples to end: it follows the
 * rate of the stream in both directions. Windows of one epoch never overlap, also if times come in any order, but those
 * that begin after another length was set may.
 */
public final class CountingWindow {
    private final Counts counts = new Counts();
    private boolean isOpen;
    private long start;
    private long end;

    /**
     * Length of windows.
     *
     * @param ms in ms of event time; windows are aligned to its multiples
     * @param least number of examples or labels that a window must have to end by the time; one with fewer goes on
     */
    public record Length(long ms, long least) {
        /** 10 s where these have 100 examples, otherwise as many times 10 s as it takes. */
        public static final Length AUTO = new Length(10_000, 100);

        /** A fixed length. */
        public static Length of(long ms) {
            return new Length(ms, 0);
        }

        private long start(long timestamp) {
            return Math.floorDiv(timestamp, ms) * ms;
        }

        private long end(long timestamp) {
            return start(timestamp) + ms;
        }
    }

    /**
     * State of the model when a window is closed.
     *
     * @param totals counts of what was emitted; not changed later
     * @param ofWeights counts of the weights; the same object if no other weights have predicted
     * @param metrics of the window
     * @param totalMetrics of what was emitted
     * @param reliability of what was emitted
     * @param since offset of the record with which totals began; -1 if unknown
     * @param epoch of the model
     * @param learner of the epoch; it has learned the record that closed the window
     */
    public record AtEnd(
            Counts totals,
            Counts ofWeights,
            ClassMetrics metrics,
            ClassMetrics totalMetrics,
            List<Reliability.Range> reliability,
            long since,
            long epoch,
            Learner learner) {}

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
    public boolean covers(long timestamp) {
        return isOpen && timestamp < end;
    }

    /** Number of examples or, where they come late, of labels in the open window. */
    public long size() {
        return Math.max(counts.examples(), counts.labelled());
    }

    /**
     * Opens the window of a time, or lengthens the open one, unless that covers it; returns the window closed by it, or
     * null.
     */
    public Closed moveTo(long timestamp, Length length, Supplier<AtEnd> atEnd) {
        if (covers(timestamp)) {
            return null;
        }
        if (isOpen && size() < length.least && !counts.isEmpty()) {
            end = length.end(timestamp);
            return null;
        }
        Closed closed = close(atEnd);
        isOpen = true;
        start = length.start(timestamp);
        end = length.end(timestamp);
        return closed;
    }

    /** Closes the open window; returns null if nothing was counted in it. */
    public Closed close(Supplier<AtEnd> atEnd) {
        Closed closed = isOpen && !counts.isEmpty() ? new Closed(start, end, counts.copy(), atEnd.get()) : null;
        counts.clear();
        isOpen = false;
        return closed;
    }

    /** Closes the open window with the example of a time, and opens the rest of its interval. */
    public Closed endWith(long timestamp, Length length, Supplier<AtEnd> atEnd) {
        // a late example, and one of an earlier window, must not make an end before the start
        long last = Math.max(start, Math.min(timestamp, end - 1));
        Closed closed = new Closed(start, last + 1, counts.copy(), atEnd.get());
        counts.clear();
        start = last;
        if (length.least > 0) {
            // the window may have been lengthened to a time that is far ahead of this one
            end = length.end(last);
        }
        return closed;
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

    /**
     * Writes or restores the window.
     *
     * @param isWhole false without what is counted of probabilities and sets
     */
    public void exchange(StoredFields fields, long lastSeen, boolean isWhole) {
        isOpen = fields.flag(isOpen);
        start = fields.near(lastSeen, start);
        end = fields.near(start, end);
        counts.exchange(fields, isWhole);
    }

    /** Restores a stored window; its counts are restored separately. */
    public void restore(boolean isOpen, long start, long end) {
        this.isOpen = isOpen;
        this.start = start;
        this.end = end;
    }
}
