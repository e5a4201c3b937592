package io.perceptronstreams.topology;

/**
 * Decides when a slice of a checkpoint is due: when the oldest change that is not written is older than an interval, or when no more
 * records arrive and all statuses are published. Slices take at most a twentieth of the time, as measured by the shorter of the last
 * two: one that waits for brokers lasts as long as their outage, and the next one must not be nineteen outages later.
 */
final class CheckpointTimer {
    /** After slices of a ns, the next one is due after at least 19·a ns. */
    private static final int SHARE = 20;

    private final long intervalNanos;
    private long last;
    private long oldest;
    private long duration;
    private long durationBefore;

    CheckpointTimer(long intervalMs, long nanoTime) {
        this.intervalNanos = intervalMs * 1_000_000;
        this.last = nanoTime;
        this.oldest = nanoTime;
    }

    /**
     * Returns true if a slice is due.
     *
     * @param isQuiet true if no record has arrived since the last call, and no status is missing
     */
    boolean isDue(long nanoTime, boolean isQuiet) {
        return nanoTime - last >= (SHARE - 1) * Math.min(duration, durationBefore)
                && (isQuiet || nanoTime - oldest >= intervalNanos);
    }

    /**
     * Records a slice.
     *
     * @param age at the end, of the oldest change that is not written, in ns; 0 if all are written
     */
    void done(long startNanoTime, long endNanoTime, long age) {
        last = endNanoTime;
        oldest = endNanoTime - age;
        durationBefore = duration;
        duration = endNanoTime - startNanoTime;
    }
}
