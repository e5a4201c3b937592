package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WrittenNumberTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '"',
            value = {
                "21,5 ~ NaN ~ 21.5",
                "1,250 ~ 1250 ~ 1.25",
                "1.250 ~ 1.25 ~ 1250",
                "1,234.50 ~ 1234.5 ~ NaN",
                "1.234,50 ~ NaN ~ 1234.5",
                "-1,234,567 ~ -1234567 ~ NaN",
                "1 234,5 ~ NaN ~ 1234.5",
                "1\u00a0234 ~ 1234 ~ 1234",
                "1\u202f234.5 ~ 1234.5 ~ NaN",
                "1'234 ~ 1234 ~ 1234",
                "0,125 ~ NaN ~ 0.125",
                "1234,567 ~ NaN ~ 1234.567",
                "12,34,567 ~ NaN ~ NaN",
                "1,2345 ~ NaN ~ 1.2345",
                "1,234,56 ~ NaN ~ NaN",
                "1,234 567 ~ NaN ~ NaN",
                "12% ~ 0.12 ~ 0.12",
                "12.3 % ~ 0.123 ~ NaN",
                "12,3% ~ NaN ~ 0.123",
                "1e3 ~ 1000 ~ 1000",
                "1,5e3 ~ NaN ~ 1500",
                "0.25D+01 ~ 2.5 ~ NaN",
                "-1,5d-3 ~ NaN ~ -0.0015",
                "1D2 ~ NaN ~ NaN",
                "1D+2 ~ NaN ~ NaN",
                "1.5D2 ~ NaN ~ NaN",
                "1.5D+ ~ NaN ~ NaN",
                "+5 ~ 5 ~ 5",
                ",5 ~ NaN ~ 0.5",
                "inf ~ Infinity ~ Infinity",
                "-Infinity ~ Infinity ~ Infinity",
                "% ~ NaN ~ NaN",
                "1-2 ~ NaN ~ NaN",
                "31.12.2020 ~ NaN ~ NaN",
                "10.0.0.1 ~ NaN ~ NaN",
                "PC 49499 ~ NaN ~ NaN",
                "\"\" ~ NaN ~ NaN"
            })
    void shouldParseBothNotations(String text, Double point, Double comma) {
        assertThat(WrittenNumber.parse(text, '.')).isEqualTo(point);
        assertThat(WrittenNumber.parse(text, ',')).isEqualTo(comma);
    }

    /** Against Java's own formatter. */
    @Test
    void shouldParseWhatOtherProgramsFormat() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1000; i++) {
            double value = Math.round((random.nextDouble() - 0.5) * Math.pow(10, 2 + random.nextInt(9))) / 100.0;

            assertThat(WrittenNumber.parse(String.format(Locale.US, "%,.2f", value), '.'))
                    .as("seed %d", seed)
                    .isEqualTo(value);
            assertThat(WrittenNumber.parse(String.format(Locale.GERMANY, "%,.2f", value), ','))
                    .as("seed %d", seed)
                    .isEqualTo(value);
        }
    }

    @ParameterizedTest
    @CsvSource({"01067,true", "00,true", "0,false", "10,false", "0.5,false", "-01,false", "0x1,false", "0e1,false"})
    void shouldTakeDigitsBehindA0ForACode(String text, boolean isCode) {
        assertThat(WrittenNumber.isCode(text)).isEqualTo(isCode);
    }
}
