package io.perceptronstreams.example;

import java.util.Locale;
import java.util.Random;
import java.util.stream.LongStream;

/**
 * Seeds of the tests with the tag {@code fuzz}: usually those of {@link Seeds}.
 *
 * <p>With {@code -Dfuzz.inputs=N}, all of these tests together take about N inputs, each its share. {@code
 * -Dfuzz.seed} fixes the seeds; without it every run takes others. The heap in use must not grow meanwhile.
 */
public final class Fuzz {
    private static final long INPUTS = Long.getLong("fuzz.inputs", 0);
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime() % 1_000_000_000);

    /** What caches, classes and compiled code may add after the first tenth. */
    private static final long MAX_GROWTH = 24 << 20;

    private static final int MEASUREMENTS = 10;

    private final String test;
    private final long seeds;
    private final int inputsOfSeed;
    private long done;
    private long first;

    private Fuzz(String test, long seeds, int inputsOfSeed) {
        this.test = test;
        this.seeds = seeds;
        this.inputsOfSeed = inputsOfSeed;
    }

    /**
     * For {@code @MethodSource}.
     *
     * @param test name in the report
     * @param share of this test in all inputs
     * @param inputsOfSeed number of inputs that the test makes of each seed
     */
    public static LongStream seeds(String test, double share, int inputsOfSeed) {
        if (INPUTS == 0) {
            return Seeds.all();
        }
        long seeds = (long) Math.ceil(share * INPUTS / inputsOfSeed);
        Fuzz fuzz = new Fuzz(test, seeds, inputsOfSeed);
        // one seed more is only drawn: the heap is measured when all others are done
        return new Random(SEED)
                .longs(seeds + 1, 0, Long.MAX_VALUE)
                .peek(seed -> fuzz.beforeSeed())
                .limit(seeds + 1)
                .filter(seed -> fuzz.done++ < seeds);
    }

    /** Whether this is a run of given length, whose seeds are not those of {@link Seeds}. */
    public static boolean isLong() {
        return INPUTS > 0;
    }

    private void beforeSeed() {
        if (done % Math.max(1, seeds / MEASUREMENTS) != 0 && done != seeds) {
            return;
        }
        long used = UsedHeap.bytes();
        System.out.printf(
                Locale.ROOT,
                "fuzz, seed %d: %s, %,d of %,d inputs, heap %.1f MB%n",
                SEED,
                test,
                done * inputsOfSeed,
                seeds * inputsOfSeed,
                used / 1e6);
        if (done <= seeds / MEASUREMENTS) {
            first = used;
        } else if (used > first + MAX_GROWTH) {
            throw new AssertionError("heap in use must not grow by more than " + MAX_GROWTH + " bytes, got "
                    + (used - first) + " after " + done * inputsOfSeed + " inputs of " + test);
        }
    }
}
