package io.perceptronstreams.sending;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Positions of the records that a command has sent: ranges of offsets by partition.
 *
 * <p>Memory: one range for consecutive offsets; several where other producers send to the same partition. Thread-safe.
 */
final class SentPositions {
    // By partition: first offset of a range to its last.
    private final Map<Integer, TreeMap<Long, Long>> ranges = new TreeMap<>();

    // By partition: offsets of records with several examples to their number.
    private final Map<Integer, TreeMap<Long, Integer>> several = new TreeMap<>();

    synchronized void add(int partition, long offset) {
        TreeMap<Long, Long> known = ranges.computeIfAbsent(partition, absent -> new TreeMap<>());
        Map.Entry<Long, Long> before = known.floorEntry(offset);
        boolean isNext = before != null && before.getValue() == offset - 1;
        known.put(isNext ? before.getKey() : offset, offset);
    }

    /** Adds a record of several examples. */
    synchronized void add(int partition, long offset, int count) {
        add(partition, offset);
        if (count > 1) {
            several.computeIfAbsent(partition, absent -> new TreeMap<>()).put(offset, count);
        }
    }

    /** Number of examples of the record at a position. */
    synchronized int examples(int partition, long offset) {
        return severalOf(partition).getOrDefault(offset, 1);
    }

    private NavigableMap<Long, Integer> severalOf(int partition) {
        return several.getOrDefault(partition, new TreeMap<>());
    }

    synchronized boolean contains(int partition, long offset) {
        TreeMap<Long, Long> known = ranges.get(partition);
        Map.Entry<Long, Long> range = known == null ? null : known.floorEntry(offset);
        return range != null && offset <= range.getValue();
    }

    /** Last position of a partition that is not refused; -1 without one. */
    synchronized long lastExcept(int partition, LongPredicate isRefused) {
        Map.Entry<Long, Long> range =
                ranges.getOrDefault(partition, new TreeMap<>()).lastEntry();
        for (; range != null; range = ranges.get(partition).lowerEntry(range.getKey())) {
            for (long offset = range.getValue(); offset >= range.getKey(); offset--) {
                if (!isRefused.test(offset)) {
                    return offset;
                }
            }
        }
        return -1;
    }

    /** Number of examples and labels that a group has not processed. */
    synchronized long countBehind(Map<Integer, Long> nextOffsets) {
        long count = 0;
        for (Map.Entry<Integer, TreeMap<Long, Long>> partition : ranges.entrySet()) {
            long next = nextOffsets.getOrDefault(partition.getKey(), 0L);
            for (Map.Entry<Long, Long> range : partition.getValue().entrySet()) {
                count += Math.max(0, range.getValue() + 1 - Math.max(next, range.getKey()));
            }
            for (int examples : severalOf(partition.getKey()).tailMap(next).values()) {
                count += examples - 1;
            }
        }
        return count;
    }

    synchronized long count() {
        return countBehind(Map.of());
    }
}
