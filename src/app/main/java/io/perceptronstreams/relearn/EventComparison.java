package io.perceptronstreams.relearn;

import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.WireFormat;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Events of one type that a model has sent, compared with those of a run, in their order and field by field.
 *
 * <p>Where the topic has not kept all events, because of retention or compaction, those of the run that it lacks are
 * passed over: an event of the run is compared with the next one of the topic only if both are about the same.
 *
 * @param <T> class of the events
 */
final class EventComparison<T extends SpecificRecord> {
    private final String name;
    private final Iterator<ConsumerRecord<byte[], byte[]>> sent;
    private final EventReader<T> reader;
    private final EventReader<T> own;
    private final Function<T, Object> identity;
    private final Predicate<T> isBefore;
    private final boolean isCompacted;
    private boolean isAligned;
    private boolean isBegun;
    private ConsumerRecord<byte[], byte[]> next;

    // Events of the next record that are not compared yet, if it has several.
    private final Deque<T> batch = new ArrayDeque<>();
    private long equal;

    /**
     * @param name of the events in messages, such as {@code predictions}
     * @param sent events of the model
     * @param reader of these
     * @param own reader of the events of the run
     * @param identity what an event is about
     * @param isBefore returns true for an event from before the run; null if it starts with the first record
     * @param isCut true if the oldest events may be missing
     * @param isCompacted true if any event but the last one may be missing
     */
    EventComparison(
            String name,
            Iterator<ConsumerRecord<byte[], byte[]>> sent,
            EventReader<T> reader,
            EventReader<T> own,
            Function<T, Object> identity,
            Predicate<T> isBefore,
            boolean isCut,
            boolean isCompacted) {
        this.name = name;
        this.sent = sent;
        this.reader = reader;
        this.own = own;
        this.identity = identity;
        this.isBefore = isBefore;
        this.isCompacted = isCompacted;
        this.isAligned = !isCut;
    }

    /**
     * Compares the next event.
     *
     * @param event of the run
     * @param place of the record that has caused it
     * @throws Difference if the model has sent another one, or none
     */
    void compare(byte[] event, String place) {
        if (!isBegun) {
            begin(event);
        }
        take();
        if (next == null) {
            if (!isCompacted && isAligned) {
                throw new Difference(
                        "the topic of " + name + " must have an event of the record " + place + ", got none",
                        null,
                        EventJson.text(own.read(event)));
            }
            return;
        }
        if (next.value() == null) {
            throw new Difference("the event at " + place(next) + " must have a value, got none", null, null);
        }
        if (batch.isEmpty() && hasSameBody(next.value(), event)) {
            count();
            return;
        }
        T mine = own.read(event);
        T theirs = theirs();
        if ((isCompacted || !isAligned) && !identity.apply(mine).equals(identity.apply(theirs))) {
            return;
        }
        String field = firstDifference(theirs, mine);
        if (field != null) {
            throw new Difference(
                    "the event at " + place(next) + " must be that of the record " + place + ", got another " + field,
                    EventJson.text(theirs),
                    EventJson.text(mine));
        }
        count();
    }

    /**
     * Returns the name of the first field in which two events of one schema differ, doubles by their bits; null if they
     * are equal.
     *
     * <p>Equal in JSON is enough: an event that was sent in JSON has the largest finite number in place of an infinity.
     */
    static String firstDifference(IndexedRecord a, IndexedRecord b) {
        return firstDifference(a, b, List.of());
    }

    /** @param ignored names of fields that are not compared */
    static String firstDifference(IndexedRecord a, IndexedRecord b, List<String> ignored) {
        for (Schema.Field field : a.getSchema().getFields()) {
            if (!ignored.contains(field.name())
                    && !Objects.equals(a.get(field.pos()), b.get(field.pos()))
                    && !EventJson.isEqual(a, b, field.name())) {
                return field.name();
            }
        }
        return null;
    }

    private void count() {
        equal++;
        isAligned = true;
        batch.poll();
        next = batch.isEmpty() ? null : next;
    }

    /** Passes over the events from before the first one of the run, with which a complete topic goes on. */
    private void begin(byte[] first) {
        if (isBefore == null || !isAligned) {
            passOver(isBefore);
        } else {
            Object begun = identity.apply(own.read(first));
            passOver(each -> !identity.apply(each).equals(begun));
        }
    }

    private void passOver(Predicate<T> passed) {
        isBegun = true;
        while (passed != null && next == null && sent.hasNext()) {
            next = sent.next();
            if (next.value() == null || passed.test(read(next).get(0))) {
                next = null;
            }
        }
        batch();
    }

    /** Takes the next event that is not compared yet, if there is one. */
    private void take() {
        if (next == null && sent.hasNext()) {
            next = sent.next();
            batch();
        }
    }

    private void batch() {
        if (next != null && next.value() != null && reader.isBatch(next.value())) {
            batch.addAll(read(next));
        }
    }

    private T theirs() {
        return batch.isEmpty() ? read(next).get(0) : batch.peek();
    }

    private List<T> read(ConsumerRecord<byte[], byte[]> record) {
        try {
            return reader.readAll(record.value());
        } catch (IllegalArgumentException e) {
            throw new Difference(
                    "the event at " + place(record) + " must be readable, got: " + e.getMessage(), null, null);
        }
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    /** In Avro, the ids of the same schema differ. */
    private static boolean hasSameBody(byte[] a, byte[] b) {
        return a.length > WireFormat.HEADER
                && a[0] == WireFormat.MAGIC
                && Arrays.equals(a, WireFormat.HEADER, a.length, b, WireFormat.HEADER, b.length);
    }

    /**
     * Requires that the topic has no more events.
     *
     * @param end offset behind which events may be those of later records, in the topic of the latest generation
     * @param prefix of the topics of that
     * @throws Difference if it has one
     */
    void requireEnd(long end, String prefix) {
        if (!isBegun) {
            passOver(isBefore);
        }
        take();
        if (next != null && (next.offset() < end || !next.topic().startsWith(prefix + "-"))) {
            throw new Difference(
                    "the event at " + place(next) + " must be that of a record of the log, got one of none",
                    EventJson.text(theirs()),
                    null);
        }
    }

    /** Number of events that are equal. */
    long equal() {
        return equal;
    }
}
