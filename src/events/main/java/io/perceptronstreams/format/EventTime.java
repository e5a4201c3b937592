package io.perceptronstreams.format;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Event times in texts, without a format: dates and times as programs write them, numbers since 1970.
 *
 * <p>Dates are ISO 8601, year first (2026/01/31, 20260131), day first with points (31.01.2026), with an English name of
 * the month (Jan 31, 2026; 31-Jan-2026; 31/Jan/2026:12:00:00 of Apache; Sat Jan 31 12:00:00 2026), or with slashes,
 * whose {@link Order} the file decides. A time may follow, and Z, UTC, GMT or an offset; without one it is in UTC. A
 * date is its midnight.
 */
final class EventTime {
    /** March 1973; smaller numbers are no times but row numbers. */
    private static final double MIN_SECONDS = 1e8;

    /** March 1973; numbers below are seconds. */
    private static final double MIN_MILLISECONDS = 1e11;

    /** March 1973; numbers below are milliseconds. */
    private static final double MIN_MICROSECONDS = 1e14;

    /** The year 2200, before which all event times are; microseconds of browsers count from 1601. */
    private static final double MAX_MICROSECONDS = 7.2581184e15;

    /** March 1973; numbers below are microseconds. */
    private static final double MIN_NANOSECONDS = 1e17;

    /**
     * December 1990; smaller numbers are more likely counted from another year: ticks of Windows since 1601, of .NET
     * since the year 1.
     */
    private static final double FIRST_NANOSECONDS = 6.6e17;

    private static final double MAX_NANOSECONDS = 9e18;

    static final String DATES_FORMAT = "--dates-format";
    private static final int DATE_LENGTH = 10;
    private static final int MAX_LENGTH = 100;

    /** Years of dates that are digits only, so that few numbers are taken for dates. */
    private static final int MIN_YEAR = 1970;

    private static final int MAX_YEAR = 2199;

    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

    private static final String MONTH = "(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
            + "|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";

    private static final String WEEKDAY =
            "(?:(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
                    + "[.,]?\\s+)?";

    private static final String TIME =
            "(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?"
                    + "(?:\\s*(?<half>[ap])\\.?m\\.?)?";

    private static final String ZONE = "(?:\\s*(?:z|(?:utc|gmt)?(?<offset>[+-]\\d\\d(?::?\\d\\d)?)|utc|gmt)"
            + "(?:\\s*\\([^()]*\\)|\\[[^\\[\\]]*\\])?)?";

    private static final String BEHIND_DATE = "(?:(?:t|\\s*,?\\s+(?:at\\s+)?|:)" + TIME + ZONE + ")?";

    private static final List<Pattern> FORMS = List.of(
            pattern("(?<year>\\d{4})([-/.])(?<month>\\d{1,2})\\2(?<day>\\d{1,2})" + BEHIND_DATE),
            pattern("(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})" + BEHIND_DATE),
            pattern("(?<first>\\d{1,2})([-/])(?<other>\\d{1,2})\\2(?<year>\\d{4})" + BEHIND_DATE),
            pattern(WEEKDAY + "(?<day>\\d{1,2})(?:st|nd|rd|th)?[-/. ]*" + MONTH + "[-/, ]*(?<year>\\d{4})"
                    + BEHIND_DATE),
            pattern(WEEKDAY + MONTH + "[- ]*(?<day>\\d{1,2})(?:st|nd|rd|th)?[-, ]+(?<year>\\d{4})" + BEHIND_DATE),
            pattern(WEEKDAY + MONTH + "\\s+(?<day>\\d{1,2})\\s+" + TIME
                    + "(?:\\s+(?:utc|gmt|(?<offset>[+-]\\d\\d:?\\d\\d)))?\\s+(?<year>\\d{4})"),
            pattern(WEEKDAY + MONTH + "\\s+(?<day>\\d{1,2})\\s+" + TIME + "\\s+(?<year>\\d{4})"
                    + "\\s+(?<offset>[+-]\\d\\d:?\\d\\d)"),
            pattern("(?<year>\\d{4})[-/ ]" + MONTH + "[-/ ](?<day>\\d{1,2})" + BEHIND_DATE),
            pattern(
                    "(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)"
                            + "(?:[t ]?(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)?(?:\\.(?<fraction>\\d{1,9}))?(?:z|(?<offset>[+-]\\d\\d(?::?\\d\\d)?))?)?"));

