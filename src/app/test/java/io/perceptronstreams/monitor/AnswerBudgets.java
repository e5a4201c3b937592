package io.perceptronstreams.monitor;

/** Budgets for tests of other packages. */
public final class AnswerBudgets {
    private AnswerBudgets() {}

    /** A budget of a number of bytes. */
    public static AnswerBudget of(long bytes) {
        return new WriteLimits(1, 1, 1, () -> 0, bytes, bytes).answer();
    }
}
