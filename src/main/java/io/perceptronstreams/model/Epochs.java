package io.perceptronstreams.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers under which the blocks of a model and of its shadows are stored.
 *
 * <p>None is ever used twice: what is still stored under one that has ended is never read again.
 */
final class Epochs {
    private final List<Long> ended = new ArrayList<>();
    private long last;

    /** A number that was never used. */
    long next() {
        return ++last;
    }

    /** The highest number ever used. */
    long last() {
        return last;
    }

    /** Takes back the highest number ever used. */
    void restore(long newLast) {
        last = newLast;
    }

    /** Notes that what is stored under {@code epoch} is of no use any more. */
    void end(long epoch) {
        ended.add(epoch);
    }

    /** Those that have ended since the last call. */
    List<Long> takeEnded() {
        if (ended.isEmpty()) {
            return List.of();
        }
        List<Long> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }
}
