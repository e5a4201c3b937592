package io.perceptronstreams.topology;

/**
 * Says when a checkpoint is due: an interval after the last one, or as soon as no more records come; but never so often that
 * checkpoints take more than a twentieth of the time.
 */
final class CheckpointTimer {
    /** A checkpoint that took a ms is followed by at least 19·a ms without one. */
    private static final int SHARE = 20;

    private final long intervalNanos;
    private long last;
    private long duration;

    CheckpointTimer(long intervalMs, long nanoTime) {
        this.intervalNanos = intervalMs * 1_000_000;
        this.last = nanoTime;
    }

    /**
     * Whether a checkpoint is due.
     *
     * @param isIdle whether no record has come for a while
     */
    boolean isDue(long nanoTime, boolean isIdle) {
        long passed = nanoTime - last;
        return passed >= (SHARE - 1) * duration && (isIdle || passed >= intervalNanos);
    }

    /** Notes a checkpoint. */
    void done(long startNanoTime, long endNanoTime) {
        last = endNanoTime;
        duration = endNanoTime - startNanoTime;
    }
}
