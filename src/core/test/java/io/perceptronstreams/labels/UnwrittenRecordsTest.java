package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.state.StoredFields;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** {@link UnwrittenRecords} against the collections of the JDK. */
class UnwrittenRecordsTest {
    private static final int STEPS = 10_000;

    private final UnwrittenRecords records = new UnwrittenRecords();

    // in the order in which they were added, and in that of the due list
    private final Map<Utf8Slice, Waiting> expected = new LinkedHashMap<>();
    private final TreeMap<Due, Waiting> byDue = new TreeMap<>();

    private void add(Waiting waiting) {
        records.add(waiting, records.hash(waiting.id()));
        expected.put(waiting.id(), waiting);
        byDue.put(waiting.dueEntry(), waiting);
    }

    private void remove(Waiting waiting) {
        assertThat(records.remove(waiting.id(), records.hash(waiting.id()))).isTrue();
        expected.remove(waiting.id());
        byDue.remove(waiting.dueEntry());
    }

    private Waiting find(Utf8Slice id) {
        return records.find(id, records.hash(id));
    }

    @SeededTest
    void shouldKeepRecordsByIdAndByDueTime(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            Waiting next = random(random, step);
            if (random.nextInt(100) < (step / 1_500 % 2 == 0 ? 70 : 20) && !expected.containsKey(next.id())) {
                add(next);
            } else if (!byDue.isEmpty()) {
                // most labels come in the order of their examples
                Due first = random.nextInt(5) > 0 ? byDue.firstKey() : byDue.ceilingKey(next.dueEntry());
                remove(byDue.get(first == null ? byDue.lastKey() : first));
            }
            Utf8Slice asked = id(random);
            assertThat(form(find(asked))).isEqualTo(form(expected.get(asked)));
            assertThat(records.remove(new Utf8Slice().set("none"), 2)).isFalse();
            assertThat(records.size()).isEqualTo(expected.size());
            assertThat(records.due(3))
                    .isEqualTo(byDue.keySet().stream().limit(3).toList());
            if (step % 1_000 == 0) {
                assertContents();
            }
            if (random.nextInt(4_000) == 0) {
                clear();
            }
        }
    }

    private void clear() {
        records.clear();
        expected.clear();
        byDue.clear();
    }

    private void assertContents() {
        Iterator<Waiting> next = expected.values().iterator();
        records.forEach((due, form) -> {
            Waiting then = next.next();
            assertThat(due).isEqualTo(then.dueEntry());
            assertThat(due.id()).isEqualTo(then.id());
            assertThat(due.isLabel()).isEqualTo(then.isLabel());
            assertThat(form).isEqualTo(form(then));
        });
        assertThat(next.hasNext()).isFalse();
        assertThat(records.due(Integer.MAX_VALUE)).isEqualTo(List.copyOf(byDue.keySet()));
    }

    private static byte[] form(Waiting waiting) {
        if (waiting == null) {
            return null;
        }
        StoredFields fields = new StoredFields();
        WaitingForm.write(fields, waiting);
        return fields.toBytes();
    }

    private static Utf8Slice id(Random random) {
        return new Utf8Slice().set("é" + random.nextInt(3_000));
    }

    private static Waiting random(Random random, int step) {
        // records longer than an array, too
        int length = random.nextInt(2_000) == 0 ? 1 << 20 : random.nextInt(3_000);
        byte[] value = new byte[length];
        random.nextBytes(value);
        int due = step + 1_000 - (random.nextInt(10) < 2 ? random.nextInt(1_000) : 0);
        if (random.nextInt(10) == 0) {
            return Waiting.label(id(random), value, step, step, due);
        }
        Label emitted = random.nextBoolean() ? null : new Label.ClassName("c" + random.nextInt(10));
        return new Waiting(
                id(random),
                value,
                step,
                random.nextInt(3),
                step,
                due,
                7,
                step,
                emitted,
                null,
                List.of(new Waiting.Emitted(8, Label.of(random.nextInt(5)), null)));
    }

    @Test
    void shouldTakeNoMoreArraysForRecordsThatFollowEachOther() {
        for (int k = 0; k < 3_000; k++) {
            add(record(k, 1_000));
        }
        long held = records.heapBytes();
        for (int k = 3_000; k < 20_000; k++) {
            add(record(k, 1_000));
            remove(expected.values().iterator().next());
            assertThat(records.heapBytes()).isLessThan(2 * held);
        }
    }

    @Test
    void shouldFreeTheHeapOfRecordsBehindOneThatStays() {
        add(record(0, 1_000));
        for (int k = 1; k < 2_000; k++) {
            add(record(k, 1_000));
        }
        for (int k = 1; k < 2_000; k++) {
            remove(record(k, 1_000));
        }
        assertThat(records.heapBytes()).isLessThan(40_000);
        assertContents();
    }

    @Test
    void shouldTakeLittleHeapForOneSmallRecord() {
        add(record(0, 10));
        assertThat(records.heapBytes()).isLessThan(800);
        remove(record(0, 10));
        assertThat(records.due(1)).isEmpty();
        assertThat(records.heapBytes()).isLessThan(800);
    }

    private static Waiting record(int k, int length) {
        return Waiting.label(new Utf8Slice().set("e" + k), new byte[length], k, k, k);
    }
}
