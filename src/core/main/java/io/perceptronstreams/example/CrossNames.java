package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * The names of the crosses of an example: the names of their features in alphabetical order, as in
 * {@code item^7*user^42}.
 *
 * <p>Names that contain {@code *} are left out, alone and in crosses. All arrays are reused.
 */
public final class CrossNames implements NameSource.Sink {
    private final FeatureGroups groups = new FeatureGroups();
    private byte[] bytes = new byte[1024];
    private int[] ends = new int[64];
    private int size;
    private FeatureHasher hasher;
    private FeatureRules rules;
    private final int[] members = new int[Crosses.MAX_FACTORS];
    private byte[] name = new byte[256];

    /** Passes the names of the used features and of their crosses to {@code sink}. {@code hasher} has rules. */
    public void forEach(NameSource source, FeatureHasher itsHasher, NameSource.Sink sink) {
        hasher = itsHasher;
        rules = itsHasher.rules();
        groups.clear();
        size = 0;
        source.forEach(this);
        for (int k = 0; k < size; k++) {
            sink.accept(bytes, start(k), ends[k] - start(k));
        }
        groups.sort(rules.groups());
        if (groups.sets(rules.patterns()) > rules.crossesMax()) {
            return;
        }
        for (int[] pattern : rules.patterns()) {
            for (boolean isThere = groups.begin(pattern); isThere; isThere = groups.next()) {
                sink.accept(name, 0, join(pattern.length));
            }
        }
    }

    @Override
    public void accept(byte[] utf8, int offset, int length) {
        int group = rules.group(utf8, offset, length);
        if (group == FeatureRules.DROPPED || hasher.isCross(utf8, offset, length)) {
            return;
        }
        int start = start(size);
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
        }
        if (start + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(start + length, 2 * bytes.length));
        }
        System.arraycopy(utf8, offset, bytes, start, length);
        ends[size] = start + length;
        // every name is added, so that its number is its origin
        groups.add(group, FeatureHasher.murmur3(utf8, offset, length), 0);
        size++;
    }

    private int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    /** Writes the name of the current set; returns its length. */
    private int join(int count) {
        int length = count - 1;
        for (int k = 0; k < count; k++) {
            int number = groups.origin(groups.members()[k]);
            length += ends[number] - start(number);
            int at = k;
            while (at > 0 && compare(members[at - 1], number) > 0) {
                members[at] = members[at - 1];
                at--;
            }
            members[at] = number;
        }
        if (length > name.length) {
            name = new byte[2 * length];
        }
        int end = 0;
        for (int k = 0; k < count; k++) {
            if (k > 0) {
                name[end++] = '*';
            }
            int from = start(members[k]);
            System.arraycopy(bytes, from, name, end, ends[members[k]] - from);
            end += ends[members[k]] - from;
        }
        return length;
    }

    private int compare(int one, int other) {
        return Arrays.compareUnsigned(bytes, start(one), ends[one], bytes, start(other), ends[other]);
    }
}
