package io.perceptronstreams.serde;

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

    /**
     * Returns true for a time in ms that is in seconds instead, between 2001 and 2286. Retention would delete the record, and its
     * outputs, within minutes. Simulated times from 0 on are not among them for the first 11 days.
     */
    public static boolean isInSeconds(long timestamp) {
        return timestamp >= FIRST_SECONDS && timestamp < END_SECONDS;
    }

    /** Describes a time that {@link #isInSeconds}. */
    public static String inSeconds(long timestamp) {
        return timestamp + ", a time of 1970 (in seconds? then multiply it by 1000: " + Instant.ofEpochSecond(timestamp)
                + ")";
    }

    /**
     * Returns the event time in the value of a record.
     *
     * @param value any bytes
     * @param otherwise returned if the value is not a JSON object with a timestamp
     * @throws IllegalArgumentException with the timestamp, if it is neither a whole number nor ISO 8601 text; not if it is in
     *     seconds
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
            throw new IllegalArgumentException(timestamp.shown());
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

    /** Returns the event time in ms; null if it is neither a whole number nor ISO 8601 text. */
    private Long ms() {
        try {
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
     * @throws RejectedException if it is invalid, or in seconds
     */
    long checked() {
        Long ms = ms();
        if (ms == null || ms < 0) {
            throw new RejectedException(
                    RejectReason.INVALID_TIMESTAMP,
                    "timestamp must be in ms since 1970 or as in 2026-01-31T12:00:00Z, got " + shown());
        }
        if (isInSeconds(ms)) {
            throw new RejectedException(
                    RejectReason.INVALID_TIMESTAMP, "timestamp must be in ms since 1970, got " + inSeconds(ms));
        }
        return ms;
    }

    private String shown() {
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
