package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Purpose of imported weights, given by a header of the last chunk. */
public enum ImportPurpose {
    /**
     * The weights become the model; no header is needed. With {@link #learnedThrough}, the examples since are learned
     * before they do.
     */
    MODEL,
    /** The model is compared with the weights, and does not change. */
    COMPARATOR,
    /** The weights become a challenger of the model, whose name and options follow. */
    CHALLENGER;

    /** Name of the header. Its value is {@link #toString}, or {@link #ofChallenger}. */
    public static final String HEADER = "perceptron-import-as";

    private static final String THROUGH = MODEL + "@";

    /**
     * Value of the header for weights that have learned the records of their partition up to an offset, itself
     * included.
     */
    public static String through(long offset) {
        return THROUGH + offset;
    }

    /**
     * Returns the offset up to which weights have learned; {@link LiveModel#NO_POSITION} if the header does not have
     * it.
     *
     * @param value of the header; null if there is none
     */
    static long learnedThrough(String value) {
        return isThrough(value) ? Long.parseLong(value.substring(THROUGH.length())) : LiveModel.NO_POSITION;
    }

    private static boolean isThrough(String value) {
        return value != null
                && value.startsWith(THROUGH)
                && value.substring(THROUGH.length()).matches("\\d{1,18}");
    }

    /**
     * Returns the purpose for a header.
     *
     * @param value of the header; null if there is none
     * @throws RejectedException if there is no such purpose
     */
    static ImportPurpose named(String value) {
        if (value == null || isThrough(value)) {
            return MODEL;
        }
        String first = value.split(" ", 2)[0];
        for (ImportPurpose purpose : values()) {
            if (purpose.toString().equals(purpose == CHALLENGER ? first : value)) {
                return purpose;
            }
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHTS,
                "header " + HEADER + " must be model, model@OFFSET, comparator, or challenger and its options, got '"
                        + Utf8Slice.shortened(value, 80) + "'");
    }

    /**
     * Returns the value of the header of a challenger: {@code challenger}, and for each setting a blank and {@code
     * key=value}.
     *
     * @param command settings of the command CHALLENGE
     */
    public static String ofChallenger(Map<String, String> command) {
        return CHALLENGER
                + command.entrySet().stream()
                        .map(each -> " " + each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining());
    }

    /**
     * Returns the settings in the header of a challenger.
     *
     * @throws RejectedException if a part is no setting
     */
    static Map<String, String> challenge(String value) {
        Map<String, String> command = new LinkedHashMap<>();
        String[] parts = value.split(" ", -1);
        for (int k = 1; k < parts.length; k++) {
            int end = parts[k].indexOf('=');
            if (end < 1 || command.put(parts[k].substring(0, end), parts[k].substring(end + 1)) != null) {
                throw new RejectedException(
                        RejectReason.INVALID_WEIGHTS,
                        "header " + HEADER + " must have options key=value after challenger, each once, got '"
                                + Utf8Slice.shortened(parts[k], 80) + "'");
            }
        }
        return command;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
