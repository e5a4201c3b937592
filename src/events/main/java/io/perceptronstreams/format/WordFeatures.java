package io.perceptronstreams.format;

import java.util.ArrayList;
import java.util.List;

/**
 * The features of a word of a sentence, in this order:
 *
 * <ul>
 *   <li>{@code b}: bias, for every word
 *   <li>{@code w=} the word, {@code l=} its lower case
 *   <li>{@code s1=}, {@code s2=}, {@code s3=} the last one to three characters, {@code p1=}, {@code p2=} the first one
 *       or two, in lower case
 *   <li>{@code -1=}, {@code +1=} the previous and next word in lower case, or {@code <s>} and {@code </s>}
 *   <li>{@code digit} if the word contains 0-9, {@code hyphen} if {@code -}, {@code capital} if it starts with A-Z
 * </ul>
 *
 * <p>Lower case changes A-Z only, so that neither locale nor Unicode version affects a model. Characters are code
 * points; prefixes and suffixes of a shorter word are the whole word.
 */
final class WordFeatures {
    private WordFeatures() {}

    static List<List<String>> of(List<String> words) {
        List<String> lower = words.stream().map(WordFeatures::lowered).toList();
        List<List<String>> tokens = new ArrayList<>(words.size());
        for (int i = 0; i < words.size(); i++) {
            String before = i == 0 ? "<s>" : lower.get(i - 1);
            String after = i == words.size() - 1 ? "</s>" : lower.get(i + 1);
            tokens.add(of(words.get(i), lower.get(i), before, after));
        }
        return tokens;
    }

    private static List<String> of(String word, String lower, String before, String after) {
        List<String> features = new ArrayList<>(13);
        features.add("b");
        features.add("w=" + word);
        features.add("l=" + lower);
        for (int length = 1; length <= 3; length++) {
            features.add("s" + length + "=" + suffix(lower, length));
        }
        for (int length = 1; length <= 2; length++) {
            features.add("p" + length + "=" + prefix(lower, length));
        }
        features.add("-1=" + before);
        features.add("+1=" + after);
        if (word.chars().anyMatch(c -> c >= '0' && c <= '9')) {
            features.add("digit");
        }
        if (word.indexOf('-') >= 0) {
            features.add("hyphen");
        }
        if (isCapital(word.charAt(0))) {
            features.add("capital");
        }
        return features;
    }

    private static String suffix(String word, int length) {
        int count = word.codePointCount(0, word.length());
        return word.substring(word.offsetByCodePoints(0, Math.max(0, count - length)));
    }

    private static String prefix(String word, int length) {
        int count = word.codePointCount(0, word.length());
        return word.substring(0, word.offsetByCodePoints(0, Math.min(count, length)));
    }

    private static String lowered(String word) {
        char[] chars = word.toCharArray();
        for (int k = 0; k < chars.length; k++) {
            if (isCapital(chars[k])) {
                chars[k] = (char) (chars[k] + ('a' - 'A'));
            }
        }
        return new String(chars);
    }

    private static boolean isCapital(char c) {
        return c >= 'A' && c <= 'Z';
    }
}
