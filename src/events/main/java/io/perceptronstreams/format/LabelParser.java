package io.perceptronstreams.format;

import java.nio.charset.StandardCharsets;

/** Parses the labels of one text, all of one type. Messages do not contain file and line. */
final class LabelParser {
    private static final String NUMBERS = "numbers as labels: this program classifies, it does not predict numbers; ";

    private final LabelType given;
    private LabelType type;
    private boolean isBoolean;

    LabelParser(LabelType given) {
        this.given = given;
        this.type = given;
    }

    /**
     * Parses the bytes from {@code from} to before {@code to} as an Integer or a String.
     *
     * @throws IllegalArgumentException if the type differs from earlier labels, or the label is neither a whole number,
     *     true or false, nor a name
     */
    Object parse(byte[] text, int from, int to) {
        if (type == LabelType.STRING) {
            return new String(text, from, to - from, StandardCharsets.UTF_8);
        }
        double number = Decimals.parse(text, from, to);
        if (number == (int) number && !isBoolean) {
            type = LabelType.INT;
            return (int) number;
        }
        return parseOther(new String(text, from, to - from, StandardCharsets.UTF_8), number);
    }

    private Object parseOther(String label, double number) {
        boolean isTrue = label.equalsIgnoreCase("true");
        boolean isFirst = type == LabelType.AUTO;
        if ((isTrue || label.equalsIgnoreCase("false")) && (isFirst || isBoolean || given == LabelType.INT)) {
            type = LabelType.INT;
            // with the type given, numbers may stand beside them
            isBoolean = given == LabelType.AUTO;
            return isTrue ? 1 : 0;
        }
        if (!isFirst) {
            boolean isFraction = Double.isFinite(number) && number != Math.rint(number);
            throw new IllegalArgumentException("label must be " + (isBoolean ? "true or false" : "a whole number")
                    + ", got '" + label + "' ("
                    + (isFraction && !isBoolean
                            ? NUMBERS
                            : given == LabelType.AUTO ? "the labels before it were; " : "")
                    + "--label-type string takes labels as names)");
        }
        if (!Double.isNaN(number)) {
            throw new IllegalArgumentException("label must be a whole number or a name, got '" + label + "' (" + NUMBERS
                    + "--label-type string takes it as a name)");
        }
        type = LabelType.STRING;
        return label;
    }

    /** Returns true if the user has not named the type. */
    boolean isGuessed() {
        return given == LabelType.AUTO;
    }

    Object parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(bytes, 0, bytes.length);
    }
}