    /** A date whose year has two digits, which no file decides. */
    private static final Pattern SHORT_YEAR = pattern(
            "\\d{1,2}([-/. ])(?:\\d{1,2}|(?<name>[a-z]{3}))\\1\\d\\d(?<time>\\s+\\d{1,2}:\\d\\d(?<second>:\\d\\d)?)?");

    /** Orders of day and month in dates with slashes or hyphens before a year. */
    enum Order {
        /** 31/01/2026. */
        DAY_FIRST,
        /** 01/31/2026. */
        MONTH_FIRST
    }

    private EventTime() {}

    private static Pattern pattern(String text) {
        return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
    }

    /**
     * Returns the event time in ms as {@link #parse(String, Order)} does; null also if day and month may be exchanged.
     */
    static Long parse(String text) {
        Long dayFirst = parse(text, Order.DAY_FIRST);
        Long monthFirst = parse(text, Order.MONTH_FIRST);
        return dayFirst == null || dayFirst.equals(monthFirst) ? monthFirst : monthFirst == null ? dayFirst : null;
    }

    /**
     * Returns the event time in ms; a time without an offset is in UTC, a date is its midnight.
     *
     * @param order of day and month where the text has both as numbers before the year
     * @return null if {@code text} is not a date or time from 1970 on, nor a number of one from March 1973 on
     */
    static Long parse(String text, Order order) {
        Moment time = ofAnyYear(text, order);
        return time == null || time.ms() < 0 ? null : (Long) time.ms();
    }

    /** Returns the time that {@link #ofAnyYear(String, Order)} does; null also if day and month may be exchanged. */
    static Moment ofAnyYear(String text) {
        Moment dayFirst = ofAnyYear(text, Order.DAY_FIRST);
        Moment monthFirst = ofAnyYear(text, Order.MONTH_FIRST);
        return dayFirst == null || dayFirst.equals(monthFirst) ? monthFirst : monthFirst == null ? dayFirst : null;
    }

    /** Returns the time as {@link #parse(String, Order)} does, also of a date before 1970. */
    static Moment ofAnyYear(String text, Order order) {
        try {
            return isNumber(text) ? ofNumber(text) : ofDate(text, order);
        } catch (DateTimeException | ArithmeticException e) {
            return null;
        }
    }

    /**
     * The fault of a text that is no event time.
     *
     * @param format of the event times; null: the usual forms
     * @param place such as {@code column at}
     */
    static IllegalArgumentException fault(String text, TimeFormat format, String place) {
        Moment before = format == null ? ofAnyYear(text, Order.DAY_FIRST) : format.parseAnyYear(text);
        if (before == null && format == null) {
            before = ofAnyYear(text, Order.MONTH_FIRST);
        }
        String rule;
        String remedy;
        if (before != null && before.ms() < 0) {
            rule = "from 1970 on, because Kafka has no earlier ones";
            remedy = "without --time, examples have the time at which they are sent";
        } else if (format != null) {
            rule = "of the form " + format;
            remedy = parse(text) != null ? "without --time-format, such times are read" : null;
        } else {
            return formFault("event time", text, "--time-format", place);
        }
        return new IllegalArgumentException("event time must be " + rule + ", got '" + CsvColumn.shown(text) + "' ("
                + place + (remedy == null ? "" : "; " + remedy) + ")");
    }

    /**
     * The fault of a text in a column of dates that is none.
     *
     * @param format of the dates; null: the usual forms
     * @param place such as {@code column at}
     */
    static IllegalArgumentException dateFault(String text, TimeFormat format, String place) {
        return format == null
                ? formFault("value", text, DATES_FORMAT, place)
                : new IllegalArgumentException("value must be a date of the form " + format + ", got '"
                        + CsvColumn.shown(text) + "' (" + place + "; "
                        + (ofAnyYear(text) != null
                                ? "without " + DATES_FORMAT + ", such dates are read"
                                : "--missing " + ShellWord.of(text) + " takes it as missing")
                        + ")");
    }

