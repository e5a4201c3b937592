package io.perceptronstreams.drift;

/**
 * Drift settings of a model: the detector and the action after an alarm.
 *
 * @param delta ADWIN: probability of a false cut; Page-Hinkley: tolerated rise of the error rate; NaN: the detector's
 *     default
 * @param threshold DDM: standard deviations above the minimum error rate; Page-Hinkley: excess errors; NaN: the
 *     detector's default
 * @param window labelled examples of which the trial of a shadow takes half before it compares, and ten times as many
 *     at most
 */
public record DriftSettings(Detector detector, double delta, double threshold, Action action, int window) {
    /** No drift detection. */
    public static final DriftSettings NONE = new DriftSettings(Detector.NONE, Double.NaN, Double.NaN, Action.NONE, 100);

    // A takeover by an equally good shadow costs little, and a late one after a drift costs much.
    private static final double ALPHA = 0.2;
    private static final int LIMIT = 10;

    /** Drift detectors. */
    public enum Detector {
        NONE,
        DDM,
        PAGE_HINKLEY,
        ADWIN;

        /** Returns true if the detector has a parameter delta. */
        public boolean hasDelta() {
            return this == PAGE_HINKLEY || this == ADWIN;
        }

        /** Returns true if the detector has a threshold. */
        public boolean hasThreshold() {
            return this == DDM || this == PAGE_HINKLEY;
        }
    }

    /** Actions after an alarm, besides an alert. */
    public enum Action {
        NONE,
        /** Resets weights and counts, as the command RESET does. */
        RESET,
        /** Starts a second learner, which takes over if it performs better. */
        SHADOW
    }

    /** Creates the detector; null if there is none. */
    public DriftDetector create() {
        return switch (detector) {
            case NONE -> null;
            case DDM -> new Ddm(or(threshold, Ddm.DEFAULT_THRESHOLD));
            case PAGE_HINKLEY ->
                new PageHinkley(or(delta, PageHinkley.DEFAULT_DELTA), or(threshold, PageHinkley.DEFAULT_THRESHOLD));
            case ADWIN -> new Adwin(or(delta, Adwin.DEFAULT_DELTA));
        };
    }

    /** Rules of the trial between a shadow and the current learner. */
    public Trial.Rules trial() {
        return new Trial.Rules(window / 2, 1, Trial.Growth.LINEAR, ALPHA, (long) LIMIT * window);
    }

    /** Returns true if {@code other} creates the same detector. */
    public boolean isSameDetector(DriftSettings other) {
        return detector == other.detector
                && Double.compare(delta, other.delta) == 0
                && Double.compare(threshold, other.threshold) == 0;
    }

    private static double or(double value, double standard) {
        return Double.isNaN(value) ? standard : value;
    }
}
