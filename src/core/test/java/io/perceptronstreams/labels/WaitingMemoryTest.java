package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.state.StoredFields;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

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
        stored.forEach((id, offset) -> store.put(id, stored(waiting(id, offset))));
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

    /**
     * Mostly in the order in which they come, as with one delay for all, with labels before their examples and late
     * events between.
     */
    @SeededTest
    void shouldGiveTheFirstEntryOfTheDueList(long seed) {
        Random random = new Random(seed);
        WaitingStoreInMemory store = new WaitingStoreInMemory();
        WaitingRecords records = new WaitingRecords(null, 0);
        TreeMap<Due, Waiting> expected = new TreeMap<>();
        int writes = 0;
        for (int step = 0; step < STEPS; step++) {
            // it grows, and shrinks by labels in any order, or by time
            boolean isGrowing = step / 4_000 % 2 == 0;
            if (expected.isEmpty() || random.nextInt(100) < (isGrowing ? 60 : 35)) {
                Waiting added = random(step, random);
                records.add(added);
                expected.put(added.dueEntry(), added);
            } else {
                Due due = random.nextInt(4) > 0
                        ? expected.firstKey()
                        : expected.ceilingKey(random(step, random).dueEntry());
                Waiting removed = expected.remove(due == null ? expected.lastKey() : due);
                records.remove(records.find(removed.id()));
            }
            if (random.nextInt(isGrowing ? 2_000 : 200) == 0) {
                records.drain(store);
                assertThat(store.due).isEqualTo(expected.keySet());
                writes++;
            }
            assertThat(records.first()).isEqualTo(expected.isEmpty() ? null : expected.firstKey());
            if (step % 100 == 0) {
                assertThat(records.firstExample()).isEqualTo(firstExample(expected));
            }
        }
        assertThat(writes).isGreaterThan(10);
    }

    @Test
    void shouldKeepAndCountNoBytesThatItNeedsNotLong() {
        WaitingStoreInMemory store = new WaitingStoreInMemory();
        WaitingRecords records = new WaitingRecords(null, 0);
        Waiting first = large(0);
        records.add(first);
        long one = records.unwrittenBytes();
        for (int k = 1; k < 100; k++) {
            Waiting next = large(k);
            records.add(next);
            records.remove(next);
            // what is removed behind one that waits may stay a while, and is counted
            assertThat(records.unwrittenBytes()).isBetween(one, 4 * one);
        }
        records.drain(store);
        assertThat(records.first().id()).isEqualTo(first.id());
        // the entry that stays does not keep the record
        assertThat(records.first().id().bytes()).hasSize(2);
    }

    private static Waiting large(int k) {
        byte[] value = new byte[100_000];
        byte[] id = ("e" + (k == 0 ? 0 : 1 + k % 9)).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(id, 0, value, 50, id.length);
        Utf8Slice slice = new Utf8Slice();
        slice.set(value, 50, id.length);
        return new Waiting(slice, value, k, 0, k, k, 0, 0, null, null, List.of());
    }

    private static Waiting random(int step, Random random) {
        Utf8Slice id = new Utf8Slice().set("e" + step);
        int kind = random.nextInt(10);
        int due = step + 1_000 - (kind < 2 ? random.nextInt(1_000) : 0);
        return kind == 0
                ? Waiting.label(id, new byte[0], step, step, due)
                : new Waiting(id, new byte[0], step, 0, step, due, 0, 0, null, null, List.of());
    }

    private static Due firstExample(Map<Due, Waiting> expected) {
        return expected.keySet().stream()
                .limit(WaitingRecords.CHUNK)
                .filter(due -> !due.isLabel())
                .findFirst()
                .orElse(null);
    }

    private static byte[] stored(Waiting waiting) {
        StoredFields fields = new StoredFields();
        WaitingForm.write(fields, waiting);
        return fields.toBytes();
    }

    private static Waiting waiting(Utf8Slice id, long offset) {
        return Waiting.label(id, new byte[0], offset, 0, 0);
    }
}