    /** The fault of a text that has none of the usual forms. */
    private static IllegalArgumentException formFault(String what, String text, String option, String place) {
        String rule;
        String remedy;
        if (isAmbiguous(text)) {
            rule = "a date whose day and month cannot be exchanged";
            remedy = slashFormats(text, option);
        } else {
            rule = "a date or time such as 2026-01-31, 31.01.2026 12:00 or Jan 31, 2026, or s, ms, us or ns since 1970";
            String pattern = patternOf(text);
            double number = Decimals.parse(text);
            remedy = number >= MAX_MICROSECONDS && number < FIRST_NANOSECONDS
                    ? "counted from another year? as ticks of Windows since 1601, or of .NET since the year 1; "
                            + option + " ns takes nanoseconds since 1970"
                    : option + " " + (pattern == null ? "names another form" : formats(pattern));
        }
        return new IllegalArgumentException(
                what + " must be " + rule + ", got '" + CsvColumn.shown(text) + "' (" + place + "; " + remedy + ")");
    }

    /** Several patterns with " or " between, quoted for a shell. */
    static String formats(String patterns) {
        return Arrays.stream(patterns.split(" or ", -1)).map(ShellWord::of).collect(Collectors.joining(" or "));
    }

    /** The two options for a date in which day and month may be exchanged. */
    static String slashFormats(String date, String option) {
        String mark = date.indexOf('/') >= 0 ? "/" : "-";
        return option + " " + ShellWord.of(slashPattern("d" + mark + "M" + mark + "yyyy", date)) + " or " + option + " "
                + ShellWord.of(slashPattern("M" + mark + "d" + mark + "yyyy", date));
    }

    /** The pattern of a date with a time behind it, or without. */
    private static String slashPattern(String date, String cell) {
        String time = cell.replaceFirst("^[0-9]+[-/][0-9]+[-/][0-9]{4}", "");
        String minutes = time.replaceFirst("^(,?[ Tt]+)[0-9]{2}:", "$1HH:").replaceFirst("^(,?[ Tt]+)[0-9]:", "$1H:");
        return date
                + minutes.replaceFirst(":[0-9]{2}", ":mm")
                        .replaceFirst(":[0-9]{2}", ":ss")
                        .replaceFirst("(?i) ?[ap]m$", " a")
                        .replaceFirst("(?i)z$", "X")
                        .replaceFirst("[Tt](?=H)", "'T'")
                        .replaceFirst("HH?(?=:mm.* a$)", "h");
    }

    /** Returns true for a text that is an event time, or would be with another order of day and month. */
    static boolean isTime(String text) {
        return parse(text, Order.DAY_FIRST) != null || parse(text, Order.MONTH_FIRST) != null;
    }

    /** Returns true for a text that is a date or time of any year, or would be with another order of day and month. */
    static boolean isDate(String text) {
        return ofAnyYear(text, Order.DAY_FIRST) != null || ofAnyYear(text, Order.MONTH_FIRST) != null;
    }

    /** The order of day and month that a text proves; null if it has another form, or both are up to 12. */
    static Order order(String text) {
        Moment dayFirst = ofAnyYear(text, Order.DAY_FIRST);
        Moment monthFirst = ofAnyYear(text, Order.MONTH_FIRST);
        return dayFirst == null == (monthFirst == null) ? null : dayFirst == null ? Order.MONTH_FIRST : Order.DAY_FIRST;
    }

    /** Returns true if day and month of a text may be exchanged, with another time. */
    static boolean isAmbiguous(String text) {
        return isDate(text) && ofAnyYear(text) == null;
    }

    /**
     * The {@link TimeFormat} of a date that has none of the forms above, because its year has two digits.
     *
     * @return a pattern, or several with " or " between; null if the text is no such date
     */
    static String patternOf(String text) {
        Matcher date = SHORT_YEAR.matcher(text);
        if (!date.matches()) {
            return null;
        }
        String mark = date.group(1);
        String time = date.group("time") == null ? "" : date.group("second") == null ? " HH:mm" : " HH:mm:ss";
        if (date.group("name") != null) {
            return MONTHS.contains(date.group("name").toLowerCase(Locale.ROOT))
                    ? "dd" + mark + "MMM" + mark + "yy" + time
                    : null;
        }
        String dayFirst = "dd" + mark + "MM" + mark + "yy" + time;
        return mark.equals(".") ? dayFirst : dayFirst + " or MM" + mark + "dd" + mark + "yy" + time;
    }

    private static boolean isNumber(String text) {
        return !Double.isNaN(Decimals.parse(text));
    }

