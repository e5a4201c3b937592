package io.perceptronstreams.chaos;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seed and length of one run of a test of this package.
 *
 * <p>{@code -Dchaos.seed} fixes the records and the disturbances; without it every run takes another one. {@code
 * -Dchaos.minutes} is the length of the disturbances; start, end and comparison come on top.
 */
final class ChaosRun {
    private static final Duration LENGTH = Duration.ofMinutes(Long.getLong("chaos.minutes", 1));

    private static final Duration EXTENSION = Duration.ofMinutes(30);

    private final String test;
    private final long seed;
    private final long start = System.nanoTime();
    private final Random random;

    ChaosRun(Class<?> test) {
        this(test, firstSeed());
    }

    ChaosRun(Class<?> test, long seed) {
        this.test = test.getSimpleName();
        this.seed = seed;
        random = new Random(seed);
        say("for " + LENGTH.toMinutes() + " min (-Dchaos.minutes, -Dchaos.seed)");
    }

    private static long firstSeed() {
        return Long.getLong("chaos.seed", System.nanoTime() % 1_000_000_000);
    }

    /**
     * The seeds of a test that runs with {@code -Dchaos.seeds} of them, one unless set: {@code -Dchaos.seed} and those
     * after it.
     */
    static LongStream seeds() {
        long first = firstSeed();
        return LongStream.range(first, first + Long.getLong("chaos.seeds", 1));
    }

    long seed() {
        return seed;
    }

    Random random() {
        return random;
    }

    /** The length. */
    long minutes() {
        return LENGTH.toMinutes();
    }

    /** Whether the length is reached. */
    boolean isOver() {
        return isOver(true);
    }

    /** Like {@link #isOver()}, but with half an hour more for what a test is about and chance may not bring in time. */
    boolean isOver(boolean hasHappened) {
        Duration length = hasHappened ? LENGTH : LENGTH.plus(EXTENSION);
        return System.nanoTime() - start > length.toNanos();
    }

    void say(String line) {
        System.out.println(
                test + ", seed " + seed + ", " + (System.nanoTime() - start) / 1_000_000_000 + " s: " + line);
    }
}
