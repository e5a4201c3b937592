package io.perceptronstreams.topology;

/**
 * Decides when a checkpoint is due: an interval after the last one, or when no more records arrive and all statuses are
 * published. Checkpoints take at most a twentieth of the time.
 */
final class CheckpointTimer {
    /** After a checkpoint of a ms, the next one is due after at least 19·a ms. */
    private static final int SHARE = 20;

    private final long intervalNanos;
    private long last;
    private long duration;

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
        return passed >= (SHARE - 1) * duration && (isQuiet || passed >= intervalNanos);
    }

    /** Records the start and end of a checkpoint. */
    void done(long startNanoTime, long endNanoTime) {
        last = endNanoTime;
        duration = endNanoTime - startNanoTime;
    }
}
