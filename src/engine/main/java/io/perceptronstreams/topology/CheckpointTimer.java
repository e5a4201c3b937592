package io.perceptronstreams.topology;

/**
 * Decides when a slice of a checkpoint is due: when the oldest change that is not written is older than an interval, or
 * when no more records arrive and all statuses are published.
 *
 * <p>Slices take at most a twentieth of the time: of a slice counts the processor time, or, if that is longer, the time
 * of the shorter one of the last two. One that waits for brokers lasts as long as their outage, and the next one must
 * not be nineteen outages later.
 */
final class CheckpointTimer {
    /** After a slice of a ns, the next one is due after at least 19·a ns. */
    private static final int SHARE = 20;

    /** Longer ones would be seen in the latency of predictions. */
    private static final long MAX_SLICE_NANOS = 25_000_000;

    private static final long MIN_SLICE_NANOS = 1_000_000;

    private final long intervalNanos;
    private long last;
    private long oldest;
    private long duration;
    private long pause;

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
        return nanoTime - last >= pause && (isQuiet || nanoTime - oldest >= intervalNanos);
    }

    /** Time for a slice that begins now: a twentieth of the time with the pause before it, from 1 to 25 ms. */
    long sliceNanos(long nanoTime) {
        return Math.max(MIN_SLICE_NANOS, Math.min(MAX_SLICE_NANOS, (nanoTime - last) / (SHARE - 1)));
    }

    /**
     * Records a slice.
     *
     * @param cpuNanos processor time
     * @param age at the end, of the oldest change that is not written, in ns; 0 if all are written
     */
    void done(long startNanoTime, long endNanoTime, long cpuNanos, long age) {
        last = endNanoTime;
        oldest = endNanoTime - age;
        long durationBefore = duration;
        duration = endNanoTime - startNanoTime;
        pause = (SHARE - 1) * Math.max(cpuNanos, Math.min(duration, durationBefore));
    }
}
