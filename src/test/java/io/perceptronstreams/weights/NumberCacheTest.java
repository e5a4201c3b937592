package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NumberCacheTest {
    private static boolean has(NumberCache cache, int index) {
        return cache.index(cache.slot(index)) == index;
    }

    private static long found(NumberCache cache, int[] indices) {
        return Arrays.stream(indices).filter(index -> has(cache, index)).count();
    }

    /** Few slots, so that now and then two indices agree in both hashes; what is not there is put, and what is there is changed. */
    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldHaveTheNumberThatAnIndexWasGivenLast(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            NumberCache cache = new NumberCache();
            Map<Integer, Double> given = new HashMap<>();
            int[] indices = random.ints(1_300, 0, Integer.MAX_VALUE).toArray();
            for (int step = 0; step < 5_000; step++) {
                int index = indices[random.nextInt(indices.length)];
                if (has(cache, index)) {
                    assertThat(cache.number(cache.slot(index)))
                            .as("seed %d, round %d, step %d", seed, round, step)
                            .isEqualTo(given.get(index));
                    cache.setNumber(cache.slot(index), step);
                } else {
                    cache.put(index, step);
                }
                given.put(index, (double) step);
            }
            assertThat(found(cache, indices))
                    .as("seed %d, round %d", seed, round)
                    .isGreaterThan(1_200);
        }
    }

    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldFindRoomForNearlyAll(long seed) {
        int[] indices = new Random(seed).ints(40_960, 0, 1 << 24).distinct().toArray();
        NumberCache cache = new NumberCache();
        for (int put = 1; put <= indices.length; put++) {
            cache.put(indices[put - 1], put);
            if (Integer.bitCount(put) == 1 || put == indices.length) {
                assertThat(found(cache, Arrays.copyOf(indices, put)))
                        .as("seed %d, of %d", seed, put)
                        .isGreaterThanOrEqualTo((long) (0.95 * put));
            }
        }
        for (int k = 0; k < indices.length; k++) {
            assertThat(has(cache, indices[k]) ? cache.number(cache.slot(indices[k])) : k + 1)
                    .as("seed %d", seed)
                    .isEqualTo(k + 1);
        }
    }

    /** As hashing with too few bits, numbering and fields of a fixed width make them. */
    @Test
    void shouldFindRoomForIndicesAtEvenDistances() {
        for (int distance : new int[] {1, 3, 128, 1 << 12, 1 << 14, 1 << 16}) {
            int[] indices = IntStream.range(0, 10_000)
                    .map(k -> k * distance & Integer.MAX_VALUE)
                    .distinct()
                    .toArray();
            NumberCache cache = new NumberCache();
            for (int index : indices) {
                cache.put(index, index);
            }
            assertThat(found(cache, indices)).as("distance %d", distance).isGreaterThan(indices.length * 95L / 100);
        }
    }

    @Test
    void shouldReplaceAFewWhereManyShareABucket() {
        NumberCache cache = new NumberCache();
        int[] others = new Random(1).ints(300, 0, 1 << 24).toArray();
        for (int index : others) {
            cache.put(index, index);
        }
        // all in the first of 256 buckets
        int[] crowd = IntStream.range(0, 1 << 20)
                .filter(index -> ((index ^ index >>> 16) * 0x6a09e667) >>> 24 == 0)
                .limit(2_000)
                .toArray();

        for (int index : crowd) {
            cache.put(index, index);
        }

        assertThat(found(cache, crowd)).isBetween(1L, 16L);
        assertThat(has(cache, crowd[1_999])).isTrue();
        assertThat(found(cache, others)).isGreaterThan(30);
        // those that went are not counted: still 2,048 slots of 14 bytes and 256 buckets of 5
        assertThat(cache.heapBytes()).isEqualTo(2_048 * 14 + 256 * 5);
    }

    /** Most features are seen once; those that come back must not go with them. */
    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldKeepMostOfWhatComesBackHoweverManyComeOnce(long seed) {
        Random random = new Random(seed);
        int[] often = random.ints(1_000, 0, Integer.MAX_VALUE).toArray();
        NumberCache cache = new NumberCache();
        int missed = 0;
        for (int step = 0; step < 500_000; step++) {
            int once = random.nextInt(Integer.MAX_VALUE);
            if (!has(cache, once)) {
                cache.put(once, once);
            }
            int index = often[step % often.length];
            if (has(cache, index)) {
                assertThat(cache.number(cache.slot(index))).as("seed %d", seed).isEqualTo(index);
            } else {
                cache.put(index, index);
                missed++;
            }
        }

        assertThat(missed).as("seed %d", seed).isLessThan(20_000);
        // 65,536 slots of 14 bytes and 8,192 buckets of 5
        assertThat(cache.heapBytes()).isEqualTo(65_536 * 14 + 8_192 * 5);
    }
}
