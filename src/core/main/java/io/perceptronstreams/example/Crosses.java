package io.perceptronstreams.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Products of features, by their namespaces: {@code user*item, user*item*hour, item*item}.
 *
 * <p>A cross of k factors makes a feature of every set of k different features of an example that can be assigned to
 * the factors: one feature of the namespace of each, or of any namespace where the factor is {@code *}. Thus no feature
 * is crossed with itself, not even one of value 1, and a set that several crosses make is made once. The order of
 * factors and crosses makes no difference: {@link #text} has them in alphabetical order.
 */
public final class Crosses {
    /** The namespace of names without a namespace, and of features with indices instead of names. */
    public static final String NAMELESS = "_";

    /** A factor that stands for any namespace. */
    static final String ANY = "*";

    /** Group of the namespaces that no cross names. */
    static final int OTHERS = 0;

    static final int MAX_BYTES = 1024;
    static final int MAX_CROSSES = 64;
    static final int MAX_FACTORS = 6;
    static final int MAX_NAMES = 64;
    private static final int MAX_PATTERNS = 3000;

    private final List<List<String>> crosses;
    private final List<String> names;
    private final int[][] patterns;

    private Crosses(List<List<String>> crosses) {
        this.crosses = crosses;
        NavigableSet<String> named = new TreeSet<>();
        crosses.forEach(named::addAll);
        named.remove(ANY);
        if (named.size() > MAX_NAMES) {
            throw new IllegalArgumentException("expected at most " + MAX_NAMES + " namespaces, got " + named.size());
        }
        names = List.copyOf(named);
        patterns = expanded();
    }

    /**
     * Parses the text of crosses.
     *
     * @throws IllegalArgumentException with the column of the fault
     */
    public static Crosses parse(String text) {
        TreeMap<String, List<String>> sorted = new TreeMap<>();
        for (List<String> cross : new CrossesParser(text).parse()) {
            if (sorted.put(text(cross), cross) != null) {
                throw new IllegalArgumentException("expected different crosses, got '" + text(cross) + "' twice");
            }
        }
        return new Crosses(List.copyOf(sorted.values()));
    }

    private static String text(List<String> cross) {
        return String.join("*", cross);
    }

    /** The canonical text: {@code hour*item*user,item*user}. */
    public String text() {
        return String.join(",", crosses.stream().map(Crosses::text).toList());
    }

    /** The namespaces that are named, without {@link #ANY}; that at position k has group k + 1. */
    public List<String> names() {
        return names;
    }

    /**
     * The sets that are made, as groups of their features, ascending. A set of features has the groups of at most one
     * pattern, so no set is made twice.
     */
    int[][] patterns() {
        return patterns;
    }

    private int[][] expanded() {
        NavigableSet<int[]> all = new TreeSet<>(Arrays::compare);
        for (List<String> cross : crosses) {
            expand(cross, 0, new ArrayList<>(), all);
        }
        return all.toArray(int[][]::new);
    }

    private void expand(List<String> cross, int from, List<Integer> groups, Collection<int[]> all) {
        if (groups.size() == cross.size()) {
            all.add(groups.stream().sorted().mapToInt(group -> group).toArray());
            if (all.size() > MAX_PATTERNS) {
                throw new IllegalArgumentException("expected at most " + MAX_PATTERNS
                        + " combinations of the named namespaces, got more from '" + text(cross) + "'");
            }
            return;
        }
        String factor = cross.get(groups.size());
        boolean isAny = factor.equals(ANY);
        // any namespaces come last, in ascending order: each combination of them once
        int first = isAny ? from : Collections.binarySearch(names, factor) + 1;
        for (int group = first; group <= (isAny ? names.size() : first); group++) {
            groups.add(group);
            expand(cross, isAny ? group : 0, groups, all);
            groups.remove(groups.size() - 1);
        }
    }
}
