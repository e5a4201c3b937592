package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.format.EventTime.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each time is that of {@code date -u -d … +%s}: of 2026-01-31T12:00:00Z it is 1769860800, of the midnight before
 * 1769817600.
 */
final class EventTimeTest {
    @ParameterizedTest
    @CsvSource({
        "2026-01-31,1769817600000",
        "2026-01-31T12:00:00Z,1769860800000",
        "2026-01-31 12:00:00,1769860800000",
        "2026-01-31T12:00,1769860800000",
        "2026-01-31 12:00:00.250,1769860800250",
        "2026-01-31 12:00:00+01:00,1769857200000",
        "1769860800,1769860800000",
        "1769860800.25,1769860800250",
        "1769860800000,1769860800000",
        "1.7698608e12,1769860800000"
    })
    void shouldParseDatesAndNumbers(String text, long time) {
        assertThat(EventTime.parse(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "31.01.2026 | 1769817600000",
                "31.1.2026 | 1769817600000",
                "31.01.2026 12:00 | 1769860800000",
                "31.01.2026 12:00:00,250 | 1769860800250",
                "31.01.2026, 12:00:00 | 1769860800000",
                "31/01/2026 | 1769817600000",
                "01/31/2026 | 1769817600000",
                "1/31/2026 12:00:00 PM | 1769860800000",
                "1/31/2026 12:00 AM | 1769817600000",
                "31-01-2026 12:00:00 | 1769860800000",
                "05/05/2026 | 1777939200000",
                "2026/01/31 | 1769817600000",
                "2026/1/31 12:00:00 | 1769860800000",
                "2026.01.31 | 1769817600000",
                "20260131 | 1769817600000",
                "20260131T120000Z | 1769860800000",
                "20260131120000 | 1769860800000",
                "2026-01-31 12:00:00 UTC | 1769860800000",
                "2026-01-31 13:00:00 +0100 | 1769860800000",
                "2026-01-31 13:00:00+01 | 1769860800000",
                "2026-01-31T12:00:00.123456789Z | 1769860800123",
                "2026-01-31T13:00:00+01:00[Europe/Berlin] | 1769860800000",
                "Sat, 31 Jan 2026 12:00:00 GMT | 1769860800000",
                "Sat, 31 Jan 2026 13:00:00 +0100 | 1769860800000",
                "Jan 31, 2026 | 1769817600000",
                "January 31, 2026 12:00 PM | 1769860800000",
                "Jan 31, 2026 12:00:00.000000000 UTC | 1769860800000",
                "31 January 2026 | 1769817600000",
                "31-Jan-2026 | 1769817600000",
                "31-JAN-2026 12:00:00 | 1769860800000",
                "31JAN2026:12:00:00 | 1769860800000",
                "31/Jan/2026:13:00:00 +0100 | 1769860800000",
                "[31/Jan/2026:12:00:00 +0000] | 1769860800000",
                "Sat Jan 31 12:00:00 2026 | 1769860800000",
                "Sat Jan 31 12:00:00 UTC 2026 | 1769860800000",
                "Sat Jan 31 12:00:00 +0000 2026 | 1769860800000",
                "Sat Jan 31 13:00:00 2026 +0100 | 1769860800000",
                "Sat Jan 31 2026 13:00:00 GMT+0100 (Central European Standard Time) | 1769860800000",
                "2026-Jan-31 12:00 | 1769860800000",
                "1769860800123456 | 1769860800123",
                "1769860800123999999 | 1769860800123",
                "1.7698608e18 | 1769860800000"
            })
    void shouldParseDatesAsProgramsWriteThem(String text, long time) {
        assertThat(EventTime.parse(text)).isEqualTo(time);
    }

    // 20260231 seconds would be in August 1970, and there is no such day
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "20260231",
                "17",
                "-1769860800",
                "1969-12-31",
                "31.12.1969",
                "31.02.2026",
                "12:00",
                "32/01/2026",
                "13/13/2026",
                "31 Foo 2026",
                "31.01.26",
                "Jan 2026",
                "0/31/2026 13:00 PM",
                "1/31/2026 13:00 PM",
                "2026-01-31 12:00:00 CET",
                "x 2026-01-31",
                "[2026-01-31"
            })
    void shouldRefuseOtherTexts(String text) {
        assertThat(EventTime.parse(text)).isNull();
        assertThat(EventTime.isTime(text)).isFalse();
    }

    // 3 April or 4 March: 1775174400 or 1772582400
    @Test
    void shouldLeaveTheOrderOfDayAndMonthToTheFile() {
        assertThat(EventTime.parse("03/04/2026")).isNull();
        assertThat(EventTime.isAmbiguous("03/04/2026")).isTrue();
        assertThat(EventTime.parse("03/04/2026", Order.DAY_FIRST)).isEqualTo(1775174400000L);
        assertThat(EventTime.parse("03/04/2026", Order.MONTH_FIRST)).isEqualTo(1772582400000L);
        assertThat(EventTime.order("13/04/2026")).isEqualTo(Order.DAY_FIRST);
        assertThat(EventTime.order("04/13/2026")).isEqualTo(Order.MONTH_FIRST);
        assertThat(EventTime.order("03/04/2026")).isNull();
        assertThat(EventTime.order("13.04.2026")).isNull();
        assertThat(EventTime.isAmbiguous("04/04/2026")).isFalse();
    }

    /** FILETIME of Windows, microseconds of browsers, ticks of .NET: as nanoseconds they were times of 1970 to 1990. */
    @ParameterizedTest
    @ValueSource(strings = {"134146752000000000", "13414675200000000", "639054612000000000"})
    void shouldNotTakeTimesSinceAnotherYearForNanoseconds(String text) {
        assertThat(EventTime.parse(text)).isNull();
        assertThat(EventTime.fault(text, null, "column at"))
                .hasMessageContaining(
                        "(column at; counted from another year? as ticks of Windows since 1601, or of .NET since the"
                                + " year 1; --time-format ns takes nanoseconds since 1970)");
        assertThat(TimeFormat.of("ns").parse(text)).isPositive();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "31.01.26 | dd.MM.yy",
                "31.01.26 12:00 | dd.MM.yy HH:mm",
                "31-JAN-26 | dd-MMM-yy",
                "31/01/26 | dd/MM/yy or MM/dd/yy",
                "31.01.2026 | ",
                "1.2.3 | ",
                "31-FOO-26 |"
            })
    void shouldNameThePatternOfAYearOfTwoDigits(String text, String pattern) {
        assertThat(EventTime.patternOf(text)).isEqualTo(pattern);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s | 1769860800.25 | 1769860800250",
                "ms | 1769860800000 | 1769860800000",
                "us | 1769860800123456 | 1769860800123",
                "ns | 1769860800123456789 | 1769860800123",
                "s | 17 | 17000",
                "dd.MM.yy | 31.01.26 | 1769817600000",
                "dd-MMM-yy | 31-JAN-26 | 1769817600000",
                "MM/dd/yyyy HH:mm | 01/31/2026 12:00 | 1769860800000",
                "d/M/yyyy | 3/4/2026 | 1775174400000",
                "M/d/yyyy | 3/4/2026 | 1772582400000",
                "yyyy-MM-dd'T'HH:mm:ssXXX | 2026-01-31T13:00:00+01:00 | 1769860800000",
                "yyyyMMdd | 20260131 | 1769817600000",
                "dd.MM.yyyy | 30.02.2026 |",
                "dd.MM.yyyy | 1769860800 |",
                "dd.MM.yyyy | 31.12.1969 |",
                "s | 2026-01-31 |",
                "s | -1 |",
                "s | 1e999 |"
            })
    void shouldParseTheFormThatIsNamed(String format, String text, Long time) {
        assertThat(TimeFormat.of(format).parse(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%d.%m.%Y", "HH:mm", "yyyy-MM", "x", "", "minutes"})
    void shouldRefuseFormsWithoutADate(String format) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimeFormat.of(format))
                .withMessageStartingWith("must be s, ms, us or ns since 1970, or a pattern with year, month and day")
                .withMessageEndingWith("got '" + format + "'");
    }
}
