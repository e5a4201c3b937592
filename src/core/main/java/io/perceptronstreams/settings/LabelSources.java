package io.perceptronstreams.settings;

import java.util.ArrayList;
import java.util.List;

/**
 * Sources that labels of a model may name, by their strength.
 *
 * @param names the strongest first
 */
public record LabelSources(List<String> names) {
    /** Strength of {@code label.default}. */
    public static final int DEFAULT = 0;

    /** Strength of a label without a source, or with one that is not among these. */
    public static final int UNNAMED = 1;

    static final LabelSources NONE = new LabelSources(List.of());

    /** Maximum number of names. */
    static final int MAX = 8;

    /** Maximum length of a name, in characters. */
    public static final int MAX_LENGTH = 40;

    /** Copies the names. */
    public LabelSources {
        names = List.copyOf(names);
    }

    /** @throws IllegalArgumentException if it is none of the texts of {@link #toString} */
    static LabelSources parse(String text) {
        if (text.isBlank()) {
            return NONE;
        }
        List<String> names = new ArrayList<>();
        for (String each : text.split(">", -1)) {
            String name = each.strip();
            // the reserved word is that of label.default in tables of sources
            boolean isName = isName(name) && !name.equals("default") && !name.equals("null") && !names.contains(name);
            if (!isName || names.size() == MAX) {
                throw new IllegalArgumentException();
            }
            names.add(name);
        }
        return new LabelSources(names);
    }

    /** Returns true if a text has the form of a name. */
    public static boolean isName(String text) {
        return text.length() <= MAX_LENGTH && text.matches("[A-Za-z0-9._-]+");
    }

    /** Returns true if labels need no source. */
    public boolean isNone() {
        return names.isEmpty();
    }

    /**
     * Strength of a label that is no default.
     *
     * @param source null for none
     */
    public int strength(String source) {
        int place = source == null ? -1 : names.indexOf(source);
        return place < 0 ? UNNAMED : UNNAMED + names.size() - place;
    }

    /** The names, separated by {@code >}; empty without one. */
    @Override
    public String toString() {
        return String.join(">", names);
    }
}
