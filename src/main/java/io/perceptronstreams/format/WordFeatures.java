package io.perceptronstreams.format;

import java.util.ArrayList;
import java.util.List;

/**
 * The features by which a word of a sentence is known, in this order: {@code b}, which every word has; {@code w=} the word; {@code l=}
 * its lower case; {@code s1=}, {@code s2=}, {@code s3=} its last one to three characters and {@code p1=}, {@code p2=} its first one
 * or two, in lower case; {@code -1=} and {@code +1=} the lower case of the words before and after, {@code <s>} and {@code </s>} where
 * there is none; {@code digit} if it has one of 0-9; {@code hyphen} if it has a {@code -}; {@code capital} if it begins with one of A-Z.
 *
 * <p>Lower case is A-Z lowered and nothing else, so that no locale and no version of Unicode changes a model. Characters are code points;
 * a word that has fewer gives what it has.
 */
final class WordFeatures {
    private WordFeatures() {}

    /** The features of each word. */
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