    private static Moment ofNumber(String text) {
        double number = Decimals.parse(text);
        Moment date = text.length() == 8 || text.length() == 14 ? ofDigits(text) : null;
        if (date != null) {
            return date;
        }
        if (!(number >= MIN_SECONDS && number < MAX_NANOSECONDS)) {
            return null;
        }
        if (number < MIN_MICROSECONDS) {
            return Moment.ofMs(Math.round(number < MIN_MILLISECONDS ? 1000 * number : number));
        }
        if (number >= MAX_MICROSECONDS && number < FIRST_NANOSECONDS) {
            return null;
        }
        // a double has not enough digits
        return Moment.ofMs(new BigDecimal(text)
                .movePointLeft(number < MIN_NANOSECONDS ? 3 : 6)
                .longValue());
    }

    /** A date of digits only, 20260131 or 20260131120000; as milliseconds the longer one would be in the year 2612. */
    private static Moment ofDigits(String text) {
        try {
            return text.chars().allMatch(c -> c >= '0' && c <= '9')
                            && Integer.parseInt(text.substring(0, 4)) >= MIN_YEAR
                            && Integer.parseInt(text.substring(0, 4)) <= MAX_YEAR
                    ? ofForms(text, Order.DAY_FIRST)
                    : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static Moment ofDate(String text, Order order) {
        Moment iso = ofIso(text);
        if (iso != null || text.length() > MAX_LENGTH) {
            return iso;
        }
        boolean isInBrackets = text.startsWith("[") && text.endsWith("]");
        return ofForms(isInBrackets ? text.substring(1, text.length() - 1) : text, order);
    }

    private static Moment ofIso(String text) {
        boolean isLongYear = text.startsWith("+") || text.startsWith("-");
        if (text.length() < DATE_LENGTH || (!isLongYear && text.charAt(4) != '-')) {
            // without the cost of an exception
            return null;
        }
        try {
            if (text.length() == DATE_LENGTH) {
                return new Moment(LocalDate.parse(text).atStartOfDay(), ZoneOffset.UTC, false);
            }
            StringBuilder iso = new StringBuilder(text);
            if (text.length() > DATE_LENGTH && text.charAt(DATE_LENGTH) == ' ') {
                iso.setCharAt(DATE_LENGTH, 'T');
            }
            try {
                OffsetDateTime time = OffsetDateTime.parse(iso);
                return new Moment(time.toLocalDateTime(), time.getOffset(), true);
            } catch (DateTimeException e) {
                return new Moment(LocalDateTime.parse(iso), ZoneOffset.UTC, true);
            }
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static Moment ofForms(String text, Order order) {
        for (Pattern form : FORMS) {
            Matcher found = form.matcher(text);
            if (found.matches()) {
                return time(found, form, order);
            }
        }
        return null;
    }

    private static Moment time(Matcher found, Pattern form, Order order) {
        int year = Integer.parseInt(found.group("year"));
        int month;
        int day;
        if (has(form, "first")) {
            boolean isDayFirst = order == Order.DAY_FIRST;
            day = Integer.parseInt(found.group(isDayFirst ? "first" : "other"));
            month = Integer.parseInt(found.group(isDayFirst ? "other" : "first"));
        } else {
            day = Integer.parseInt(found.group("day"));
            month = has(form, "name")
                    ? 1 + MONTHS.indexOf(found.group("name").substring(0, 3).toLowerCase(Locale.ROOT))
                    : Integer.parseInt(found.group("month"));
        }
        boolean hasTime = found.group("hour") != null;
        LocalTime time = hasTime ? time(found, form) : LocalTime.MIDNIGHT;
        String offset = found.group("offset");
        return new Moment(
                LocalDate.of(year, month, day).atTime(time),
                offset == null ? ZoneOffset.UTC : ZoneOffset.of(offset),
                hasTime);
    }

    private static LocalTime time(Matcher found, Pattern form) {
        int hour = Integer.parseInt(found.group("hour"));
        String half = has(form, "half") ? found.group("half") : null;
        if (half != null) {
            if (hour < 1 || hour > 12) {
                throw new DateTimeException("hour of a half day must be from 1 to 12");
            }
            hour = hour % 12 + (half.equalsIgnoreCase("p") ? 12 : 0);
        }
        String second = found.group("second");
        String fraction = found.group("fraction");
        return LocalTime.of(
                hour,
                Integer.parseInt(found.group("minute")),
                second == null ? 0 : Integer.parseInt(second),
                fraction == null ? 0 : Integer.parseInt((fraction + "00000000").substring(0, 9)));
    }

    private static boolean has(Pattern form, String group) {
        return form.pattern().contains("(?<" + group + ">");
    }
}
