package io.perceptronstreams.example;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Suggests the known name of a setting, option or field for a misspelt one. */
public final class SimilarName {
    /** Maximum edit distance of a misspelt name; also at most half of its letters. */
    private static final int MAX_DISTANCE = 2;

    private SimilarName() {}

    /** The known name that is most similar; empty if none is. */
    public static Optional<String> of(String name, Collection<String> known) {
        String letters = letters(name);
        String nearest = null;
        int best = Math.min(MAX_DISTANCE, letters.length() / 2) + 1;
        for (String each : known) {
            int distance = !letters.isEmpty() && letters(each).equals(letters) ? 0 : distance(each, name);
            if (distance < best) {
                nearest = each;
                best = distance;
            }
        }
        return Optional.ofNullable(nearest).or(() -> completed(name, known));
    }

    /** The shortest known name of which only the last word is missing, as {@code .ms} in {@code commit.interval}. */
    private static Optional<String> completed(String name, Collection<String> known) {
        return known.stream()
                .filter(each -> each.startsWith(name + ".") && each.indexOf('.', name.length() + 1) < 0)
                .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    }

    private static String letters(String name) {
        return name.replaceAll("[^\\p{L}\\p{M}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Levenshtein distance: number of inserted, removed or replaced characters; the largest int if that is too many.
     */
    private static int distance(String a, String b) {
        if (Math.abs(a.length() - b.length()) > MAX_DISTANCE) {
            return Integer.MAX_VALUE;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
