package io.perceptronstreams.topology;

import io.perceptronstreams.example.Reason;
import io.perceptronstreams.example.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** What imported weights are to be; the header {@code perceptron-import-as} of the last chunk says so. */
public enum ImportPurpose {
    /** The model itself; no header is needed. */
    MODEL,
    /** Those that the model, which stays, is compared with. */
    COMPARATOR;

    private static final String HEADER = "perceptron-import-as";

    /** Marks a chunk. */
    public void mark(Headers headers) {
        headers.add(HEADER, toString().getBytes(StandardCharsets.UTF_8));
    }

    static ImportPurpose of(Headers headers) {
        Header header = headers.lastHeader(HEADER);
        if (header == null) {
            return MODEL;
        }
        String value = header.value() == null ? "" : Utils.utf8(header.value());
        for (ImportPurpose purpose : values()) {
            if (purpose.toString().equals(value)) {
                return purpose;
            }
        }
        throw new RejectedException(
                Reason.INVALID_WEIGHTS, "header " + HEADER + " must be model or comparator, got '" + value + "'");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
