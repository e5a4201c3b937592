package io.perceptronstreams.example;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Features whose values are texts that stand for numbers: each text is then a feature of its own, from which nothing
 * can be learned about the next one.
 *
 * <p>One text with decimals is enough. Whole numbers may be codes, amounts may be names, and four letters may be
 * base64: of these a feature must have many different texts. Nine in ten of its texts must be of the same form. Memory:
 * at most {@link #MAX_DIFFERENT} texts of each of {@link #MAX_FEATURES} features. Not thread-safe.
 */
public final class NumberTexts {
    /** Minimum number of different texts of a feature that are neither decimals nor whole numbers. */
    public static final int MIN_DIFFERENT = 16;

    /** Minimum number of different whole numbers: hours, days and minutes are fewer. */
    private static final int MIN_WHOLE = 64;

    private static final int MAX_DIFFERENT = 64;
    private static final int MAX_FEATURES = 1_000;

    /** Longest text of a number: a decimal of 38 digits in base64, or with marks between thousands. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern DECIMAL = Pattern.compile("[-+]?(?:0|[1-9][0-9]*)\\.[0-9]+(?:[eE][-+]?[0-9]+)?");
    private static final Pattern WHOLE = Pattern.compile("-?(?:0|[1-9][0-9]{0,18})");

    private static final String CURRENCY = "(?:[$\u20ac\u00a3\u00a5\u20b9]|EUR|USD|GBP|CHF|JPY|CNY|INR)";

    /**
     * A number with a decimal comma, marks between thousands, a currency, percent, or a minus behind it or of Unicode.
     */
    private static final Pattern AMOUNT =
            Pattern.compile("(?![0-9]+$)\\(?[-+\u2212\u2013]?" + CURRENCY + "?\\s?[-+\u2212\u2013]?"
                    + "(?:[0-9]{1,3}(?:[., '\u00a0\u202f\u2019][0-9]{3})+(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)?)"
                    + "[-\u2212]?\\s?(?:" + CURRENCY + "|%)?\\)?");

    private static final Pattern BASE64 =
            Pattern.compile("(?:[A-Za-z0-9+/]{4}){0,7}[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/](?:=|[A-Za-z0-9+/]))");

    /** Three bytes of a positive number; letters of both cases, as in few words and codes. */
    private static final Pattern THREE_BYTES = Pattern.compile("[A-Za-f](?=.*[a-z])(?=..*[A-Z0-9+/]).{3}");

    /** Forms of numbers in texts. */
    public enum Form {
        /** Such as 0.734. */
        DECIMAL("send the number without quotes"),
        /** Such as 1795, as writers of 64-bit integers quote them. */
        WHOLE("send numbers without quotes; codes and ids are right as texts"),
        /** Such as 1,250.00 or 428.50-. */
        AMOUNT("send the number alone, such as -1250.5"),
        /** Bytes of a decimal, as change events have it. */
        BASE64(
                "base64 of a decimal of a change event: set decimal.handling.mode=double, or decimal.format=NUMERIC in its converter");

        private final String remedy;

        Form(String remedy) {
            this.remedy = remedy;
        }

        /** What the sender has to do. */
        public String remedy() {
            return remedy;
        }
    }

    /**
     * A feature whose values are such texts.
     *
     * @param text one of them
     */
    public record Finding(String feature, String text, Form form) {}

    private static final class Texts {
        private final Set<String> different = new HashSet<>();
        private final Map<Form, Integer> ofForm = new EnumMap<>(Form.class);
        private final Map<Form, String> first = new EnumMap<>(Form.class);
        private int padded;
        private int threeBytes;

        void add(String text) {
            if (different.size() >= MAX_DIFFERENT || !different.add(text) || text.length() > MAX_LENGTH) {
                return;
            }
            // a decimal is an amount, too, and a whole number may stand among both
            boolean isWhole = WHOLE.matcher(text).matches();
            count(Form.WHOLE, text, isWhole);
            count(Form.DECIMAL, text, !isWhole && DECIMAL.matcher(text).matches());
            count(Form.AMOUNT, text, !isWhole && AMOUNT.matcher(text).matches());
            boolean isBase64 = BASE64.matcher(text).matches();
            count(Form.BASE64, text, isBase64);
            padded += isBase64 && text.endsWith("=") ? 1 : 0;
            threeBytes += isBase64 && THREE_BYTES.matcher(text).matches() ? 1 : 0;
        }

        private void count(Form form, String text, boolean isOne) {
            if (isOne) {
                ofForm.merge(form, 1, Integer::sum);
                first.putIfAbsent(form, text);
            }
        }

        private int of(Form form) {
            return ofForm.getOrDefault(form, 0);
        }

        /** Null if the texts are words. */
        Form form() {
            int count = different.size();
            int whole = of(Form.WHOLE);
            boolean isMany = count >= MIN_DIFFERENT;
            if (of(Form.DECIMAL) > 0 && isMost(of(Form.DECIMAL) + whole, count)) {
                return Form.DECIMAL;
            }
            if (count >= MIN_WHOLE && isMost(whole, count)) {
                return Form.WHOLE;
            }
            if (isMany && of(Form.AMOUNT) > 0 && isMost(of(Form.AMOUNT) + whole, count)) {
                return Form.AMOUNT;
            }
            // words have no padding; of three bytes no number has one
            boolean isPadded = 8 * padded >= count || (4 * threeBytes >= count && isOfThreeBytes());
            return isMany && isMost(of(Form.BASE64), count) && isPadded ? Form.BASE64 : null;
        }

        private boolean isOfThreeBytes() {
            return different.stream()
                    .allMatch(
                            text -> text.length() == 4 && Character.isLetter(text.charAt(0)) && text.charAt(0) <= 'f');
        }

        private static boolean isMost(int some, int all) {
            return 10 * some >= 9 * all;
        }
    }

    private final Map<String, Texts> byFeature = new LinkedHashMap<>();

    /** Adds the value of a feature; ignores it beyond the limits. */
    public void add(String feature, String text) {
        Texts texts = byFeature.get(feature);
        if (texts == null && byFeature.size() < MAX_FEATURES) {
            texts = new Texts();
            byFeature.put(feature, texts);
        }
        if (texts != null) {
            texts.add(text);
        }
    }

    /** Adds the name of a feature, if it has the form {@code feature=text}. */
    public void addName(String name) {
        int equals = name.indexOf('=');
        if (equals > 0) {
            add(name.substring(0, equals), name.substring(equals + 1));
        }
    }

    /** Returns what a feature has; null if its texts are words, or too few. */
    public Finding of(String feature) {
        Texts texts = byFeature.get(feature);
        Form form = texts == null ? null : texts.form();
        return form == null ? null : new Finding(feature, texts.first.get(form), form);
    }

    /** The findings of all features, in the order in which these were added. */
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        byFeature.keySet().forEach(feature -> {
            Finding found = of(feature);
            if (found != null) {
                findings.add(found);
            }
        });
        return findings;
    }
}
