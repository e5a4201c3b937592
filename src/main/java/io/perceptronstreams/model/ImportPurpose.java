package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.Locale;

/** What imported weights are for; a header of the last chunk says so. */
public enum ImportPurpose {
    /** They become the model; no header is needed. */
    MODEL,
    /** The model is compared with them, and stays. */
    COMPARATOR;

    /** Name of the header. Its value is {@link #toString}. */
    public static final String HEADER = "perceptron-import-as";

    /**
     * The purpose that a header names.
     *
     * @param value of the header; null without one
     * @throws RejectedException if there is no such purpose
     */
    static ImportPurpose named(String value) {
        if (value == null) {
            return MODEL;
        }
        for (ImportPurpose purpose : values()) {
            if (purpose.toString().equals(value)) {
                return purpose;
            }
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHTS, "header " + HEADER + " must be model or comparator, got '" + value + "'");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
