package io.perceptronstreams.format;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number with a currency or unit before or behind it, or with a sign other than a leading hyphen: $428.50, 428,50 €,
 * 428.5 kg, 428.50-, −428.50, (428.50). Parentheses are a minus sign, as in accounts.
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

    private static final int MAX_LENGTH = 100;

    /** Returns the amount that a text is; null if it is another text. */
    static Amount of(String text) {
        Matcher found = FORM.matcher(text);
        if (text.length() > MAX_LENGTH || !found.matches()) {
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
        return new Amount(isNegative ? "-" + number : number, before != null ? before : behind != null ? behind : "");
    }
}
