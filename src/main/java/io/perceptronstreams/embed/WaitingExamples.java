package io.perceptronstreams.embed;

import java.util.Arrays;
import java.util.HexFormat;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Examples of one model that wait for their labels, in a store that has those of all models of a task: by id, and by the time
 * at which they are due. Everything is in the store, so that an object lives as long as a record.
 */
final class WaitingExamples {
    private static final HexFormat HEX = HexFormat.of();
    private static final String CLOCK = "t";
    private static final String EXAMPLE = "e";
    private static final String DUE = "d";

    private final KeyValueStore<String, String> store;

    // begins with the length of the name, which may have any characters
    private final String prefix;

    private Clock clock;

    /**
     * Numbers of a model.
     *
     * @param time largest time of its records, in ms; -1 before the first
     * @param count number of waiting examples
     * @param next number of the next one
     * @param firstDue none is due before it
     */
    private record Clock(long time, long count, long next, long firstDue) {
        static Clock of(String stored) {
            if (stored == null) {
                return new Clock(-1, 0, 0, Long.MAX_VALUE);
            }
            long[] numbers = Arrays.stream(stored.split(" ", -1))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return new Clock(numbers[0], numbers[1], numbers[2], numbers[3]);
        }

        @Override
        public String toString() {
            return time + " " + count + " " + next + " " + firstDue;
        }
    }

    WaitingExamples(KeyValueStore<String, String> store, String model) {
        this.store = store;
        prefix = model.length() + ":" + model + ":";
        clock = Clock.of(store.get(prefix + CLOCK));
    }

    /** Returns false before the first record of the model. */
    boolean hasTime() {
        return clock.time >= 0;
    }

    void passTime(long timestamp) {
        if (timestamp > clock.time) {
            set(new Clock(timestamp, clock.count, clock.next, clock.firstDue));
        }
    }

    private void set(Clock changed) {
        clock = changed;
        store.put(prefix + CLOCK, changed.toString());
    }

    long count() {
        return clock.count;
    }

    /** Number of the next example to wait. */
    long next() {
        return clock.next;
    }

    /** The waiting example of an id, or null. */
    WaitingExample find(String id) {
        String stored = store.get(prefix + EXAMPLE + id);
        return stored == null ? null : WaitingExample.fromJson(stored);
    }

    /** Adds an example, whose number is {@link #next}. */
    void add(WaitingExample example) {
        store.put(prefix + EXAMPLE + example.id(), example.toJson());
        store.put(dueKey(example.due(), example.number()), example.id());
        set(new Clock(clock.time, clock.count + 1, clock.next + 1, Math.min(clock.firstDue, example.due())));
    }

    void remove(WaitingExample example) {
        store.delete(prefix + EXAMPLE + example.id());
        store.delete(dueKey(example.due(), example.number()));
        set(new Clock(clock.time, clock.count - 1, clock.next, clock.firstDue));
    }

    /** The first example whose time is over, by due time and then by number, or null. Cost: O(1) if none can be due. */
    WaitingExample nextDue() {
        if (clock.time <= clock.firstDue) {
            return null;
        }
        try (KeyValueIterator<String, String> entries = store.range(dueKey(0, 0), dueKey(Long.MAX_VALUE, 0))) {
            WaitingExample first = entries.hasNext() ? find(entries.next().value) : null;
            set(new Clock(clock.time, clock.count, clock.next, first == null ? Long.MAX_VALUE : first.due()));
            return first != null && clock.time > first.due() ? first : null;
        }
    }

    // of one length, so that the order of the texts is that of the numbers
    private String dueKey(long due, long number) {
        return prefix + DUE + HEX.toHexDigits(due) + HEX.toHexDigits(number);
    }
}
