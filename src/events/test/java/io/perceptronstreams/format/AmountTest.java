package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AmountTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "$428.50 | 428.50 | $",
                "-$428.50 | -428.50 | $",
                "$-428.50 | -428.50 | $",
                "$ (428.50) | -428.50 | $",
                "($428.50) | -428.50 | $",
                "(428.50) | -428.50 | ''",
                "( 428.50 ) | -428.50 | ''",
                "428.50- | -428.50 | ''",
                "−428.50 | -428.50 | ''",
                "–428.50 | -428.50 | ''",
                "+428.50 | 428.50 | ''",
                "1.234,50 € | 1.234,50 | €",
                "€1.234,50 | 1.234,50 | €",
                "-1.234,50 € | -1.234,50 | €",
                "1.234,50- € | -1.234,50 | €",
                "US$ 5 | 5 | US$",
                "R$5 | 5 | R$",
                "USD 5 | 5 | USD",
                "EUR5 | 5 | EUR",
                "5 EUR | 5 | EUR",
                "Rs. 500 | 500 | Rs.",
                "kr 5 | 5 | kr",
                "CHF 1'234.50 | 1'234.50 | CHF",
                "428.5 kg | 428.5 | kg",
                "5kg | 5 | kg",
                "5 km/h | 5 | km/h",
                "21 °C | 21 | °C",
                "5 m² | 5 | m²",
                "−12% | -12% | ''",
                "(12 %) | -12 % | ''",
                "1e5 kg | 1e5 | kg",
                "$.50 | .50 | $",
                "３.５ kg | 3.5 | kg",
                "=\"$5\" | 5 | $",
                "12,34,500.25 | 1234500.25 | ''",
                "1_000 | 1000 | ''",
                "3/4 | 0.75 | ''",
                "-1 1/2 | -1.5 | ''",
                "2½ | 2.5 | ''"
            })
    void shouldReadAmounts(String text, String number, String unit) {
        assertThat(Amount.of(text)).isEqualTo(new Amount(number, unit));
    }

    /** An apostrophe in front keeps a text in a spreadsheet. */
    @Test
    void shouldReadTheTextOfASpreadsheet() {
        assertThat(Amount.of("'428.50")).isEqualTo(new Amount("428.50", ""));
        assertThat(Amount.of("=\"428.50\"")).isEqualTo(new Amount("428.50", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "$",
                "Q1",
                "B52",
                "D-01067",
                "3-5",
                "--5",
                "-5-",
                "(-5)",
                "(5",
                "5)",
                "$5 kg",
                "2026-01-31",
                "12:00",
                "5 kg 3 g",
                "half a kg",
                "3/0",
                "3/",
                "1/2/3",
                "10²",
                "1_00",
                "'"
            })
    void shouldRefuseOtherTexts(String text) {
        assertThat(Amount.of(text)).isNull();
    }
}
