package io.perceptronstreams.monitor;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a client of a stream has come in each partition, and the event id that says so.
 *
 * <p>An id is {@code topic-partition-offset} of the event, followed by {@code @} and the other partitions' positions, as in {@code
 * perceptron-mistakes-2-17@0:5,1:99}: the order of partitions among each other is not the same in two processes, so that one offset would not say
 * where to go on after a restart.
 */
final class StreamPosition {
    private static final Pattern ID = Pattern.compile("(.{1,249})-(\\d{1,9})-(\\d{1,18})(?:@([0-9:,]{0,20000}))?");
    private static final Pattern OTHER = Pattern.compile("(\\d{1,9}):(\\d{1,18})");

    private final Map<Integer, Long> offsets;
    private final boolean isWhole;
    private int partition;

    private StreamPosition(Map<Integer, Long> offsets, boolean isWhole, int partition) {
        this.offsets = offsets;
        this.isWhole = isWhole;
        this.partition = partition;
    }

    /** At these offsets, each that of the last event that is behind the client. */
    static StreamPosition at(Map<Integer, Long> offsets) {
        return new StreamPosition(
                new TreeMap<>(offsets),
                true,
                offsets.keySet().stream().findFirst().orElse(0));
    }

    /** Reads an id; empty if it is none of this topic. */
    static Optional<StreamPosition> parse(String id, String topic) {
        Matcher matcher = ID.matcher(id);
        if (!matcher.matches() || !matcher.group(1).equals(topic)) {
            return Optional.empty();
        }
        Map<Integer, Long> offsets = new TreeMap<>();
        if (matcher.group(4) != null) {
            Matcher others = OTHER.matcher(matcher.group(4));
            while (others.find()) {
                offsets.put(Integer.valueOf(others.group(1)), Long.valueOf(others.group(2)));
            }
        }
        int partition = Integer.parseInt(matcher.group(2));
        offsets.put(partition, Long.valueOf(matcher.group(3)));
        return Optional.of(new StreamPosition(offsets, matcher.group(4) != null, partition));
    }

    /** Whether all partitions are told, not only one. */
    boolean isWhole() {
        return isWhole;
    }

    Map<Integer, Long> offsets() {
        return offsets;
    }

    /** Whether the event is behind the client. */
    boolean isPast(Event event) {
        Long offset = offsets.get(event.partition());
        return offset != null && event.offset() <= offset;
    }

    /** Puts the event behind the client. */
    void pass(Event event) {
        partition = event.partition();
        offsets.put(partition, event.offset());
    }

    /** The id of the event that was passed last; null before the first of a topic without any. */
    String id(String topic) {
        if (offsets.isEmpty()) {
            return null;
        }
        StringBuilder id = new StringBuilder(topic)
                .append('-')
                .append(partition)
                .append('-')
                .append(offsets.get(partition))
                .append('@');
        String separator = "";
        for (Map.Entry<Integer, Long> other : offsets.entrySet()) {
            if (other.getKey() != partition) {
                id.append(separator).append(other.getKey()).append(':').append(other.getValue());
                separator = ",";
            }
        }
        return id.toString();
    }
}
