package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** {@link HashBag} and {@link WaitingRecords} against the collections of the JDK. */
class WaitingMemoryTest {
    private static final int STEPS = 40_000;

    @SeededTest
    void shouldCountEachHashAsOftenAsItWasAdded(long seed) {
        Random random = new Random(seed);
        HashBag bag = new HashBag();
        Map<Long, Integer> expected = new HashMap<>();
        int size = 0;
        for (int step = 0; step < STEPS; step++) {
            // few homes, and hashes that differ above them
            long hash = (long) random.nextInt(300) << 1 | (long) random.nextInt(3) << 40;
            if (random.nextInt(100) < (step / 5_000 % 2 == 0 ? 60 : 35)) {
                bag.add(hash);
                expected.merge(hash, 1, Integer::sum);
                size++;
            } else {
                bag.remove(hash);
                size -= expected.containsKey(hash) ? 1 : 0;
                expected.computeIfPresent(hash, (any, count) -> count == 1 ? null : count - 1);
            }
            long asked = (long) random.nextInt(300) << 1 | (long) random.nextInt(3) << 40;
            assertThat(bag.contains(asked)).isEqualTo(expected.containsKey(asked));
            assertThat(bag.size()).isEqualTo(size);
        }
    }

    /** What is in the store may be asked for more often than necessary, but never too seldom. */
    @SeededTest
    void shouldAskTheStoreForWhatIsThere(long seed) {
        Random random = new Random(seed);
        Map<Utf8Slice, Long> stored = new HashMap<>();
        for (long offset = 0; offset < 50; offset++) {
            stored.put(new Utf8Slice().set("e" + offset), offset);
        }
        WaitingStoreInMemory store = new WaitingStoreInMemory();
        stored.forEach((id, offset) -> store.put(id, waiting(id, offset)));
        WaitingRecords records = new WaitingRecords(store, stored.size());
        Map<Utf8Slice, Long> expected = new HashMap<>(stored);
        int spared = 0;
        for (int step = 100; step < STEPS; step++) {
            Utf8Slice id = new Utf8Slice().set("e" + random.nextInt(200));
            int before = store.asked;
            Waiting found = records.find(id);
            assertThat(found == null ? null : (Long) found.offset()).isEqualTo(expected.get(id));
            spared += found == null && store.asked == before ? 1 : 0;
            if (found == null) {
                records.add(waiting(id, step));
                expected.put(id, (long) step);
            } else if (random.nextBoolean()) {
                records.remove(found);
                expected.remove(id);
            }
            if (random.nextInt(300) == 0) {
                records.drain(store);
                assertThat(store.records.keySet()).isEqualTo(expected.keySet());
            }
        }
        assertThat(store.asked).isGreaterThan(1_000);
        assertThat(spared).isGreaterThan(1_000);
    }

    private static Waiting waiting(Utf8Slice id, long offset) {
        return Waiting.label(id, new byte[0], offset, 0, 0);
    }
}
