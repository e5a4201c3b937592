package io.perceptronstreams.probability;

import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates the error of predictions whose labels are still out, by their probabilities, and keeps what became of each
 * estimate (the idea is that of confidence-based performance estimation, Białek et al. 2024).
 *
 * <p>Predictions that wait for labels fall into windows in their order, all of a record into the same. The estimate of
 * a window is the mean of 1 - p over its predictions, p the probability of the emitted label; it is made when the
 * window is full. When nine of ten of its labels are known, or will not come, it is compared with the error of those
 * that came. The estimate holds as far as the probabilities do: a concept that has changed since the last labels is
 * not seen. Cost: O(windows) per event, O(1) memory for each of the last {@value #MAX_WINDOWS} windows.
 * Not thread-safe.
 */
public final class ErrorEstimates {
    /** Number of windows that are kept. */
    public static final int MAX_WINDOWS = 20;

    /** Smallest number of predictions that fill a window. */
    static final int MIN_SIZE = 100;

    /** Number of known labels from which on predictions are in windows: earlier probabilities were hardly learned. */
    static final int MIN_LABELS = 100;

    /** A window has this fraction of the predictions so far. */
    private static final int FRACTION = 20;

    /** Least and largest number of compared windows, the last ones, that tell which errors are usual. */
    private static final int ENOUGH = 3;

    private static final int RECENT = 10;

    // made with the first one: most models have none
    private List<Window> windows = List.of();

    // All predictions so far that were in a window; those that wait, and the sum of their 1 - p, in millionths.
    private long predictions;
    private long waiting;
    private long risk;

    // Estimates that were compared with what they became, and their gaps in millionths.
    private long compared;
    private long gaps;
    private long worstGap;

    private boolean isOutside;

    // of the last prediction; not stored, because no record is continued after a restart
    private long lastOffset = -1;

    /**
     * Consecutive predictions that waited for labels.
     *
     * <p>The estimate does not change once the window is full; {@link #present} does with each label.
     */
    public static final class Window {
        // offset of the first one, which finds the window of a label; event times in ms
        private final long offset;
        private final long start;
        private long end;

        // number of predictions that fill it
        private long size;

        private long predictions;
        private long risk;
        private long out;
        private long outRisk;
        private long labelled;
        private long errors;
        private boolean isCompared;

        private Window(long offset, long start, long size) {
            this.offset = offset;
            this.start = start;
            this.end = start;
            this.size = size;
        }

        private boolean isFull() {
            return predictions >= size;
        }

        private void exchange(StoredFields fields) {
            end = fields.near(start, end);
            size = fields.unsigned(size);
            predictions = fields.unsigned(predictions);
            risk = fields.unsigned(risk);
            out = fields.unsigned(out);
            outRisk = fields.unsigned(outRisk);
            labelled = fields.unsigned(labelled);
            errors = fields.unsigned(errors);
            isCompared = fields.flag(isCompared);
        }

        /** Event time of the first prediction, in ms. */
        public long start() {
            return start;
        }

        /** Largest event time, in ms. */
        public long end() {
            return end;
        }

        public long predictions() {
            return predictions;
        }

        /** Predictions whose labels are out. */
        public long out() {
            return out;
        }

        /** Labels that came. */
        public long labelled() {
            return labelled;
        }

        /** Emitted labels that were wrong, of those. */
        public long errors() {
            return errors;
        }

        /** Expected share of errors, before any label came. */
        public double estimate() {
            return (double) risk / Outcome.UNIT / predictions;
        }

        /** Share of errors: known ones, and those expected of what is out; NaN if no label came and none is out. */
        public double present() {
            return (errors + (double) outRisk / Outcome.UNIT) / (labelled + out);
        }

        /** Share of errors of the labels that came; NaN without one. */
        public double error() {
            return (double) errors / labelled;
        }
    }

    /**
     * An estimate that is far from the errors that are known.
     *
     * @param estimate of the last full window
     * @param least smallest error of the last ten compared windows
     * @param most largest one
     */
    public record Outlier(double estimate, double least, double most) {}

    /**
     * Adds a prediction that waits for its label.
     *
     * @param offset of its record, which may have others
     * @param time event time, in ms
     * @param millionths probability of the emitted label
     * @param labelled number of labels that the model knows: predictions before the first hundred are in no window
     * @param tolerance by which an estimate may leave the range of the known errors; 0: by any
     * @return the estimate of a window that it fills, if that leaves the range and the one before did not; otherwise
     *     null
     */
    public Outlier predicted(long offset, long time, int millionths, long labelled, double tolerance) {
        waiting++;
        long more = (long) Outcome.UNIT - millionths;
        risk += more;
        // a label finds its window by the offset: one that began within a record would take those of the former one
        boolean isSameRecord = offset == lastOffset;
        lastOffset = offset;
        if (labelled < MIN_LABELS || (isSameRecord && windows.isEmpty())) {
            return null;
        }
        predictions++;
        Window last = windows.isEmpty() ? null : windows.get(windows.size() - 1);
        if (last == null || (last.isFull() && !isSameRecord)) {
            last = new Window(offset, time, Math.max(MIN_SIZE, predictions / FRACTION));
            own().add(last);
            if (windows.size() > MAX_WINDOWS) {
                windows.remove(0);
            }
        }
        last.end = Math.max(last.end, time);
        last.predictions++;
        last.risk += more;
        last.out++;
        last.outRisk += more;
        return last.predictions == last.size ? outlier(last, tolerance) : null;
    }

    private Outlier outlier(Window full, double tolerance) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        int known = 0;
        for (int k = windows.size() - 1; k >= 0 && known < RECENT; k--) {
            Window each = windows.get(k);
            if (each.isCompared) {
                known++;
                least = Math.min(least, each.error());
                most = Math.max(most, each.error());
            }
        }
        double estimate = full.estimate();
        boolean wasOutside = isOutside;
        isOutside = tolerance > 0 && known >= ENOUGH && (estimate > most + tolerance || estimate < least - tolerance);
        return isOutside && !wasOutside ? new Outlier(estimate, least, most) : null;
    }

    /**
     * Removes a prediction whose label has come.
     *
     * @param offset of its record
     * @param isError true if the emitted label was wrong
     */
    public void labelled(long offset, int millionths, boolean isError) {
        Window window = resolve(offset, millionths);
        if (window != null) {
            window.labelled++;
            window.errors += isError ? 1 : 0;
            compare(window);
        }
    }

    /**
     * Replaces the label of a prediction in its window; an estimate that was compared already stays compared as it was.
     *
     * @param offset of its record
     */
    public void corrected(long offset, boolean wasError, boolean isError) {
        Window window = window(offset);
        if (window != null && window.labelled > 0) {
            window.errors += (isError ? 1 : 0) - (wasError ? 1 : 0);
        }
    }

    /** Removes a prediction whose label will not come. */
    public void lost(long offset, int millionths) {
        Window window = resolve(offset, millionths);
        if (window != null) {
            compare(window);
        }
    }

    private Window resolve(long offset, int millionths) {
        long less = (long) Outcome.UNIT - millionths;
        waiting--;
        risk -= less;
        Window window = window(offset);
        if (window != null) {
            window.out--;
            window.outRisk -= less;
        }
        return window;
    }

    /** The window of the prediction for a record; null if it is in none that is kept. */
    private Window window(long offset) {
        for (int k = windows.size() - 1; k >= 0; k--) {
            if (windows.get(k).offset <= offset) {
                return windows.get(k);
            }
        }
        return null;
    }

    private void compare(Window window) {
        boolean isKnown = window.isFull() && window.labelled > 0 && 10 * window.out <= window.predictions;
        if (window.isCompared || !isKnown) {
            return;
        }
        window.isCompared = true;
        compared++;
        long gap = Math.round(Outcome.UNIT * Math.abs(window.estimate() - window.error()));
        gaps += gap;
        worstGap = Math.max(worstGap, gap);
    }

    /** Returns true if no prediction waits, and none was in a window. */
    public boolean isEmpty() {
        return predictions == 0 && waiting == 0;
    }

    /** Predictions whose labels are out. */
    public long waiting() {
        return waiting;
    }

    /** Expected number of errors of these. */
    public double expectedErrors() {
        return (double) risk / Outcome.UNIT;
    }

    private List<Window> own() {
        if (windows.isEmpty()) {
            windows = new ArrayList<>();
        }
        return windows;
    }

    /** The last windows, the last of which may not be full. */
    public List<Window> windows() {
        return List.copyOf(windows);
    }

    /** Estimates that were compared with what they became. */
    public long compared() {
        return compared;
    }

    /** Mean distance of these from what they became; NaN without one. */
    public double meanGap() {
        return (double) gaps / Outcome.UNIT / compared;
    }

    /** Largest one. */
    public double worstGap() {
        return (double) worstGap / Outcome.UNIT;
    }

    /** Estimated heap of what grows, in bytes. */
    public long heapBytes() {
        return 112L * windows.size();
    }

    /** Begins again with the next prediction; what waits goes on waiting. */
    public void beginAgain() {
        windows = List.of();
        predictions = 0;
        compared = 0;
        gaps = 0;
        worstGap = 0;
        isOutside = false;
    }

    /** Forgets all, because what waited was forgotten, too. */
    public void clear() {
        waiting = 0;
        risk = 0;
        beginAgain();
    }

    /** Writes or restores all. */
    public void exchange(StoredFields fields) {
        if (!fields.flag(!isEmpty())) {
            return;
        }
        predictions = fields.unsigned(predictions);
        waiting = fields.unsigned(waiting);
        risk = fields.unsigned(risk);
        compared = fields.unsigned(compared);
        gaps = fields.unsigned(gaps);
        worstGap = fields.unsigned(worstGap);
        isOutside = fields.flag(isOutside);
        int count = fields.upTo(MAX_WINDOWS, windows.size());
        long near = 0;
        for (int k = 0; k < count; k++) {
            Window given = fields.isReading() ? new Window(0, 0, 0) : windows.get(k);
            long offset = fields.signed(given.offset);
            near = fields.near(near, given.start);
            Window window = fields.isReading() ? new Window(offset, near, 0) : given;
            window.exchange(fields);
            if (fields.isReading()) {
                own().add(window);
            }
        }
    }
}
