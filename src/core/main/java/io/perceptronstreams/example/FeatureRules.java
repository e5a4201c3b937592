package io.perceptronstreams.example;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rules by namespace for the features that a model uses and crosses.
 *
 * <p>The namespace of a name is the part before its first {@code ^}; without one, or with none before it, {@link
 * Crosses#NAMELESS}. Immutable.
 */
public final class FeatureRules {
    /** Result of {@link #group} for features that are not used. */
    static final int DROPPED = -1;

    private static final byte[] NAMELESS = utf8(Crosses.NAMELESS);

    private final byte[][] groups;
    private final byte[][] listed;
    private final boolean isKept;
    private final int[][] patterns;
    private final boolean[] crossed;
    private final int crossesMax;
    private final int nameless;

    private FeatureRules(Crosses crosses, int crossesMax, List<String> listed, boolean isKept) {
        this.groups = utf8(crosses == null ? List.of() : crosses.names());
        this.listed = utf8(listed);
        this.isKept = isKept;
        this.patterns = crosses == null ? new int[0][] : crosses.patterns();
        this.crossed = new boolean[groups.length + 1];
        for (int[] pattern : patterns) {
            for (int group : pattern) {
                crossed[group] = true;
            }
        }
        this.crossesMax = crossesMax;
        this.nameless = group(NAMELESS, 0, 0);
    }

    /**
     * Creates rules.
     *
     * @param crosses text of {@link Crosses}, or empty for none
     * @param crossesMax maximum number of features that crosses make of an example
     * @param ignored namespaces whose features are not used
     * @param kept the only namespaces whose features are used; empty for all
     * @return null if there are no rules
     */
    public static FeatureRules of(String crosses, int crossesMax, List<String> ignored, List<String> kept) {
        if (crosses.isEmpty() && ignored.isEmpty() && kept.isEmpty()) {
            return null;
        }
        if (!ignored.isEmpty() && !kept.isEmpty()) {
            throw new IllegalArgumentException("namespaces must be ignored or kept, got both");
        }
        Crosses parsed = crosses.isEmpty() ? null : Crosses.parse(crosses);
        return new FeatureRules(parsed, crossesMax, kept.isEmpty() ? ignored : kept, !kept.isEmpty());
    }

    /**
     * Parses the text of a list of namespaces.
     *
     * @throws IllegalArgumentException with the column of the fault
     */
    public static List<String> parseNamespaces(String text) {
        return List.copyOf(new CrossesParser(text).names());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[][] utf8(List<String> texts) {
        List<byte[]> all = new ArrayList<>();
        texts.forEach(text -> all.add(utf8(text)));
        return all.toArray(byte[][]::new);
    }

    /** Returns the group of a name: {@link #DROPPED}, {@link Crosses#OTHERS}, or one of {@link Crosses#names}. */
    int group(byte[] name, int offset, int length) {
        int end = offset;
        while (end < offset + length && name[end] != '^') {
            end++;
        }
        boolean isNamed = end > offset && end < offset + length;
        return isNamed ? groupOf(name, offset, end) : groupOf(NAMELESS, 0, NAMELESS.length);
    }

    private int groupOf(byte[] text, int from, int to) {
        if (listed.length > 0 && (find(listed, text, from, to) >= 0) != isKept) {
            return DROPPED;
        }
        return find(groups, text, from, to) + 1;
    }

    private static int find(byte[][] names, byte[] text, int from, int to) {
        for (int k = 0; k < names.length; k++) {
            byte[] name = names[k];
            if (name.length == to - from && Arrays.equals(name, 0, name.length, text, from, to)) {
                return k;
            }
        }
        return -1;
    }

    /** The group of features that have indices instead of names. */
    int namelessGroup() {
        return nameless;
    }

    /** Returns true if some cross uses the features of a group. */
    boolean isCrossed(int group) {
        return crossed[group];
    }

    /** Returns true if there are crosses. */
    boolean hasCrosses() {
        return patterns.length > 0;
    }

    /** Number of groups, {@link Crosses#OTHERS} included. */
    int groups() {
        return groups.length + 1;
    }

    /** See {@link Crosses#patterns}. */
    int[][] patterns() {
        return patterns;
    }

    int crossesMax() {
        return crossesMax;
    }
}
