package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** {@link DueList}, {@link HashBag} and {@link WaitingChanges} against the collections of the JDK. */
class WaitingMemoryTest {
    private static final int STEPS = 40_000;

    private static Due due(long time, long offset) {
        return new Due(time, offset, offset % 3 == 0, new Utf8Slice().set("e" + offset));
    }

    @SeededTest
    void shouldKeepDueEntriesInOrder(long seed) {
        Random random = new Random(seed);
        DueList list = new DueList();
        TreeSet<Due> expected = new TreeSet<>();
        int removed = 0;
        for (int step = 0; step < STEPS; step++) {
            // grows and shrinks; mostly in order
            boolean isAdded = random.nextInt(100) < (step / 5_000 % 2 == 0 ? 60 : 40);
            if (isAdded) {
                long time = random.nextInt(5) == 0 ? random.nextInt(step + 10) : step;
                Due added = due(time, step);
                list.add(added);
                expected.add(added);
            } else if (!expected.isEmpty()) {
                Due any = due(random.nextInt(step + 1), random.nextInt(step + 1));
                Due ceiling = expected.ceiling(any);
                Due gone = switch (random.nextInt(4)) {
                    case 0 -> ceiling == null ? expected.last() : ceiling;
                    case 1 -> any;
                    default -> expected.first();
                };
                boolean isThere = expected.remove(gone);
                assertThat(list.remove(gone)).isEqualTo(isThere);
                removed += isThere ? 1 : 0;
            }
            if (random.nextInt(10_000) == 0) {
                list.clear();
                expected.clear();
            }
            assertThat(list.size()).isEqualTo(expected.size());
            assertThat(list.first()).isEqualTo(expected.isEmpty() ? null : expected.first());
            if (step % 400 == 0) {
                List<Due> all = new ArrayList<>();
                list.forEach(all::add);
                assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
                assertThat(list.first(7))
                        .containsExactlyElementsOf(expected.stream().limit(7).toList());
            }
        }
        assertThat(removed).isGreaterThan(10_000);
    }

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
        WaitingChanges<Long> changes = new WaitingChanges<>(stored.size());
        Map<Utf8Slice, Long> expected = new HashMap<>(stored);
        int asked = 0;
        int spared = 0;
        for (int step = 100; step < STEPS; step++) {
            Utf8Slice id = new Utf8Slice().set("e" + random.nextInt(200));
            Long unwritten = changes.unwritten(id);
            boolean isAsked = unwritten == null && changes.mayBeStored(id);
            Long found = unwritten == null && isAsked ? stored.get(id) : unwritten;
            assertThat(found).isEqualTo(expected.get(id));
            asked += isAsked ? 1 : 0;
            spared += found == null && !isAsked ? 1 : 0;
            if (found == null) {
                changes.add(id, step, (long) step);
                expected.put(id, (long) step);
            } else if (random.nextBoolean()) {
                changes.remove(id, found);
                expected.remove(id);
            }
            if (random.nextInt(300) == 0) {
                changes.removed().forEach(stored::remove);
                stored.putAll(changes.added());
                changes.markWritten();
                assertThat(stored).isEqualTo(expected);
            }
        }
        assertThat(asked).isGreaterThan(1_000);
        assertThat(spared).isGreaterThan(1_000);
    }
}
