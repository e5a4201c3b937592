package io.perceptronstreams.example;

import java.util.stream.LongStream;

/**
 * Seeds of the random tests: a fixed list, of which {@code -Dtrials=quick}, the default, takes the first one and {@code
 * -Dtrials=full} all, and {@code -Dtest.seed=N} if it is set.
 */
public final class Seeds {
    private static final boolean IS_FULL = System.getProperty("trials", "quick").equals("full");

    private Seeds() {}

    /** For {@code @MethodSource}: the seed stands in the name of every run, and so in every failure. */
    public static LongStream all() {
        Long extra = Long.getLong("test.seed");
        LongStream fixed = LongStream.of(1, 20_261_120, 2, 3, 42).limit(IS_FULL ? 5 : 1);
        return extra == null ? fixed : LongStream.concat(fixed, LongStream.of(extra));
    }

    /** Returns true if all seeds and trials are to be taken. */
    public static boolean isFull() {
        return IS_FULL;
    }

    /** Number of trials of a test with a single seed: all of them, or a tenth. */
    public static int trials(int full) {
        return IS_FULL ? full : full / 10;
    }
}
