package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The latest events of a topic, in the order in which they were read; every client has a place of its own in it.
 *
 * <p>Nobody waits for anybody: a client that is too slow finds that its place was overwritten and goes on at the oldest event left.
 */
final class EventRing {
    private final Event[] events;
    private final Map<Integer, Long> newest = new HashMap<>();
    private final Map<Integer, Long> forgotten = new HashMap<>();
    private long end;

    /** Some events from a place on; {@code skipped} of them had been overwritten; the next read starts at {@code next}. */
    record Batch(List<Event> events, long next, long skipped) {}

    /** Where a client begins; {@code isComplete} is false where events after its last may have been overwritten. */
    record Start(long place, StreamPosition positions, boolean isComplete) {}

    EventRing(int capacity) {
        events = new Event[capacity];
    }

    synchronized void add(Event event) {
        int slot = (int) (end++ % events.length);
        if (events[slot] != null) {
            forgotten.put(events[slot].partition(), events[slot].offset());
        }
        events[slot] = event;
        newest.put(event.partition(), event.offset());
    }

    /** Notes that what lies before an offset is not read. */
    synchronized void skipTo(int partition, long offset) {
        if (offset > 0) {
            forgotten.merge(partition, offset - 1, Math::max);
            newest.merge(partition, offset - 1, Math::max);
        }
    }

    /** Behind the newest event. */
    synchronized Start atEnd() {
        return new Start(end, StreamPosition.at(newest), true);
    }

    /** Behind what a client has seen, as its last event id says. */
    synchronized Start after(StreamPosition seen) {
        StreamPosition positions = seen.isWhole() ? seen : complete(seen);
        boolean isComplete = forgotten.entrySet().stream()
                .allMatch(each -> positions.offsets().getOrDefault(each.getKey(), -1L) >= each.getValue());
        return new Start(oldest(), positions, isComplete);
    }

    /** The other partitions' positions at the time of an event that is still here; without them if it is not. */
    private StreamPosition complete(StreamPosition seen) {
        Map<Integer, Long> offsets = new HashMap<>(forgotten);
        for (long place = oldest(); place < end; place++) {
            Event event = events[(int) (place % events.length)];
            offsets.put(event.partition(), event.offset());
            if (seen.offsets().equals(Map.of(event.partition(), event.offset()))) {
                return StreamPosition.at(offsets);
            }
        }
        return seen;
    }

    private long oldest() {
        return Math.max(0, end - events.length);
    }

    synchronized Batch read(long place, int most) {
        long from = Math.max(place, oldest());
        List<Event> batch = new ArrayList<>();
        long next = from;
        while (next < end && batch.size() < most) {
            batch.add(events[(int) (next++ % events.length)]);
        }
        return new Batch(batch, next, from - place);
    }

    /** The place behind the newest event. */
    synchronized long end() {
        return end;
    }
}
