package io.perceptronstreams.settings;

import java.util.Locale;

/**
 * Maximum number of alerts in a period of event time.
 *
 * @param count 0: no limit
 * @param period an hour or a day of UTC
 */
public record AlertLimit(long count, Period period) {
    static final AlertLimit NONE = new AlertLimit(0, Period.DAY);

    /** Period of event time. */
    public enum Period {
        HOUR(3_600_000L),
        DAY(86_400_000L);

        private final long ms;

        Period(long ms) {
            this.ms = ms;
        }

        /** Start of the period of a time, both in ms. */
        public long start(long time) {
            return Math.floorDiv(time, ms) * ms;
        }
    }

    /** @throws IllegalArgumentException if it is none of the texts of {@link #toString} */
    static AlertLimit parse(String text) {
        if (text.isBlank()) {
            return NONE;
        }
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException();
        }
        long count = Long.parseLong(text.substring(0, slash).strip());
        if (count < 1) {
            throw new IllegalArgumentException();
        }
        String name = text.substring(slash + 1).strip();
        for (Period each : Period.values()) {
            if (spelled(each).equals(name)) {
                return new AlertLimit(count, each);
            }
        }
        throw new IllegalArgumentException();
    }

    private static String spelled(Period period) {
        return period.name().toLowerCase(Locale.ROOT);
    }

    public boolean isNone() {
        return count == 0;
    }

    /** {@code NUMBER/hour} or {@code NUMBER/day}; empty without a limit. */
    @Override
    public String toString() {
        return isNone() ? "" : count + "/" + spelled(period);
    }
}
