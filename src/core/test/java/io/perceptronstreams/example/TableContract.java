package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The duty of a hash table whose keys a client chooses: a look-up of chosen keys visits at most three times the slots
 * of one of random keys. Counted in slots, not in time; {@code ArchitectureTest} knows all tables.
 */
public abstract class TableContract {
    /** So many that the longest chains of a table that fails are thousands of slots. */
    protected static final int KEYS = 3_900;

    private static final int TABLES = 8;

    // of Fibonacci hashing, as the tables have had them, and of others
    private static final int[] FACTORS = {0x4f1bbcdd, 0x9e3779b1, 0x9e3779b9, 0x85ebca6b, 5, 1};

    private static final Map<String, int[]> CHOSEN = chosen(new Random(2));

    /**
     * Fills a new table.
     *
     * @param keys different ones, from 0 to 2^31 - 1, or what becomes keys of this table
     * @return the mean number of slots that a look-up of a key visits
     */
    protected abstract double visitedSlots(int[] keys);

    @Test
    void shouldFindChosenKeysInAtMostThreeTimesTheSlotsOfOthers() {
        Random random = new Random(1);
        double others = 0;
        for (int table = 0; table < TABLES; table++) {
            others += visitedSlots(random.ints(0, Integer.MAX_VALUE)
                            .distinct()
                            .limit(KEYS)
                            .toArray())
                    / TABLES;
        }
        List<String> slow = new ArrayList<>();
        for (Map.Entry<String, int[]> chosen : CHOSEN.entrySet()) {
            double most = 0;
            for (int table = 0; table < TABLES; table++) {
                most = Math.max(most, visitedSlots(chosen.getValue()));
            }
            if (most > 3 * others) {
                slow.add(chosen.getKey() + ": " + most + " slots instead of " + others);
            }
        }

        assertThat(slow).isEmpty();
    }

    private static Map<String, int[]> chosen(Random random) {
        Map<String, int[]> chosen = new LinkedHashMap<>();
        for (int shift = 0; (long) KEYS << shift <= 1L << 31; shift += 3) {
            int by = shift;
            chosen.put("multiples of 2^" + shift, keys(k -> k << by));
        }
        for (int factor : FACTORS) {
            // neighbours in the highest bits of the product, and in the lowest ones of it and of what it is mixed to
            int inverse = inverse(factor);
            chosen.put("products with " + factor + " ascend", keys(k -> k * inverse & Integer.MAX_VALUE));
            chosen.put("low bits of products with " + factor, search(key -> key * factor & 0xff));
            chosen.put("middle bits of products with " + factor, search(key -> ((key * factor) >>> 10) & 0xff));
            chosen.put(
                    "mixed products with " + factor, search(key -> ((key * factor) ^ ((key * factor) >>> 15)) & 0xff));
        }
        for (int k = 0; k < 20; k++) {
            int step = random.nextInt() | 1;
            chosen.put("progression of step " + step, keys(n -> n * step & Integer.MAX_VALUE));
        }
        int columns = 60;
        for (int low = 0; low <= 10; low += 5) {
            int from = low;
            int to = 24;
            chosen.put("grid from bit " + low, keys(k -> ((k % columns) << from) | ((k / columns) << to)));
        }
        for (int k = 0; k < 3; k++) {
            TableSeed other = new TableSeed();
            chosen.put("neighbours under other factors", search(key -> other.slot(key, 1 << 13) & 0xff));
            chosen.put("neighbours above under other factors", search(key -> other.slot(key, 1 << 13) >>> 5));
        }
        return chosen;
    }

    private static int[] keys(IntUnaryOperator of) {
        return IntStream.range(0, KEYS).map(of).toArray();
    }

    /** Keys of which the bits are 0. */
    private static int[] search(IntUnaryOperator bits) {
        int[] keys = new int[KEYS];
        int count = 0;
        for (int key = 0; count < KEYS; key++) {
            if (bits.applyAsInt(key) == 0) {
                keys[count++] = key;
            }
        }
        return keys;
    }

    private static int inverse(int factor) {
        int inverse = factor;
        for (int k = 0; k < 4; k++) {
            inverse *= 2 - factor * inverse;
        }
        return inverse;
    }
}
