package io.perceptronstreams.format;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Event times in texts: ISO 8601 dates and times, seconds or milliseconds since 1970. */
final class EventTime {
    /** March 1973; smaller numbers are no times but row numbers, or dates such as 20260131. */
    private static final double MIN_SECONDS = 1e8;

    /** March 1973; numbers below are seconds. */
    private static final double MIN_MILLISECONDS = 1e11;

    private static final double MAX_MILLISECONDS = 1e14;
    private static final int DATE_LENGTH = 10;

    private EventTime() {}

    /**
     * Returns the event time in ms; a time without an offset is in UTC, a date is its midnight.
     *
     * @return null if {@code text} is not a date or time from 1970 on, nor a number of one from March 1973 on
     */
    static Long parse(String text) {
        double number = Decimals.parse(text);
        if (!Double.isNaN(number)) {
            return number >= MIN_SECONDS && number < MAX_MILLISECONDS
                    ? (Long) Math.round(number < MIN_MILLISECONDS ? 1000 * number : number)
                    : null;
        }
        try {
            long time = dateTime(text).toInstant().toEpochMilli();
            return time < 0 ? null : (Long) time;
        } catch (DateTimeException | ArithmeticException e) {
            return null;
        }
    }

    private static OffsetDateTime dateTime(String text) {
        if (text.length() == DATE_LENGTH) {
            return LocalDate.parse(text).atStartOfDay().atOffset(ZoneOffset.UTC);
        }
        StringBuilder iso = new StringBuilder(text);
        if (text.length() > DATE_LENGTH && text.charAt(DATE_LENGTH) == ' ') {
            iso.setCharAt(DATE_LENGTH, 'T');
        }
        try {
            return OffsetDateTime.parse(iso);
        } catch (DateTimeException e) {
            return LocalDateTime.parse(iso).atOffset(ZoneOffset.UTC);
        }
    }
}
