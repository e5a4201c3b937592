package io.perceptronstreams.monitor;

/**
 * Memory of the answer to one request, counted against that of all answers that are not sent yet.
 *
 * <p>The budget has two holders, the request and the thread that answers it, because a connection may end before its
 * answer is complete. The bytes are returned when both have released it; afterwards none are taken, because a prediction that
 * comes after the time-out is not sent. Thread-safe.
 */
public final class AnswerBudget {
    /** For an answer that is bounded in another way. */
    public static final AnswerBudget UNLIMITED = new AnswerBudget(null, Long.MAX_VALUE);

    private final WriteLimits all;
    private final long max;
    private long taken;
    private int holders = 2;

    /** An answer would need more bytes than are left. */
    static final class ExceededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        ExceededException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** HTTP status: 413 for one answer that is too large, 429 for too many at the same time. */
        int status() {
            return status;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /**
     * Creates a budget from which nothing is taken.
     *
     * @param all counts the bytes of all answers; null for no limit
     * @param max maximum number of bytes of this answer
     */
    AnswerBudget(WriteLimits all, long max) {
        this.all = all;
        this.max = max;
    }

    /**
     * Takes bytes for a part of the answer.
     *
     * @return null; or why the bytes are not there, in which case nothing is taken
     */
    public String take(long bytes) {
        ExceededException exceeded = tryTake(bytes);
        return exceeded == null ? null : exceeded.getMessage();
    }

    /** Like {@link #take}, but throws {@link ExceededException}. */
    void require(long bytes) {
        ExceededException exceeded = tryTake(bytes);
        if (exceeded != null) {
            throw exceeded;
        }
    }

    private synchronized ExceededException tryTake(long bytes) {
        if (all == null || holders == 0) {
            return null;
        }
        if (taken + bytes > max) {
            return new ExceededException(
                    413,
                    "an answer must have at most " + max
                            + " bytes, got more (ask for fewer examples; predict.scores=5 limits the scores of each)");
        }
        if (!all.takeAnswer(bytes)) {
            return new ExceededException(
                    429,
                    "answers at the same time must have at most " + all.maxAnswersBytes()
                            + " bytes, got more (ask for fewer examples; predict.scores=5 limits the scores of each)");
        }
        taken += bytes;
        return null;
    }

    /** Returns what was taken, because the answer begins again. */
    synchronized void clear() {
        if (all != null) {
            all.returnAnswer(taken);
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
