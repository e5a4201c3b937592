package io.perceptronstreams.labels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Counts the delays of labels in buckets: at most 1 ms, 3 ms, 10 ms, 30 ms and so on, and longer than the last limit.
 *
 * <p>A label with an event time before its example counts in the first bucket. Not thread-safe.
 */
public final class DelayHistogram {
    // Counts are stored by position: limits may only be appended. The last is 35 days.
    private static final long[] LIMITS = limits(20);

    /** Number of buckets. */
    public static final int BUCKETS = LIMITS.length + 1;

    private final long[] counts = new long[BUCKETS];

    private static long[] limits(int count) {
        long[] limits = new long[count];
        long power = 1;
        for (int k = 0; k < count; k += 2) {
            limits[k] = power;
            limits[k + 1] = 3 * power;
            power *= 10;
        }
        return limits;
    }

    /** Largest delay of each bucket except the last, in ms. */
    public static List<Long> limits() {
        return LongStream.of(LIMITS).boxed().toList();
    }

    void add(long delayMs) {
        int place = Arrays.binarySearch(LIMITS, delayMs);
        counts[place < 0 ? -place - 1 : place]++;
    }

    /** The counts up to the last one that is not 0. */
    List<Long> counts() {
        List<Long> all = new ArrayList<>();
        for (int k = 0; k < BUCKETS; k++) {
            if (counts[k] != 0) {
                all.addAll(Collections.nCopies(k - all.size(), 0L));
                all.add(counts[k]);
            }
        }
        return all;
    }

    void restore(List<Long> stored) {
        for (int k = 0; k < stored.size(); k++) {
            counts[k] = stored.get(k);
        }
    }
}
