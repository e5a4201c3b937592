package io.perceptronstreams.format;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import java.util.Map;

/** A form of event times that the user names: a unit since 1970, or a pattern of {@link DateTimeFormatter}. */
public final class TimeFormat {
    /** Powers of ten of the units, in ms. */
    private static final Map<String, Integer> UNITS = Map.of("s", 3, "ms", 0, "us", -3, "ns", -6);

    private final String text;
    private final DateTimeFormatter formatter;

    private TimeFormat(String text, DateTimeFormatter formatter) {
        this.text = text;
        this.formatter = formatter;
    }

    /**
     * Creates the format of a unit, {@code s}, {@code ms}, {@code us} or {@code ns}, or of a pattern such as {@code
     * dd.MM.yyyy HH:mm}, with English names of months.
     *
     * @throws IllegalArgumentException if it is neither, or has no date
     */
    public static TimeFormat of(String text) {
        if (UNITS.containsKey(text)) {
            return new TimeFormat(text, null);
        }
        try {
            if (text.indexOf('%') < 0) {
                TimeFormat format = new TimeFormat(
                        text,
                        new DateTimeFormatterBuilder()
                                .parseCaseInsensitive()
                                .appendPattern(withoutEra(text))
                                .toFormatter(Locale.ENGLISH)
                                .withResolverStyle(ResolverStyle.STRICT));
                LocalDate day = LocalDate.of(2026, 1, 31);
                String formatted = format.formatter.format(day.atStartOfDay().atOffset(ZoneOffset.UTC));
                if (day.equals(format.formatter.parse(formatted).query(TemporalQueries.localDate()))) {
                    return format;
                }
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            // the message below has the rule
        }
        throw new IllegalArgumentException(
                "must be s, ms, us or ns since 1970, or a pattern with year, month and day such as"
                        + " dd.MM.yyyy, MM/dd/yyyy HH:mm:ss or 'dd-MMM-yy', got '" + text + "'");
    }

    /** A strict formatter, which refuses February 30, has no date where an era belongs to the year. */
    private static String withoutEra(String pattern) {
        StringBuilder text = new StringBuilder(pattern);
        boolean isQuoted = false;
        for (int i = 0; i < text.length(); i++) {
            isQuoted ^= text.charAt(i) == '\'';
            if (!isQuoted && text.charAt(i) == 'y') {
                text.setCharAt(i, 'u');
            }
        }
        return text.toString();
    }

    /** Returns the event time in ms, in UTC without an offset; null if the text has another form, or is before 1970. */
    Long parse(String time) {
        Moment found = parseAnyYear(time);
        return found == null || found.ms() < 0 ? null : (Long) found.ms();
    }

    /** Returns the time as {@link #parse} does, also before 1970. */
    Moment parseAnyYear(String time) {
        try {
            if (formatter == null) {
                return Double.isNaN(Decimals.parse(time)) ? null : ofUnit(new BigDecimal(time));
            }
            TemporalAccessor found = formatter.parse(time);
            LocalDate date = found.query(TemporalQueries.localDate());
            LocalTime ofDay = found.query(TemporalQueries.localTime());
            ZoneId zone = found.query(TemporalQueries.zone());
            ZonedDateTime zoned = date.atTime(ofDay == null ? LocalTime.MIDNIGHT : ofDay)
                    .atZone(zone == null ? ZoneOffset.UTC : zone);
            return new Moment(zoned.toLocalDateTime(), zoned.getOffset(), ofDay != null);
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    private Moment ofUnit(BigDecimal number) {
        BigDecimal ms = number.scaleByPowerOfTen(UNITS.get(text));
        return ms.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? null : Moment.ofMs(ms.longValue());
    }

    @Override
    public String toString() {
        return text;
    }
}
