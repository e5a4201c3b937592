package io.perceptronstreams.serde;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Objects;

/**
 * The event time that an example in JSON may have: its field {@code timestamp}, in ms since 1970 or as ISO 8601 text.
 *
 * @param text the value as it is written, without the quotes of a string
 */
public record JsonTimestamp(JsonToken token, String text) {
    private static final String FIELD = "timestamp";
    private static final byte[] QUOTED = ("\"" + FIELD + "\"").getBytes(StandardCharsets.US_ASCII);

    /** Seconds from September 2001 on; as milliseconds, 12 days after the beginning of 1970. */
    private static final long FIRST_SECONDS = 1_000_000_000L;

    /** Seconds until the year 2286; as milliseconds, 116 days after the beginning of 1970. */
    private static final long END_SECONDS = 10_000_000_000L;

    /** First invalid time in ms, the year 2200: microseconds and nanoseconds, taken as ms, are later. */
    public static final long END = Instant.parse("2200-01-01T00:00:00Z").toEpochMilli();

    /** March 1973: what is earlier as micro- or nanoseconds is not taken for them. */
    private static final long FIRST_FINE = 100_000_000_000L;

    /** Doubles are whole numbers without gaps up to it. */
    private static final double MAX_EXACT = 1L << 53;

    /**
     * Returns true for a time in ms that is in seconds instead, between 2001 and 2286. Retention would delete the
     * record, and its outputs, within minutes. Simulated times from 0 on are not among them for the first 11 days.
     */
    public static boolean isInSeconds(long timestamp) {
        return timestamp >= FIRST_SECONDS && timestamp < END_SECONDS;
    }

    /** Returns true for a time in ms that events may have. */
    public static boolean isValid(long timestamp) {
        return timestamp >= 0 && timestamp < END && !isInSeconds(timestamp);
    }

    /** Describes a time, with its unit if that seems not to be ms, and the remedy. */
    public static String shown(long timestamp) {
        if (isInSeconds(timestamp)) {
            return timestamp + ", a time of 1970 (in seconds? then multiply it by 1000: "
                    + Instant.ofEpochSecond(timestamp) + ")";
        }
        String micros = finer(timestamp, 1_000, "microseconds");
        return micros != null
                ? micros
                : Objects.requireNonNullElse(finer(timestamp, 1_000_000, "nanoseconds"), Long.toString(timestamp));
    }

    /** Describes a time in a finer unit; null if it is not such a one. */
    private static String finer(long timestamp, long perMs, String unit) {
        long ms = timestamp / perMs;
        return timestamp < END || ms < FIRST_FINE || ms >= END
                ? null
                : timestamp + ", a time after 2199 (in " + unit + "? then divide it by " + perMs + ": "
                        + Instant.ofEpochMilli(ms) + ")";
    }

    /**
     * Returns the event time in the value of a record.
     *
     * @param value any bytes
     * @param otherwise returned if the value is not a JSON object with a timestamp
     * @throws IllegalArgumentException with the timestamp, if it is neither a number nor ISO 8601 text; not if it is in
     *     another unit
     */
    public static long of(byte[] value, long otherwise) {
        return value == null ? otherwise : of(value, 0, value.length, otherwise);
    }

    /** Returns the event time in a part of a value, as {@link #of(byte[], long)}. */
    static long of(byte[] value, int start, int end, long otherwise) {
        if (start == end || value[start] != '{' || !mayContain(value, start, end)) {
            return otherwise;
        }
        JsonTimestamp timestamp;
        try {
            timestamp = find(value, start, end);
        } catch (IOException e) {
            // the decoder rejects the whole value
            return otherwise;
        }
        Long ms = timestamp == null ? (Long) otherwise : timestamp.ms();
        if (ms == null) {
            throw new IllegalArgumentException(timestamp.written());
        }
        return ms;
    }

    private static JsonTimestamp find(byte[] value, int start, int end) throws IOException {
        try (JsonParser json = JsonInput.MAPPER.createParser(value, start, end - start)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean isFound = json.currentName().equals(FIELD);
                json.nextToken();
                if (isFound) {
                    return read(json);
                }
                json.skipChildren();
            }
        }
        return null;
    }

    /** Reads the value of the field, whose first token is the current one; null for a missing value. */
    static JsonTimestamp read(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        return new JsonTimestamp(
                token,
                token.isScalarValue() ? json.getText() : json.readValueAsTree().toString());
    }

    /** Returns the event time in ms, without fractions of them; null if it is neither a number nor ISO 8601 text. */
    private Long ms() {
        try {
            if (token == JsonToken.VALUE_NUMBER_FLOAT) {
                double number = Math.floor(JavaDoubleParser.parseDouble(text));
                return Math.abs(number) <= MAX_EXACT ? (Long) (long) number : null;
            }
            return token == JsonToken.VALUE_NUMBER_INT
                    ? Long.parseLong(text)
                    : OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            return null;
        }
    }

    /**
     * Returns the event time in ms.
     *
     * @throws RejectedException if it is invalid, or in seconds, microseconds or nanoseconds
     */
    long checked() {
        return checked(FIELD);
    }

    /** Returns the time of another field in ms, as {@link #checked()}. */
    long checked(String field) {
        Long ms = ms();
        if (ms == null || ms < 0) {
            throw new RejectedException(
                    RejectReason.INVALID_TIMESTAMP,
                    field + " must be in ms since 1970 or as in 2026-01-31T12:00:00Z, got " + written());
        }
        if (!isValid(ms)) {
            throw new RejectedException(
                    RejectReason.INVALID_TIMESTAMP,
                    field + " must be in ms since 1970" + (ms < END ? "" : ", before the year 2200") + ", got "
                            + shown(ms));
        }
        return ms;
    }

    private String written() {
        return Utf8Slice.shortened(token == JsonToken.VALUE_STRING ? '"' + text + '"' : text, 80);
    }

    /** Returns false if the value has no such field for certain: its name may be escaped, or in UTF-16. */
    static boolean mayContain(byte[] value, int start, int end) {
        for (int at = start; at < end; at++) {
            byte next = value[at];
            if (next == '\\' || next == 0 || (next == '"' && startsWith(value, at, end))) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWith(byte[] value, int at, int limit) {
        int end = at + QUOTED.length;
        return end <= limit && Arrays.equals(value, at, end, QUOTED, 0, QUOTED.length);
    }
}
