package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.NumberTexts.Form;
import java.math.BigInteger;
import java.util.Base64;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class NumberTextsTest {
    private static Form form(int count, IntFunction<String> text) {
        NumberTexts texts = new NumberTexts();
        IntStream.range(0, count).forEach(k -> texts.addName("fare=" + text.apply(k)));
        NumberTexts.Finding found = texts.of("fare");
        return found == null ? null : found.form();
    }

    private static String base64(long unscaled) {
        return Base64.getEncoder().encodeToString(BigInteger.valueOf(unscaled).toByteArray());
    }

    @Test
    void shouldFindDecimals() {
        assertThat(form(1, k -> "0.734")).isEqualTo(Form.DECIMAL);
        assertThat(form(40, k -> k + (k % 2 == 0 ? ".5" : ""))).isEqualTo(Form.DECIMAL);
        assertThat(form(40, k -> "-1.5E" + k)).isEqualTo(Form.DECIMAL);
    }

    @Test
    void shouldFindManyWholeNumbers() {
        assertThat(form(64, k -> Integer.toString(100 * k))).isEqualTo(Form.WHOLE);
        assertThat(form(64, k -> Long.toString(1_795_856_400_000_000_000L + k))).isEqualTo(Form.WHOLE);
        // hours, minutes
        assertThat(form(200, k -> Integer.toString(k % 60))).isNull();
        // codes
        assertThat(form(200, k -> String.format(Locale.ROOT, "%05d", k))).isNull();
    }

    @Test
    void shouldFindAmounts() {
        for (String form : new String[] {
            "$%d.50", "%d,50", "1.%03d,00 €", "%d.50-", "\u2212%d", "(%d.00)", "%d %%", "EUR %d", "1\u202f%03d"
        }) {
            assertThat(form(40, k -> String.format(Locale.ROOT, form, 100 + k)))
                    .as(form)
                    .isEqualTo(Form.AMOUNT);
        }
    }

    @Test
    void shouldFindDecimalsInBase64() {
        Random random = new Random(1);
        assertThat(form(40, k -> base64(random.nextInt(10_000)))).isEqualTo(Form.BASE64);
        // 30,000.00 to 80,000.00 all have three bytes, and no padding
        assertThat(form(40, k -> base64(3_000_000 + random.nextInt(5_000_000)))).isEqualTo(Form.BASE64);
        assertThat(form(40, k -> base64(random.nextLong()))).isEqualTo(Form.BASE64);
    }

    @Test
    void shouldNotTakeWordsForNumbers() {
        String[] words =
                "cash card coin bank note gold loan debt wire fund bond cost rate fees paid sold Rome Oslo Bern Lima Kiev Riga"
                        .split(" ", -1);
        assertThat(form(words.length, k -> words[k])).isNull();
        assertThat(form(40, k -> "1.2." + k)).isNull();
        assertThat(form(40, k -> "10.0.0." + k)).isNull();
        assertThat(form(40, k -> "2026-01-" + (10 + k % 20))).isNull();
        assertThat(form(40, k -> Integer.toHexString(0xabcd0000 + 37 * k))).isNull();
        assertThat(form(40, k -> String.format(Locale.ROOT, "AB%02d", k))).isNull();
        assertThat(form(40, k -> String.format(Locale.ROOT, "ABC%d", k))).isNull();
        assertThat(form(40, k -> "user-" + k)).isNull();
    }
}
