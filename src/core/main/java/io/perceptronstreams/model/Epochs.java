package io.perceptronstreams.model;

import java.util.function.LongConsumer;

/**
 * The numbers under which the blocks of a model and of its challengers are stored.
 *
 * <p>A number is never reused, so blocks left under an ended epoch are never read.
 */
final class Epochs {
    private final LongConsumer ended;
    private long last;

    /** @param ended receives epochs whose blocks can be removed */
    Epochs(LongConsumer ended) {
        this.ended = ended;
    }

    /** Returns an unused number; must be called only where nothing can fail any more. */
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

    void end(long epoch) {
        ended.accept(epoch);
    }
}
