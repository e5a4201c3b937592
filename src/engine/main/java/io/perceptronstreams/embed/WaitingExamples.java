package io.perceptronstreams.embed;

import java.util.Arrays;
import java.util.HexFormat;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Examples of one model that wait for their labels, labels that wait for their examples, and the last ids, in a store
 * that has those of all models of a task: by id, and by the time at which they are due. Everything is in the store, so
 * that an object lives as long as a record.
 */
final class WaitingExamples {
    private static final HexFormat HEX = HexFormat.of();
    private static final String CLOCK = "t";
    private static final String EXAMPLE = "e";
    private static final String DUE = "d";
    private static final String LABEL = "l";
    private static final String LABEL_DUE = "m";
    private static final String ID = "i";
    private static final String ID_NUMBER = "n";
    private static final String LABELLED = " labelled";

    private final KeyValueStore<String, String> store;

    // begins with the length of the name, which may have any characters
    private final String prefix;

    private Clock clock;

    /**
     * Numbers of a model. Earlier versions have stored the first four.
     *
     * @param time largest time of its records, in ms; -1 before the first
     * @param count number of waiting examples and labels
     * @param next number of the next one
     * @param firstDue no example is due before it
     * @param firstLabelDue no label is due before it
     * @param firstId number of the first of the last ids
     * @param nextId number of the next id
     */
    private record Clock(
            long time, long count, long next, long firstDue, long firstLabelDue, long firstId, long nextId) {
        static Clock of(String stored) {
            if (stored == null) {
                return new Clock(-1, 0, 0, Long.MAX_VALUE, Long.MAX_VALUE, 0, 0);
            }
            long[] numbers = Arrays.stream(stored.split(" ", -1))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return numbers.length == 4
                    ? new Clock(numbers[0], numbers[1], numbers[2], numbers[3], Long.MAX_VALUE, 0, 0)
                    : new Clock(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
        }

        Clock at(long newTime) {
            return new Clock(newTime, count, next, firstDue, firstLabelDue, firstId, nextId);
        }

        Clock withOneMore(long due) {
            return new Clock(time, count + 1, next + 1, Math.min(firstDue, due), firstLabelDue, firstId, nextId);
        }

        Clock withOneMoreLabel(long due) {
            return new Clock(time, count + 1, next + 1, firstDue, Math.min(firstLabelDue, due), firstId, nextId);
        }

        Clock withOneLess() {
            return new Clock(time, count - 1, next, firstDue, firstLabelDue, firstId, nextId);
        }

        Clock dueFrom(long due) {
            return new Clock(time, count, next, due, firstLabelDue, firstId, nextId);
        }

        Clock labelsDueFrom(long due) {
            return new Clock(time, count, next, firstDue, due, firstId, nextId);
        }

        Clock withIds(long first, long end) {
            return new Clock(time, count, next, firstDue, firstLabelDue, first, end);
        }

        @Override
        public String toString() {
            return time + " " + count + " " + next + " " + firstDue + " " + firstLabelDue + " " + firstId + " "
                    + nextId;
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
            set(clock.at(timestamp));
        }
    }

    private void set(Clock changed) {
        clock = changed;
        store.put(prefix + CLOCK, changed.toString());
    }

    long count() {
        return clock.count;
    }

    /** Number of the next example or label to wait. */
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
        set(clock.withOneMore(example.due()));
    }

    void remove(WaitingExample example) {
        store.delete(prefix + EXAMPLE + example.id());
        store.delete(dueKey(example.due(), example.number()));
        set(clock.withOneLess());
    }

    /** The first example whose time is over, by due time and then by number, or null. Cost: O(1) if none can be due. */
    WaitingExample nextDue() {
        if (clock.time <= clock.firstDue) {
            return null;
        }
        try (KeyValueIterator<String, String> entries = store.range(dueKey(0, 0), dueKey(Long.MAX_VALUE, 0))) {
            WaitingExample first = entries.hasNext() ? find(entries.next().value) : null;
            set(clock.dueFrom(first == null ? Long.MAX_VALUE : first.due()));
            return first != null && clock.time > first.due() ? first : null;
        }
    }

    /** The waiting label of an id, or null. */
    WaitingLabel findLabel(String id) {
        String stored = store.get(prefix + LABEL + id);
        return stored == null ? null : WaitingLabel.fromJson(stored);
    }

    /** Adds a label, whose number is {@link #next}. */
    void addLabel(WaitingLabel label) {
        store.put(prefix + LABEL + label.exampleId(), label.toJson());
        store.put(dueKey(LABEL_DUE, label.due(), label.number()), label.exampleId());
        set(clock.withOneMoreLabel(label.due()));
    }

    void removeLabel(WaitingLabel label) {
        store.delete(prefix + LABEL + label.exampleId());
        store.delete(dueKey(LABEL_DUE, label.due(), label.number()));
        set(clock.withOneLess());
    }

    /** The first label whose time is over, or null. Cost: O(1) if none can be due. */
    WaitingLabel nextDueLabel() {
        if (clock.time <= clock.firstLabelDue) {
            return null;
        }
        try (KeyValueIterator<String, String> entries =
                store.range(dueKey(LABEL_DUE, 0, 0), dueKey(LABEL_DUE, Long.MAX_VALUE, 0))) {
            WaitingLabel first = entries.hasNext() ? findLabel(entries.next().value) : null;
            set(clock.labelsDueFrom(first == null ? Long.MAX_VALUE : first.due()));
            return first != null && clock.time > first.due() ? first : null;
        }
    }

    /** Returns true if an example of this id is among the last ones. */
    boolean isRecent(String id) {
        return store.get(prefix + ID + id) != null;
    }

    /** Returns true if an example of this id is among the last ones and has its label. */
    boolean isLabelled(String id) {
        String stored = store.get(prefix + ID + id);
        return stored != null && stored.endsWith(LABELLED);
    }

    /** Notes the id of an example, and forgets the oldest above a limit. */
    void addId(String id, boolean isLabelled, int max) {
        long number = clock.nextId;
        store.put(idKey(number), id);
        store.put(prefix + ID + id, isLabelled ? number + LABELLED : Long.toString(number));
        long first = clock.firstId;
        for (; number + 1 - first > max; first++) {
            String oldest = store.delete(idKey(first));
            String stored = oldest == null ? null : store.get(prefix + ID + oldest);
            // the same id may have come again
            if (stored != null && stored.replace(LABELLED, "").equals(Long.toString(first))) {
                store.delete(prefix + ID + oldest);
            }
        }
        set(clock.withIds(first, number + 1));
    }

    /** Notes that the example of an id has its label. */
    void markLabelled(String id) {
        String stored = store.get(prefix + ID + id);
        if (stored != null && !stored.endsWith(LABELLED)) {
            store.put(prefix + ID + id, stored + LABELLED);
        }
    }

    private String idKey(long number) {
        return prefix + ID_NUMBER + HEX.toHexDigits(number);
    }

    private String dueKey(long due, long number) {
        return dueKey(DUE, due, number);
    }

    // of one length, so that the order of the texts is that of the numbers
    private String dueKey(String kind, long due, long number) {
        return prefix + kind + HEX.toHexDigits(due) + HEX.toHexDigits(number);
    }
}
