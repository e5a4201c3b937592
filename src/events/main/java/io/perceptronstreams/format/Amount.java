package io.perceptronstreams.format;

import java.text.Normalizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number with a currency or unit before or behind it, or with a sign other than a leading hyphen: $428.50, 428,50 €,
 * 428.5 kg, 428.50-, −428.50, (428.50). Parentheses are a minus sign, as in accounts. Also a fraction (3/4, 1 1/2, ½),
 * digits of other scripts, marks between thousands and lakhs (12,34,500; 1_000), and the apostrophe or the equals sign
 * by which spreadsheets keep a text (="428.50").
 *
 * @param number its digits, a hyphen before them if it is negative, in a notation of {@link WrittenNumber}
 * @param unit currency or unit; empty without one
 */
record Amount(String number, String unit) {
    /** Hyphen, plus, the minus sign, and dashes and wide signs that are written for it. */
    private static final String SIGN = "[-+\u2212\u2012\u2013\ufe63\uff0d]";

    private static final String CURRENCY = "\\p{L}{0,3}\\.?\\p{Sc}\\p{L}{0,3}";

    private static final Pattern FORM = Pattern.compile("(?<open>\\()?\\s*(?<sign1>" + SIGN + ")?\\s*"
            + "(?<before>" + CURRENCY + "|\\p{Lu}{3}(?=[\\s\\d(.,+\u2212-])|\\p{L}{1,4}\\.?(?=\\s))?"
            + "\\s*(?<open2>\\()?\\s*(?<sign2>" + SIGN + ")?\\s*"
            + "(?<number>[.,]?\\d(?:[\\d.,'\u2019]|[ \u00a0\u202f](?=\\d))*(?:[eE][-+]?\\d+)?\\s*%?)"
            + "\\s*(?<sign3>" + SIGN + ")?\\s*(?<close2>\\))?\\s*"
            + "(?<behind>" + CURRENCY + "|[\\p{L}\u00b5\u00b0\u2030][\\p{L}\\p{Sc}\u00b0\u00b2\u00b3/\u00b7.]{0,9})?"
            + "\\s*(?<sign4>" + SIGN + ")?\\s*(?<close>\\))?");

    private static final Pattern SPREADSHEET = Pattern.compile("=\"(?<text>[^\"]*)\"|'(?<rest>[^']+)");

    private static final Pattern FRACTION = Pattern.compile("(?<sign>" + SIGN
            + ")?\\s*(?:(?<whole>\\d{1,9})\\s+)?(?<above>\\d{1,9})\\s?[/\u2044]\\s?(?<below>0*[1-9]\\d{0,8})");

    private static final Pattern LAKHS = Pattern.compile("\\d{1,2}(?:,\\d\\d)+,\\d{3}(?:\\.\\d*)?");

    private static final Pattern UNDERSCORES = Pattern.compile("(?<=\\d)_(?=\\d{3}(?!\\d))");

    private static final int MAX_LENGTH = 100;

    /** Returns the amount that a text is; null if it is another text. */
    static Amount of(String cell) {
        if (cell.length() > MAX_LENGTH) {
            return null;
        }
        String text = plain(cell);
        Matcher fraction = FRACTION.matcher(text);
        if (fraction.matches()) {
            return new Amount(Double.toString(value(fraction)), "");
        }
        Matcher found = FORM.matcher(text);
        if (!found.matches()) {
            return null;
        }
        boolean isOpen = found.group("open") != null;
        boolean isOpen2 = found.group("open2") != null;
        boolean isClosed = found.group("close") != null;
        boolean isClosed2 = found.group("close2") != null;
        // ($5), $(5), (5) kg, $(5
        boolean isEnclosed = (isOpen ^ isOpen2) && (isClosed ^ isClosed2);
        int signs = isEnclosed ? 1 : 0;
        boolean isNegative = isEnclosed;
        for (String group : new String[] {"sign1", "sign2", "sign3", "sign4"}) {
            String sign = found.group(group);
            signs += sign == null ? 0 : 1;
            isNegative |= sign != null && !sign.equals("+");
        }
        String before = found.group("before");
        String behind = found.group("behind");
        boolean isUnclear = signs > 1 || (before != null && behind != null);
        if (isUnclear || (!isEnclosed && (isOpen || isOpen2 || isClosed || isClosed2))) {
            return null;
        }
        String number = found.group("number").strip();
        if (LAKHS.matcher(number).matches()) {
            number = number.replace(",", "");
        }
        return new Amount(isNegative ? "-" + number : number, before != null ? before : behind != null ? behind : "");
    }

    /**
     * The number that a text is, by itself or with a unit; NaN if it is none.
     *
     * @param decimal mark of decimals
     */
    static double value(String text, char decimal) {
        double number = WrittenNumber.parse(text, decimal);
        Amount amount = Double.isNaN(number) ? of(text) : null;
        return amount == null ? number : WrittenNumber.parse(amount.number(), decimal);
    }

    /** The text without the signs of spreadsheets, in ASCII's digits. */
    private static String plain(String cell) {
        Matcher kept = SPREADSHEET.matcher(cell);
        String text = !kept.matches() ? cell : kept.group("text") == null ? kept.group("rest") : kept.group("text");
        StringBuilder plain = new StringBuilder(text.length() + 1);
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c > 127 && Character.isDigit(c)) {
                plain.append(Character.digit(c, 10));
            } else if ((c >= '\u00bc' && c <= '\u00be') || (c >= '\u2150' && c <= '\u215e')) {
                // one half and others of its kind, perhaps behind a whole number
                plain.append(' ').append(Normalizer.normalize(String.valueOf(c), Normalizer.Form.NFKC));
            } else {
                plain.append(c);
            }
        }
        return UNDERSCORES.matcher(plain.toString().strip()).replaceAll("");
    }

    private static double value(Matcher fraction) {
        String whole = fraction.group("whole");
        double value = (whole == null ? 0 : Long.parseLong(whole))
                + Long.parseLong(fraction.group("above")) / (double) Long.parseLong(fraction.group("below"));
        return fraction.group("sign") == null || fraction.group("sign").equals("+") ? value : -value;
    }
}
