package io.perceptronstreams.monitor;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory of the answer to one request, counted together with all answers that are not sent yet.
 *
 * <p>The budget has two holders, the request and the thread that answers it, because a connection may end before its
 * answer is complete. The bytes are returned when both have released it; afterwards none are taken, because a
 * prediction that comes after the time-out is not sent. Thread-safe.
 */
public final class AnswerBudget {
    /** For an answer that is bounded in another way. */
    public static final AnswerBudget UNLIMITED = new AnswerBudget(0, null, 0);

    private final long max;
    private final AtomicLong all;
    private final long maxOfAll;
    private long taken;
    private int holders = 2;

    /**
     * Creates a budget from which nothing is taken.
     *
     * @param max maximum number of bytes of this answer
     * @param all bytes of all answers that are not sent yet; null for no limit
     * @param maxOfAll maximum of {@code all}
     */
    AnswerBudget(long max, AtomicLong all, long maxOfAll) {
        this.max = max;
        this.all = all;
        this.maxOfAll = maxOfAll;
    }

    /**
     * Takes bytes for a part of the answer.
     *
     * @return null; or why the bytes are not there, in which case nothing is taken
     */
    public String take(long bytes) {
        try {
            require(bytes);
            return null;
        } catch (RefusedException e) {
            return e.getMessage();
        }
    }

    /**
     * Like {@link #take}, but throws: status 413 for one answer that is too large, 429 for too many at the same time.
     */
    synchronized void require(long bytes) {
        if (all == null || holders == 0) {
            return;
        }
        if (taken + bytes > max) {
            throw exceeded(413, "an answer must have at most " + max);
        }
        if (all.addAndGet(bytes) > maxOfAll) {
            all.addAndGet(-bytes);
            throw exceeded(429, "answers at the same time must have at most " + maxOfAll);
        }
        taken += bytes;
    }

    private static RefusedException exceeded(int status, String rule) {
        return new RefusedException(
                status, rule + " bytes, got more (ask for fewer examples; predict.scores=5 limits the scores of each)");
    }

    /** Returns what was taken, because the answer begins again. */
    synchronized void clear() {
        if (all != null) {
            all.addAndGet(-taken);
            taken = 0;
        }
    }

    /** To be called once by each holder. */
    synchronized void release() {
        if (--holders == 0) {
            clear();
        }
    }
}
