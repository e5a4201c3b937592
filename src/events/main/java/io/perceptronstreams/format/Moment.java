package io.perceptronstreams.format;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A date or time as a text has it.
 *
 * @param local date and time as written; the midnight of a date without a time
 * @param ms since 1970 in UTC, below 0 before
 * @param hasTime false for a date alone
 */
record Moment(LocalDateTime local, long ms, boolean hasTime) {
    private static final List<String> WEEKDAYS = List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
    private static final double DAY_MS = 24 * 3600 * 1000;

    /**
     * The moment of a local time.
     *
     * @throws ArithmeticException if it is too far from 1970 for a number of milliseconds
     */
    Moment(LocalDateTime local, ZoneOffset offset, boolean hasTime) {
        this(local, local.toInstant(offset).toEpochMilli(), hasTime);
    }

    /** The moment of a number of milliseconds since 1970, in UTC. */
    static Moment ofMs(long ms) {
        return new Moment(LocalDateTime.ofInstant(Instant.ofEpochMilli(ms), ZoneOffset.UTC), ms, true);
    }

    /**
     * Adds the features of a column: of {@link ColumnKind#DATES} {@code column.weekday=Sat} and, of a text with a time,
     * {@code column.hour=13}, both of value 1 and as written, without a change of the time zone; of
     * {@link ColumnKind#DAYS} {@code column.days}, the days since 1970 in UTC, with the time as their fraction.
     *
     * @param feature name of the column's features
     * @param kinds one of them, or both
     */
    void addFeatures(String feature, Set<ColumnKind> kinds, Map<String, Double> features) {
        if (kinds.contains(ColumnKind.DATES)) {
            features.put(
                    feature + ".weekday=" + WEEKDAYS.get(local.getDayOfWeek().getValue() - 1), 1.0);
            if (hasTime) {
                features.put(feature + ".hour=" + local.getHour(), 1.0);
            }
        }
        if (kinds.contains(ColumnKind.DAYS)) {
            features.put(feature + ".days", ms / DAY_MS);
        }
    }
}
