package io.perceptronstreams.format;

import java.util.Locale;

/**
 * Numbers as people write them: with a decimal comma (21,5), marks between thousands (1,234.50, 1.234,50, 1 234,
 * 1'234), in percent (12% is 0.12), or as Fortran writes doubles (0.5D+01). {@link Decimals} reads all others.
 */
final class WrittenNumber {
    private static final String GROUP_MARKS = ".,' \u00a0\u202f\u2019";

    private WrittenNumber() {}

    /**
     * Parses a number.
     *
     * @param decimal mark of decimals, a point or a comma; the other one may stand between thousands
     * @return NaN if the text is not such a number; infinity on overflow, and for the words of infinity
     */
    static double parse(String text, char decimal) {
        boolean isPercent = isPercent(text);
        String number = isPercent ? text.substring(0, text.length() - 1).stripTrailing() : text;
        byte[] plain = new byte[number.length() + 3];
        int size = 0;
        char group = 0;
        int digits = 0; // since the last mark, or the start
        boolean isWhole = true;
        for (int i = 0; i < number.length(); i++) {
            char c = number.charAt(i);
            if (c >= '0' && c <= '9') {
                digits++;
                plain[size++] = (byte) c;
            } else if (c == decimal && isWhole) {
                if (group != 0 && digits != 3) {
                    return Double.NaN;
                }
                isWhole = false;
                plain[size++] = '.';
            } else if (isWhole && digits > 0 && GROUP_MARKS.indexOf(c) >= 0) {
                boolean isFirst = group == 0;
                if (isFirst ? digits > 3 || plain[size - digits] == '0' : c != group || digits != 3) {
                    return Double.NaN;
                }
                group = c;
                digits = 0;
            } else if (c == '-' || c == '+' || ((c == 'e' || c == 'E') && group == 0)) {
                isWhole &= c == '-' || c == '+';
                plain[size++] = (byte) c;
            } else if ((c == 'd' || c == 'D') && !isWhole && hasSignAt(number, i + 1)) {
                plain[size++] = 'e';
            } else {
                return isInfinite(text) ? Double.POSITIVE_INFINITY : Double.NaN;
            }
        }
        if (isWhole && group != 0 && digits != 3) {
            return Double.NaN;
        }
        if (isPercent) {
            // the power of ten keeps it one rounding
            plain[size++] = 'e';
            plain[size++] = '-';
            plain[size++] = '2';
        }
        return Decimals.parse(plain, 0, size);
    }

    /** With a sign, and behind a mark of decimals: 1D2 may be a code. */
    private static boolean hasSignAt(String number, int at) {
        return at < number.length() && (number.charAt(at) == '+' || number.charAt(at) == '-');
    }

    static boolean isPercent(String text) {
        return text.endsWith("%");
    }

    /** Returns true for digits of which the first of several is 0, as in postal codes. */
    static boolean isCode(String text) {
        return text.length() > 1 && text.charAt(0) == '0' && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean isInfinite(String text) {
        String word = text.toLowerCase(Locale.ROOT).replaceFirst("^[+-]", "");
        return word.equals("inf") || word.equals("infinity");
    }
}
