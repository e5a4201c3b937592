package io.perceptronstreams.model;

import java.util.Arrays;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Entries of the due list in memory, in order.
 *
 * <p>Cost: O(1) for entries that are added in order and removed in about that order, as is usual: they lie in an array.
 * O(log entries) for the others. Not thread-safe.
 */
final class DueList {
    private static final int MIN_LENGTH = 16;

    // Ascending from start to end; the first is not a removed one. Removed ones keep their place, without their id.
    private Due[] ordered = new Due[MIN_LENGTH];
    private int start;
    private int end;
    private int removed;

    // added when a later one was there already
    private final TreeSet<Due> others = new TreeSet<>();

    int size() {
        return end - start - removed + others.size();
    }

    /** Adds an entry that is not there. */
    void add(Due due) {
        if (end > start && due.compareTo(ordered[end - 1]) <= 0) {
            others.add(due);
            return;
        }
        if (end == ordered.length) {
            makeRoom();
        }
        ordered[end++] = due;
    }

    private void makeRoom() {
        Due[] from = ordered;
        if (2 * (end - start - removed) > from.length) {
            ordered = new Due[2 * from.length];
        }
        int kept = 0;
        for (int k = start; k < end; k++) {
            if (from[k].id() != null) {
                ordered[kept++] = from[k];
            }
        }
        if (ordered == from) {
            Arrays.fill(from, kept, end, null);
        }
        start = 0;
        end = kept;
        removed = 0;
    }

    /** Returns true if the entry was there. */
    boolean remove(Due due) {
        int at = end > start && ordered[start].equals(due) ? start : Arrays.binarySearch(ordered, start, end, due);
        if (at < 0 || ordered[at].id() == null) {
            return others.remove(due);
        }
        ordered[at] = new Due(due.time(), due.offset(), due.isLabel(), null);
        removed++;
        while (start < end && ordered[start].id() == null) {
            ordered[start++] = null;
            removed--;
        }
        return true;
    }

    /** The first entry, or null. */
    Due first() {
        Due other = others.isEmpty() ? null : others.first();
        if (start == end) {
            return other;
        }
        return other == null || ordered[start].compareTo(other) < 0 ? ordered[start] : other;
    }

    /** The first entries, in order. */
    Stream<Due> first(int limit) {
        return Stream.of(Arrays.stream(ordered, start, end).filter(due -> due.id() != null), others.stream())
                .flatMap(entries -> entries.limit(limit))
                .sorted()
                .limit(limit);
    }

    void forEach(Consumer<Due> action) {
        for (int k = start; k < end; k++) {
            if (ordered[k].id() != null) {
                action.accept(ordered[k]);
            }
        }
        others.forEach(action);
    }

    void clear() {
        ordered = new Due[MIN_LENGTH];
        start = 0;
        end = 0;
        removed = 0;
        others.clear();
    }
}
