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
    // null for a gap
    private final Event<?>[] events;
    private final Map<Integer, Long> newest = new HashMap<>();
    // by partition, offset of the last event that was overwritten or not read
    private final Map<Integer, Long> dropped = new HashMap<>();
    private long end;

    /**
     * Events from a place on, without {@code skipped} overwritten ones; the next read starts at {@code next}.
     *
     * @param isGap true if there were others at this place that are not read; then there are no events
     */
    record Batch(List<Event<?>> events, long next, long skipped, boolean isGap) {}

    /** Start of a client; {@code isComplete} is false if events after its last one may have been overwritten. */
    record Start(long place, StreamPosition positions, boolean isComplete) {}

    EventRing(int capacity) {
        events = new Event<?>[capacity];
    }

    synchronized void add(Event<?> event) {
        put(event);
        newest.put(event.partition(), event.offset());
    }

    private void put(Event<?> event) {
        int slot = (int) (end++ % events.length);
        if (events[slot] != null) {
            dropped.merge(events[slot].partition(), events[slot].offset(), Math::max);
        }
        events[slot] = event;
    }

    /** Records that events before an offset are not read. */
    synchronized void skipTo(int partition, long offset) {
        if (offset > 0) {
            dropped.merge(partition, offset - 1, Math::max);
            newest.merge(partition, offset - 1, Math::max);
        }
    }

    /** Records as {@link #skipTo}, and tells the clients that have read what was before. */
    synchronized void skipAheadTo(int partition, long offset) {
        skipTo(partition, offset);
        put(null);
    }

    /** Start after the newest event. */
    synchronized Start atEnd() {
        return new Start(end, StreamPosition.at(newest), true);
    }

    /** Start after the last event of a client. */
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
            Event<?> event = at(place);
            if (event == null) {
                continue;
            }
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
        if (from < end && at(from) == null) {
            return new Batch(List.of(), from + 1, from - place, true);
        }
        List<Event<?>> batch = new ArrayList<>();
        long next = from;
        while (next < end && batch.size() < maxEvents && at(next) != null) {
            batch.add(at(next++));
        }
        return new Batch(batch, next, from - place, false);
    }

    /** The event at a place; null for a gap. */
    private Event<?> at(long place) {
        return events[(int) (place % events.length)];
    }
}
