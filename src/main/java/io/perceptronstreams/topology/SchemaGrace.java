package io.perceptronstreams.topology;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decides how long the engine waits for a schema id that the registry does not have.
 *
 * <p>A registry that replicates another one may not have a new id yet. The wait starts when the id is first missed and
 * is the same for all partitions of a process; an interrupted wait is resumed, not repeated. After a wait in vain the id
 * gets no other one, and no other id gets one for {@value #PAUSE} times as long: records with many unknown ids must not
 * stop a partition.
 *
 * <p>Thread-safe.
 */
final class SchemaGrace {
    /** After a wait in vain, other ids get none for this multiple of its length. */
    static final int PAUSE = 10;

    private static final int MAX_IDS = 1000;

    private final long graceNanos;
    private final LongSupplier nanoTime;

    /** By id; the eldest are forgotten. */
    private final Map<Integer, Wait> waits = new LinkedHashMap<>();

    private boolean isPaused;
    private long pauseEnd;

    private static final class Wait {
        private final long end;
        private boolean isOver;

        Wait(long end) {
            this.end = end;
        }
    }

    /**
     * Creates the waits of a process.
     *
     * @param graceNanos longest wait for an id; 0: none
     */
    SchemaGrace(long graceNanos, LongSupplier nanoTime) {
        this.graceNanos = graceNanos;
        this.nanoTime = nanoTime;
    }

    /** Returns the rest of the wait for an id that the registry does not have, in ns, or 0 if its records are refused. */
    synchronized long left(int id) {
        // no registry gives a negative id
        if (graceNanos == 0 || id < 0) {
            return 0;
        }
        long now = nanoTime.getAsLong();
        Wait wait = waits.get(id);
        if (wait == null) {
            isPaused = isPaused && pauseEnd - now > 0;
            if (isPaused) {
                return 0;
            }
            if (waits.size() == MAX_IDS) {
                waits.remove(waits.keySet().iterator().next());
            }
            wait = new Wait(now + graceNanos);
            waits.put(id, wait);
        }
        long left = wait.end - now;
        if (left <= 0 && !wait.isOver) {
            wait.isOver = true;
            isPaused = true;
            pauseEnd = now + PAUSE * graceNanos;
        }
        return wait.isOver ? 0 : left;
    }
}
