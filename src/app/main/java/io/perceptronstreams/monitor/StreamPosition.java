package io.perceptronstreams.monitor;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Position of a client of a stream in each partition, and its event id.
 *
 * <p>An id is {@code topic-partition-offset} of the last event, {@code @}, and the positions of the other partitions,
 * as in {@code perceptron-mistakes-2-17@0:5,1:99}. One offset is not sufficient to resume after a restart, because the
 * order of partitions differs between processes.
 */
final class StreamPosition {
    private static final Pattern ID = Pattern.compile("(.{1,249})-(\\d{1,9})-(\\d{1,18})(?:@([0-9:,]{0,20000}))?");
    private static final Pattern OTHER = Pattern.compile("(\\d{1,9}):(\\d{1,18})");

    private final Map<Integer, Long> offsets;
    private final boolean isComplete;
    private int partition;

    private StreamPosition(Map<Integer, Long> offsets, boolean isComplete, int partition) {
        this.offsets = offsets;
        this.isComplete = isComplete;
        this.partition = partition;
    }

    /** Creates a position from the offset of the last event of each partition. */
    static StreamPosition at(Map<Integer, Long> offsets) {
        return new StreamPosition(
                new TreeMap<>(offsets),
                true,
                offsets.keySet().stream().findFirst().orElse(0));
    }

    /** Parses an id; empty if it is malformed or of another topic. */
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

    /** Returns true if the position has all partitions, not only the partition of the last event. */
    boolean isComplete() {
        return isComplete;
    }

    Map<Integer, Long> offsets() {
        return offsets;
    }

    /** Returns true if the client has passed the event. */
    boolean isPast(Event<?> event) {
        Long offset = offsets.get(event.partition());
        return offset != null && event.offset() <= offset;
    }

    /** Moves the position after the event. */
    void pass(Event<?> event) {
        partition = event.partition();
        offsets.put(partition, event.offset());
    }

    /** Id of the last passed event; null before the first event of an empty topic. */
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
