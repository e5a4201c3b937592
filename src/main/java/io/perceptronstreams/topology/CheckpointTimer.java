package io.perceptronstreams.topology;

/**
 * Decides when a checkpoint is due: an interval after the last one, or when no more records arrive and all statuses are
 * published. Checkpoints take at most a twentieth of the time, as measured by the shorter of the last two: one that waits for
 * brokers lasts as long as their outage, and the next one must not be nineteen outages later.
 */
final class CheckpointTimer {
    /** After checkpoints of a ms, the next one is due after at least 19·a ms. */
    private static final int SHARE = 20;

    private final long intervalNanos;
    private long last;
    private long duration;
    private long durationBefore;

    CheckpointTimer(long intervalMs, long nanoTime) {
        this.intervalNanos = intervalMs * 1_000_000;
        this.last = nanoTime;
    }

    /**
     * Returns true if a checkpoint is due.
     *
     * @param isQuiet true if no record has arrived since the last call, and no status is missing
     */
    boolean isDue(long nanoTime, boolean isQuiet) {
        long passed = nanoTime - last;
        return passed >= (SHARE - 1) * Math.min(duration, durationBefore) && (isQuiet || passed >= intervalNanos);
    }

    /** Records the start and end of a checkpoint. */
    void done(long startNanoTime, long endNanoTime) {
        last = endNanoTime;
        durationBefore = duration;
        duration = endNanoTime - startNanoTime;
    }
}
