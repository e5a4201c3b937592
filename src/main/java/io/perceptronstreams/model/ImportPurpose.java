package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.Locale;

/** Purpose of imported weights, given by a header of the last chunk. */
public enum ImportPurpose {
    /** The weights become the model; no header is needed. */
    MODEL,
    /** The model is compared with the weights, and does not change. */
    COMPARATOR;

    /** Name of the header. Its value is {@link #toString}. */
    public static final String HEADER = "perceptron-import-as";

    /**
     * Returns the purpose for a header.
     *
     * @param value of the header; null if there is none
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
