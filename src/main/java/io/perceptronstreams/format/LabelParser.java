package io.perceptronstreams.format;

import java.nio.charset.StandardCharsets;

/** Parses the labels of one text, all of one type. Messages do not contain file and line. */
final class LabelParser {
    private final boolean given;
    private LabelType type;

    LabelParser(LabelType type) {
        this.type = type;
        this.given = type != LabelType.AUTO;
    }

    /**
     * Parses the bytes from {@code from} to before {@code to} as an Integer or a String.
     *
     * @throws IllegalArgumentException if the type differs from earlier labels, or the label is neither a whole number
     *     nor a name
     */
    Object parse(byte[] text, int from, int to) {
        if (type == LabelType.STRING) {
            return new String(text, from, to - from, StandardCharsets.UTF_8);
        }
        double number = Decimals.parse(text, from, to);
        if (number == (int) number) {
            type = LabelType.INT;
            return (int) number;
        }
        String label = new String(text, from, to - from, StandardCharsets.UTF_8);
        if (type == LabelType.INT) {
            throw new IllegalArgumentException("label must be a whole number, got '" + label + "' ("
                    + (given ? "" : "the labels before it were; ") + "--label-type string takes labels as names)");
        }
        if (!Double.isNaN(number)) {
            throw new IllegalArgumentException("label must be a whole number or a name, got '" + label
                    + "' (--label-type string takes it as a name)");
        }
        type = LabelType.STRING;
        return label;
    }

    Object parse(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return parse(bytes, 0, bytes.length);
    }
}
