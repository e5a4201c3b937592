package io.perceptronstreams.drift;

/**
 * Which detector watches a model, and what follows from its alarms.
 *
 * @param delta for ADWIN how probable a false cut may be, for Page-Hinkley a rise of the error rate that is put up with; NaN: the
 *     detector's own default
 * @param threshold for DDM how many deviations above its best the error rate must be, for Page-Hinkley how many errors too many; NaN:
 *     the detector's own default
 * @param window labelled examples in a round in which a shadow is compared with the present learner
 */
public record DriftSettings(Detector detector, double delta, double threshold, Action action, int window) {
    /** Nothing is watched. */
    public static final DriftSettings NONE = new DriftSettings(Detector.NONE, Double.NaN, Double.NaN, Action.NONE, 100);

    /** How drift is detected. */
    public enum Detector {
        NONE,
        DDM,
        PAGE_HINKLEY,
        ADWIN;

        /** Whether it has a parameter delta. */
        public boolean hasDelta() {
            return this == PAGE_HINKLEY || this == ADWIN;
        }

        /** Whether it has a threshold. */
        public boolean hasThreshold() {
            return this == DDM || this == PAGE_HINKLEY;
        }
    }

    /** What follows from an alarm, besides an alert. */
    public enum Action {
        NONE,
        /** The model forgets what it learned and counted, as by the command RESET. */
        RESET,
        /** A second learner begins beside the present one, and takes over if it proves better. */
        SHADOW
    }

    /** A new detector, or null where there is to be none. */
    public DriftDetector create() {
        return switch (detector) {
            case NONE -> null;
            case DDM -> new Ddm(or(threshold, Ddm.DEFAULT_THRESHOLD));
            case PAGE_HINKLEY ->
                new PageHinkley(or(delta, PageHinkley.DEFAULT_DELTA), or(threshold, PageHinkley.DEFAULT_THRESHOLD));
            case ADWIN -> new Adwin(or(delta, Adwin.DEFAULT_DELTA));
        };
    }

    /** Whether {@code other} creates the same detector. */
    public boolean isSameDetector(DriftSettings other) {
        return detector == other.detector
                && Double.compare(delta, other.delta) == 0
                && Double.compare(threshold, other.threshold) == 0;
    }

    private static double or(double value, double standard) {
        return Double.isNaN(value) ? standard : value;
    }
}
