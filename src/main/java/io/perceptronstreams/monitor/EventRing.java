package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Ring buffer of the latest events of a topic, in reading order. Each client has its own position.
 *
 * <p>Writers and readers do not wait for each other: a slow client whose position was overwritten continues at the
 * oldest event.
 */
final class EventRing {
    private final Event[] events;
    private final Map<Integer, Long> newest = new HashMap<>();
    // by partition, offset of the last event that was overwritten or not read
    private final Map<Integer, Long> dropped = new HashMap<>();
    private long end;

    /** Events from a place on, without {@code skipped} overwritten ones; the next read starts at {@code next}. */
    record Batch(List<Event> events, long next, long skipped) {}

    /** Start of a client; {@code isComplete} is false if events after its last one may have been overwritten. */
    record Start(long place, StreamPosition positions, boolean isComplete) {}

    EventRing(int capacity) {
        events = new Event[capacity];
    }

    synchronized void add(Event event) {
        int slot = (int) (end++ % events.length);
        if (events[slot] != null) {
            dropped.put(events[slot].partition(), events[slot].offset());
        }
        events[slot] = event;
        newest.put(event.partition(), event.offset());
    }

    /** Records that events before an offset are not read. */
    synchronized void skipTo(int partition, long offset) {
        if (offset > 0) {
            dropped.merge(partition, offset - 1, Math::max);
            newest.merge(partition, offset - 1, Math::max);
        }
    }

    /** Start behind the newest event. */
    synchronized Start atEnd() {
        return new Start(end, StreamPosition.at(newest), true);
    }

    /** Start behind the last event of a client. */
    synchronized Start after(StreamPosition seen) {
        StreamPosition positions = seen.isComplete() ? seen : complete(seen);
        boolean isComplete = dropped.entrySet().stream()
                .allMatch(each -> positions.offsets().getOrDefault(each.getKey(), -1L) >= each.getValue());
        return new Start(oldest(), positions, isComplete);
    }

    /** Adds the positions of the other partitions at the client's last event, if the ring still contains it. */
    private StreamPosition complete(StreamPosition seen) {
        Map<Integer, Long> offsets = new HashMap<>(dropped);
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

    synchronized Batch read(long place, int maxEvents) {
        long from = Math.max(place, oldest());
        List<Event> batch = new ArrayList<>();
        long next = from;
        while (next < end && batch.size() < maxEvents) {
            batch.add(events[(int) (next++ % events.length)]);
        }
        return new Batch(batch, next, from - place);
    }

    /** Place behind the newest event. */
    synchronized long end() {
        return end;
    }
}
