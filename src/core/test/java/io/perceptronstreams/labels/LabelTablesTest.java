package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.TableContract;
import io.perceptronstreams.example.Utf8Slice;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of ids, with ids that a client has chosen by their stored hash, which everybody can compute. */
final class LabelTablesTest {
    private static final int IDS = 3_900;

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 40, 54})
    void shouldFindIdsOfNeighbouringHashesInAtMostThreeTimesTheSlotsOfOthers(int from) {
        List<Utf8Slice> chosen = ids(hash -> (hash >>> from & 0x3ff) == 0);
        List<Utf8Slice> others = ids(hash -> true);
        for (ToDoubleFunction<List<Utf8Slice>> table : List.<ToDoubleFunction<List<Utf8Slice>>>of(
                LabelTablesTest::recent, LabelTablesTest::unwritten, LabelTablesTest::written)) {
            assertThat(table.applyAsDouble(chosen)).isLessThan(3 * table.applyAsDouble(others));
        }
    }

    private static List<Utf8Slice> ids(LongPredicate isChosen) {
        return IntStream.iterate(0, k -> k + 1)
                .mapToObj(k -> new Utf8Slice().set("e" + k))
                .filter(id -> isChosen.test(RecentIds.hash(id)))
                .limit(IDS)
                .toList();
    }

    private static double recent(List<Utf8Slice> ids) {
        RecentIds recent = new RecentIds();
        ids.forEach(id -> recent.add(id, false));
        return 1 + (double) recent.distances() / IDS;
    }

    private static double unwritten(List<Utf8Slice> ids) {
        UnwrittenRecords records = new UnwrittenRecords();
        ids.forEach(id -> records.add(Waiting.label(id, new byte[0], 0, 0, 0), records.hash(id)));
        return 1 + (double) records.distances() / IDS;
    }

    private static double written(List<Utf8Slice> ids) {
        HashBag bag = new HashBag();
        ids.forEach(id -> bag.add(RecentIds.hash(id)));
        return 1 + (double) bag.distances() / IDS;
    }

    /** With as many hashes as an attacker may want. */
    @Nested
    final class OfHashes extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            HashBag bag = new HashBag();
            for (int key : keys) {
                bag.add((long) key << 1);
            }
            return 1 + (double) bag.distances() / keys.length;
        }
    }

    /** As above, in the highest bits of the hashes. */
    @Nested
    final class OfHashesAbove extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            HashBag bag = new HashBag();
            for (int key : keys) {
                bag.add((long) key << 33);
            }
            return 1 + (double) bag.distances() / keys.length;
        }
    }
}
