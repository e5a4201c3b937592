package io.perceptronstreams.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers under which the blocks of a model and of its shadows are stored.
 *
 * <p>A number is never reused, so blocks left under an ended epoch are never read.
 */
final class Epochs {
    private final List<Long> ended = new ArrayList<>();
    private long last;

    /** Returns an unused number. */
    long next() {
        return ++last;
    }

    /** Highest number ever used. */
    long last() {
        return last;
    }

    /** Restores the highest number ever used. */
    void restore(long newLast) {
        last = newLast;
    }

    /** Ends an epoch: its blocks can be removed. */
    void end(long epoch) {
        ended.add(epoch);
    }

    /** Returns the epochs that ended since the last call. */
    List<Long> takeEnded() {
        if (ended.isEmpty()) {
            return List.of();
        }
        List<Long> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }
}
