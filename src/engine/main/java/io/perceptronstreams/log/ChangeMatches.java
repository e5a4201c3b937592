package io.perceptronstreams.log;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Applies {@link Changes} to the records of a log and notes which of them have matched one: an id with a typing error
 * leaves nothing out.
 *
 * <p>Cost: a look-up of a hash table for each match. Not thread-safe.
 */
public final class ChangeMatches {
    private final Changes changes;
    private int partition;
    private final BitSet offsets = new BitSet();
    private final BitSet times = new BitSet();
    private final Set<Utf8Slice> ids = new HashSet<>();
    private final Set<Utf8Slice> labels = new HashSet<>();

    ChangeMatches(Changes changes) {
        this.changes = changes;
    }

    /** Sets the partition of the next records. */
    void setPartition(int number) {
        partition = number;
    }

    /** Returns true if a record of the model is left out by its offset. */
    boolean omitsOffset(long offset) {
        boolean isOmitted = false;
        for (int k = 0; k < changes.offsets().size(); k++) {
            if (changes.offsets().get(k).contains(partition, offset)) {
                offsets.set(k);
                isOmitted = true;
            }
        }
        return isOmitted;
    }

    /** Returns true if a record of the model, or an example of it, is left out by its event time. */
    boolean omitsTime(long time) {
        boolean isOmitted = false;
        for (int k = 0; k < changes.times().size(); k++) {
            if (changes.times().get(k).contains(time)) {
                times.set(k);
                isOmitted = true;
            }
        }
        return isOmitted;
    }

    /** Returns true if an example, or its label, is left out by its id. */
    boolean omitsId(Utf8Slice id) {
        boolean isOmitted = changes.ids().contains(id);
        if (isOmitted) {
            note(ids, id);
        }
        return isOmitted;
    }

    /**
     * Returns the label that an example has in place of the one that came, or null.
     *
     * @param time event time at which it came, in ms
     */
    Label label(Utf8Slice id, long time) {
        Label other = changes.labels().get(id);
        if (other == null) {
            return null;
        }
        note(labels, id);
        Long from = changes.knownFrom().get(id);
        return from == null || from <= time ? other : null;
    }

    private static void note(Set<Utf8Slice> matched, Utf8Slice id) {
        if (!matched.contains(id)) {
            matched.add(id.copy());
        }
    }

    /** The ranges of offsets that have matched no record of the model so far, in their order. */
    public List<Changes.Offsets> unmatchedOffsets() {
        return without(offsets, changes.offsets());
    }

    /** The ranges of times that have matched no record or example of the model so far, in their order. */
    public List<Changes.Times> unmatchedTimes() {
        return without(times, changes.times());
    }

    private static <T> List<T> without(BitSet matched, List<T> all) {
        List<T> unmatched = new ArrayList<>();
        for (int k = matched.nextClearBit(0); k < all.size(); k = matched.nextClearBit(k + 1)) {
            unmatched.add(all.get(k));
        }
        return unmatched;
    }

    /** The ids that have left out nothing so far, in ascending order of their bytes. */
    public List<String> unmatchedIds() {
        return without(ids, changes.ids());
    }

    /** The ids of other labels for which no label came so far, in ascending order of their bytes. */
    public List<String> unmatchedLabels() {
        return without(labels, changes.labels().keySet());
    }

    private static List<String> without(Set<Utf8Slice> matched, Set<Utf8Slice> all) {
        return all.stream()
                .filter(each -> !matched.contains(each))
                .sorted(Comparator.naturalOrder())
                .map(Utf8Slice::toString)
                .toList();
    }
}
