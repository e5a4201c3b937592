package io.perceptronstreams.access;

import java.util.List;

/**
 * Patterns of the names of models, of which a name must match one. In each, {@code *} is any number of characters, also
 * none.
 *
 * <p>Cost of a match: linear in the length of the name, for any patterns.
 */
public record ModelPattern(List<String> globs) {
    /** All models. */
    public static final ModelPattern ALL = new ModelPattern(List.of("*"));

    /** Copies the list. */
    public ModelPattern {
        globs = List.copyOf(globs);
    }

    /** Returns true if it has a pattern that every name matches. */
    public boolean isAll() {
        return globs.contains("*");
    }

    /** Returns true if the name of a model matches; null, as in dead letters without a key, matches only all. */
    public boolean matches(String model) {
        return isAll() || (model != null && globs.stream().anyMatch(glob -> matches(glob, model)));
    }

    private static boolean matches(String glob, String model) {
        int star = glob.indexOf('*');
        if (star < 0) {
            return glob.equals(model);
        }
        String tail = glob.substring(glob.lastIndexOf('*') + 1);
        int end = model.length() - tail.length();
        if (end < star || !model.startsWith(glob.substring(0, star)) || !model.endsWith(tail)) {
            return false;
        }
        // between the first and the last star the first place of each part leaves most to the others
        int at = star;
        for (String part : glob.substring(star, glob.length() - tail.length()).split("\\*", -1)) {
            int found = model.indexOf(part, at);
            if (found < 0 || found + part.length() > end) {
                return false;
            }
            at = found + part.length();
        }
        return true;
    }

    /** The patterns with commas between. */
    @Override
    public String toString() {
        return String.join(",", globs);
    }
}
