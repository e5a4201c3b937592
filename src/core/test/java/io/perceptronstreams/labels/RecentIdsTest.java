package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ids and their labels against a {@link LinkedHashMap} from the number of an id. */
class RecentIdsTest {
    private static final int STEPS = 30_000;

    /** An id, and whether it has a label. */
    private record Known(String id, boolean isLabelled) {}

    private final WaitingStoreInMemory store = new WaitingStoreInMemory();
    private final LinkedHashMap<Long, Known> expected = new LinkedHashMap<>();
    private RecentIds ids = new RecentIds();
    private long next;

    @SeededTest
    void shouldKnowTheLastIdsAndTheirLabels(long seed) {
        Random random = new Random(seed);
        // with few ids most come again, and several of one are known at once
        int names = 1 << random.nextInt(4, 13);
        int limit = random.nextInt(1, 1_000);
        for (int step = 0; step < STEPS; step++) {
            String id = "id-" + random.nextInt(names);
            int action = random.nextInt(1_000);
            if (action < 600) {
                boolean isLabelled = random.nextBoolean();
                ids.add(slice(id), isLabelled);
                expected.put(next++, new Known(id, isLabelled));
                limitTo(limit);
            } else if (action < 800) {
                ids.markLabelled(slice(id));
                Long number = last(id);
                if (number != null) {
                    expected.put(number, new Known(id, true));
                }
            } else if (action < 980) {
                assertSame(id);
            } else if (action < 990) {
                // mostly a smaller one
                limit = random.nextInt(4) == 0 ? random.nextInt(1, 1_000) : random.nextInt(limit + 1);
                limitTo(limit);
                limit = Math.max(limit, 1);
            } else if (action < 996) {
                ids.drain(store);
                assertStored();
            } else {
                restart();
            }
        }
        for (int k = 0; k < names; k++) {
            assertSame("id-" + k);
        }
        limitTo(0);
        ids.drain(store);
        assertThat(store.blocks).isEmpty();
        restart();
        assertThat(ids.contains(slice("id-0"))).isFalse();
    }

    private static Utf8Slice slice(String id) {
        return new Utf8Slice().set(id);
    }

    private void limitTo(int limit) {
        ids.limit(limit);
        expected.keySet().removeIf(number -> number < next - limit);
    }

    /** Number of the last one of this id, or null. */
    private Long last(String id) {
        Long found = null;
        for (Map.Entry<Long, Known> each : expected.entrySet()) {
            found = each.getValue().id().equals(id) ? each.getKey() : found;
        }
        return found;
    }

    private void assertSame(String id) {
        Long number = last(id);
        assertThat(ids.contains(slice(id))).as(id).isEqualTo(number != null);
        assertThat(ids.isLabelled(slice(id)))
                .as("label of %s", id)
                .isEqualTo(number != null && expected.get(number).isLabelled());
        assertThat(ids.next()).isEqualTo(next);
        assertThat(ids.next() - ids.first()).isEqualTo(expected.size());
    }

    /** The store has the blocks of the known ids and no others, and in them the hashes of the known ids. */
    private void assertStored() {
        expected.forEach((number, known) -> assertThat(store.blocks.get(number / 128)[(int) (number % 128)])
                .as("%d", number)
                .isEqualTo(RecentIds.hash(slice(known.id())) | (known.isLabelled() ? 1 : 0)));
        long count = expected.keySet().stream()
                .map(number -> number / 128)
                .distinct()
                .count();
        assertThat(store.blocks).hasSize((int) count);
    }

    private void restart() {
        ids.drain(store);
        long first = ids.first();
        ids = new RecentIds();
        assertThat(ids.restore(first, next, store)).isTrue();
    }

    @Test
    void shouldKnowTheLabelOfTheFirstIdOfAll() {
        ids.add(slice("first"), false);
        assertThat(ids.isLabelled(slice("first"))).isFalse();
        ids.markLabelled(slice("first"));
        assertThat(ids.isLabelled(slice("first"))).isTrue();
    }

    @Test
    void shouldLeaveNothingStoredWhereNoIdIsKept() {
        ids.add(slice("a"), false);
        ids.add(slice("b"), false);
        ids.drain(store);
        assertThat(store.blocks).hasSize(1);
        ids.limit(0);
        ids.drain(store);
        assertThat(store.blocks).isEmpty();
    }

    @Test
    void shouldHaveNoIdsIfABlockIsMissing() {
        for (int k = 0; k < 300; k++) {
            ids.add(slice("id-" + k), false);
        }
        ids.drain(store);
        store.blocks.remove(1L);

        ids = new RecentIds();
        assertThat(ids.restore(0, 300, store)).isFalse();

        assertThat(ids.contains(slice("id-299"))).isFalse();
        assertThat(ids.first()).isEqualTo(300);
        ids.add(slice("next"), true);
        assertThat(ids.isLabelled(slice("next"))).isTrue();
    }
}
