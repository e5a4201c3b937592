package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Seeds;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DecimalsTest {
    private static final long SEED = 20260702;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "0.1",
                ".5",
                "5.",
                "+1",
                "-1.25e-3",
                "1e22",
                "1e23",
                "2E23",
                "123456789012345",
                "1234567890123456",
                "9007199254740993",
                "0.000000000000000000000000001",
                "4.9E-324",
                "2.2250738585072011e-308",
                "1.7976931348623157e308",
                "1e999",
                "-1e999",
                "1e-999",
                "0e999999999999",
                "1e+5",
                "000000000000000000000000000012",
                "0.30000000000000004"
            })
    void shouldGiveWhatTheLibraryGives(String text) {
        assertThat(bits(Decimals.parse(text))).isEqualTo(bits(Double.parseDouble(text)));
    }

    @Test
    void shouldGiveWhatTheLibraryGivesForRandomNumbers() {
        Random random = new Random(SEED);
        for (int i = 0; i < Seeds.trials(200_000); i++) {
            String text = i % 2 == 0
                    ? Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20))
                    : String.format(Locale.ROOT, "%." + random.nextInt(17) + "f", 1000 * random.nextGaussian());
            check(text);
        }
    }

    @Test
    void shouldGiveWhatTheLibraryGivesForAnyDigitsAndExponent() {
        Random random = new Random(SEED);
        for (int i = 0; i < Seeds.trials(1_000_000); i++) {
            StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "-" : "");
            int digits = 1 + random.nextInt(20);
            int point = random.nextInt(digits + 1);
            for (int k = 0; k < digits; k++) {
                text.append(k == point ? "." : "").append(random.nextInt(10));
            }
            if (random.nextBoolean()) {
                // up to overflow and below the smallest number
                text.append('e').append(random.nextInt(700) - 350);
            }
            check(text.toString());
        }
    }

    @Test
    void shouldGiveWhatTheLibraryGivesForSubnormalNumbers() {
        Random random = new Random(SEED);
        for (int i = 0; i < Seeds.trials(100_000); i++) {
            double subnormal = Double.longBitsToDouble(random.nextLong() >>> (12 + random.nextInt(52)));
            check(Double.toString(subnormal));
            check(String.format(Locale.ROOT, "%." + random.nextInt(20) + "e", subnormal));
        }
    }

    /** Half-way between two doubles the even one is taken, and one unit beside it in the last place the nearer one. */
    @Test
    void shouldRoundHalfToEven() {
        Random random = new Random(SEED);
        for (int i = 0; i < Seeds.trials(20_000); i++) {
            double lower = Double.longBitsToDouble(random.nextLong() & Long.MAX_VALUE);
            double upper = Math.nextUp(lower);
            if (upper < Double.POSITIVE_INFINITY) {
                BigDecimal half =
                        new BigDecimal(lower).add(new BigDecimal(upper)).divide(BigDecimal.valueOf(2));
                double even = (Double.doubleToRawLongBits(lower) & 1) == 0 ? lower : upper;
                assertThat(Decimals.parse(half.toString()))
                        .as("%s, seed %d", half, SEED)
                        .isEqualTo(even);
                assertThat(Decimals.parse(half.subtract(half.ulp()).toString())).isEqualTo(lower);
                assertThat(Decimals.parse(half.add(half.ulp()).toString())).isEqualTo(upper);
                check(half.round(new MathContext(17)).toString());
            }
        }
    }

    @Test
    void shouldTakeAnyNumberOfDigits() {
        check("9".repeat(100_000) + "e-99990");
        check("0." + "0".repeat(100_000) + "123456789012345678e100000");
        check("0.5000000000000000555111512312578270211815834045410156" + "0".repeat(100_000) + "25");
    }

    private static void check(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (Decimals.plainEnd(bytes, 0, bytes.length) == bytes.length) {
            assertThat(bits(Decimals.parsePlain(bytes, 0, bytes.length)))
                    .as("plain %s, seed %d", text, SEED)
                    .isEqualTo(bits(Double.parseDouble(text)));
        }
        assertThat(bits(Decimals.parse(text))).as("%s, seed %d", text, SEED).isEqualTo(bits(Double.parseDouble(text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "+",
                "-",
                ".",
                "e5",
                "1e",
                "1e+",
                "1e5.0",
                "1.2.3",
                "1d",
                "1f",
                "0x1p3",
                "NaN",
                "Infinity",
                " 1",
                "1 ",
                "1,5",
                "--1",
                // each with more digits than the exact operation takes
                "12345678901234567890d",
                "12345678901234567890D",
                "12345678901234567890f",
                "12345678901234567890L",
                "0x1.23456789012345678p0",
                "0X12345678901234567890",
                " 12345678901234567890",
                "12345678901234567890 ",
                "12345678901234567890\t",
                "12345678901234567890e",
                "12345678901234567890e5d",
                "12345678901234567890.5.5",
                "1_2345678901234567890",
                "12,345,678,901,234,567,890",
                "-NaN",
                "+Infinity",
                "1234567890123456789e1e1",
                "١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨٩"
            })
    void shouldNotTakeAnythingElseForANumber(String text) {
        assertThat(Decimals.parse(text)).isNaN();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (Decimals.plainEnd(bytes, 0, bytes.length) == bytes.length) {
            assertThat(Decimals.parsePlain(bytes, 0, bytes.length)).isNaN();
        }
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }
}
