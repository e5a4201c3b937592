package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * The features of an example by the groups of their namespaces, and the sets of them that crosses make.
 *
 * <p>Fill it with {@link #add}, then call {@link #sort}; {@link #begin} and {@link #next} then enumerate the sets of a
 * pattern. Features of equal hash in one group are one feature: their values are added in ascending order. Thus the
 * order of the features makes no difference. All arrays are reused.
 */
final class FeatureGroups {
    // group, hash and position in one key
    private static final int POSITION_BITS = 24;
    private static final int GROUP_SHIFT = POSITION_BITS + Integer.SIZE;
    private static final long POSITIONS = (1L << POSITION_BITS) - 1;

    private long[] keys = new long[64];
    private double[] added = new double[64];
    private int count;

    // After sort: features by group and hash; group g from starts[g] to starts[g + 1].
    private int[] hashes = new int[64];
    private double[] values = new double[64];
    private int[] origins = new int[64];
    private int[] starts = new int[2];

    // The current set: its pattern, and the features in the order of the groups.
    private int[] pattern;
    private final int[] members = new int[Crosses.MAX_FACTORS];

    void clear() {
        count = 0;
    }

    /** Adds a feature. */
    void add(int group, int hash, double value) {
        if (count > POSITIONS) {
            throw new RejectedException(
                    RejectReason.UNSUPPORTED_FEATURES,
                    "an example must have at most 2^" + POSITION_BITS + " features to be crossed, got more");
        }
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, 2 * count);
            added = Arrays.copyOf(added, 2 * count);
        }
        keys[count] = (long) group << GROUP_SHIFT | (hash & 0xffff_ffffL) << POSITION_BITS | count;
        added[count++] = value;
    }

    /** Sorts the features and joins features of equal hash. */
    void sort(int groups) {
        Arrays.sort(keys, 0, count);
        if (hashes.length < count) {
            hashes = new int[keys.length];
            values = new double[keys.length];
            origins = new int[keys.length];
        }
        if (starts.length <= groups) {
            starts = new int[groups + 1];
        }
        int size = 0;
        int started = 0;
        for (int from = 0, to; from < count; from = to) {
            long feature = keys[from] >>> POSITION_BITS;
            for (to = from + 1; to < count && keys[to] >>> POSITION_BITS == feature; to++) {
                // look for the end
            }
            for (int group = (int) (keys[from] >>> GROUP_SHIFT); started <= group; started++) {
                starts[started] = size;
            }
            hashes[size] = (int) feature;
            origins[size] = (int) (keys[from] & POSITIONS);
            values[size++] = to == from + 1 ? added[origins[size - 1]] : sum(from, to);
        }
        Arrays.fill(starts, started, groups + 1, size);
    }

    /**
     * Adds the values of one feature in ascending order, so that the sum does not depend on the order of the record.
     */
    private double sum(int from, int to) {
        double[] parts = new double[to - from];
        for (int k = from; k < to; k++) {
            parts[k - from] = added[(int) (keys[k] & POSITIONS)];
        }
        Arrays.sort(parts);
        double sum = 0;
        for (double part : parts) {
            sum += part;
        }
        return sum;
    }

    /** Number of sets of all patterns; beyond 2^53 an approximation. */
    double sets(int[][] patterns) {
        double all = 0;
        for (int[] each : patterns) {
            double sets = 1;
            for (int from = 0, to; from < each.length; from = to) {
                int group = each[from];
                for (to = from; to < each.length && each[to] == group; to++) {
                    // whole at each step: the number of sets of to - from + 1 features
                    sets = sets * Math.max(0, starts[group + 1] - starts[group] - (to - from)) / (to - from + 1);
                }
            }
            all += sets;
        }
        return all;
    }

    /** Goes to the first set of a pattern; returns false if there is none. */
    boolean begin(int[] ofPattern) {
        pattern = ofPattern;
        return restart(0);
    }

    /** Goes to the next set of the pattern; returns false after the last. */
    boolean next() {
        for (int slot = pattern.length - 1; slot >= 0; slot--) {
            members[slot]++;
            if (members[slot] < starts[pattern[slot] + 1] && restart(slot + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Sets the members from a slot on to the first features that may stand there. */
    private boolean restart(int from) {
        for (int slot = from; slot < pattern.length; slot++) {
            int group = pattern[slot];
            boolean isFirst = slot == 0 || pattern[slot - 1] != group;
            members[slot] = isFirst ? starts[group] : members[slot - 1] + 1;
            if (members[slot] >= starts[group + 1]) {
                return false;
            }
        }
        return true;
    }

    /** The features of the current set, valid up to the length of its pattern. */
    int[] members() {
        return members;
    }

    int hash(int feature) {
        return hashes[feature];
    }

    double value(int feature) {
        return values[feature];
    }

    /** Number of calls of {@link #add} before a feature was first added. */
    int origin(int feature) {
        return origins[feature];
    }
}
