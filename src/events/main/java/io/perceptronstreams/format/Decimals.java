package io.perceptronstreams.format;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import java.nio.charset.StandardCharsets;

/**
 * Parses decimal numbers from bytes, with the result of {@link Double#parseDouble}, but without a string and without
 * its arithmetic in big numbers: up to 15 digits by one exact operation (Clinger 1990), more by a product of 128 bits
 * (Lemire 2021). Hexadecimal numbers, suffixes, NaN and Infinity are not accepted.
 */
final class Decimals {
    /** Powers of ten that are doubles without rounding. */
    private static final double[] EXACT_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    private static final int MAX_EXACT_DIGITS = 15;
    private static final int MAX_EXPONENT = 100_000;

    private Decimals() {}

    /**
     * Parses {@code text} from {@code from} to before {@code to}; returns infinity on overflow, and NaN, which no
     * decimal denotes, if the text is not a decimal.
     */
    static double parse(byte[] text, int from, int to) {
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (at < to && (text[at] == '-' || text[at] == '+')) {
            at++;
        }
        long digits = 0;
        int significant = 0;
        int scale = 0;
        boolean any = false;
        boolean point = false;
        for (; at < to; at++) {
            byte c = text[at];
            if (c == '.' && !point) {
                point = true;
                continue;
            }
            if (c < '0' || c > '9') {
                break;
            }
            any = true;
            if (significant > 0 || c != '0') {
                significant++;
            }
            if (significant <= MAX_EXACT_DIGITS) {
                digits = 10 * digits + (c - '0');
            }
            scale += point ? 1 : 0;
        }
        if (!any) {
            return Double.NaN;
        }
        int exponent = 0;
        if (at < to) {
            if (text[at] != 'e' && text[at] != 'E') {
                return Double.NaN;
            }
            exponent = exponent(text, at + 1, to);
            if (exponent == Integer.MIN_VALUE) {
                return Double.NaN;
            }
        }
        int power = exponent - scale;
        if (significant > MAX_EXACT_DIGITS || Math.abs(power) >= EXACT_POWERS.length) {
            // only here, where the text is a decimal: it would also take spaces, suffixes and names
            return JavaDoubleParser.parseDouble(text, from, to - from);
        }
        // both operands are exact, so the single rounding is correct
        double value = power < 0 ? digits / EXACT_POWERS[-power] : digits * EXACT_POWERS[power];
        return negative ? -value : value;
    }

    /** Returns where a number without exponent ends that begins at {@code from}, if one does. */
    static int plainEnd(byte[] text, int from, int to) {
        int at = from < to && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
        boolean point = false;
        while (at < to) {
            byte c = text[at];
            if (c < '0' || c > '9') {
                if (c != '.' || point) {
                    break;
                }
                point = true;
            }
            at++;
        }
        return at;
    }

    /** Parses what is known to be a sign, digits and a point, or less, with the result of {@link #parse}. */
    static double parsePlain(byte[] text, int from, int to) {
        // sign and point are no digits, so that there are too many of these, or zeros before them
        return to - from > MAX_EXACT_DIGITS + 2
                ? JavaDoubleParser.parseDouble(text, from, to - from)
                : parse(text, from, to);
    }

    static double parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(bytes, 0, bytes.length);
    }

    /** Parses a whole number up to {@link #MAX_EXPONENT} in size; {@link Integer#MIN_VALUE} if it is not one. */
    private static int exponent(byte[] text, int from, int to) {
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (at < to && (text[at] == '-' || text[at] == '+')) {
            at++;
        }
        if (at == to) {
            return Integer.MIN_VALUE;
        }
        int exponent = 0;
        for (; at < to; at++) {
            byte c = text[at];
            if (c < '0' || c > '9') {
                return Integer.MIN_VALUE;
            }
            exponent = Math.min(MAX_EXPONENT, 10 * exponent + (c - '0'));
        }
        return negative ? -exponent : exponent;
    }
}
