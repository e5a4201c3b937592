package io.perceptronstreams.log;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What would have been another way in a model's log.
 *
 * @param settings of the model from its beginning on; they win over those of its commands
 * @param offsets of records that are left out, a record of the model only
 * @param times event times of records that are left out, a record of the model only
 * @param ids of examples that are left out, with their labels
 * @param labels by id of the example, in place of those that came
 * @param knownFrom by id of such an example, the event time in ms from which on its other label was known; what came
 *     before it stays
 * @param omitsUnsigned true if commands and weights without a valid signature are left out, of the defaults, too; needs
 *     keys of {@link ModelInput#commandKeys}
 */
public record Changes(
        Map<String, String> settings,
        List<Offsets> offsets,
        List<Times> times,
        Set<Utf8Slice> ids,
        Map<Utf8Slice, Label> labels,
        Map<Utf8Slice, Long> knownFrom,
        boolean omitsUnsigned) {
    /** Describes changes whose other labels were known from the beginning. */
    public Changes(
            Map<String, String> settings,
            List<Offsets> offsets,
            List<Times> times,
            Set<Utf8Slice> ids,
            Map<Utf8Slice, Label> labels,
            boolean omitsUnsigned) {
        this(settings, offsets, times, ids, labels, Map.of(), omitsUnsigned);
    }

    /** Nothing is changed. */
    public static final Changes NONE = new Changes(Map.of(), List.of(), List.of(), Set.of(), Map.of(), false);

    /** Only commands and weights without a valid signature are left out. */
    public static final Changes WITHOUT_UNSIGNED =
            new Changes(Map.of(), List.of(), List.of(), Set.of(), Map.of(), true);

    /** Offsets of a partition, {@code from} and {@code to} included. */
    public record Offsets(int partition, long from, long to) {
        boolean contains(int ofPartition, long offset) {
            return partition == ofPartition && from <= offset && offset <= to;
        }
    }

    /** Times in ms, {@code from} included and {@code to} not. */
    public record Times(long from, long to) {
        boolean contains(long time) {
            return from <= time && time < to;
        }
    }

    /** Returns these changes with other settings. */
    public Changes with(Map<String, String> others) {
        return new Changes(others, offsets, times, ids, labels, knownFrom, omitsUnsigned);
    }

    /** Returns true if a record is left out by its offset. */
    public boolean omits(int partition, long offset) {
        return offsets.stream().anyMatch(each -> each.contains(partition, offset));
    }

    boolean omits(long time) {
        return times.stream().anyMatch(each -> each.contains(time));
    }
}
