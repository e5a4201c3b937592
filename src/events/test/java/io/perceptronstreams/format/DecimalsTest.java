package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Seeds;
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
            assertThat(bits(Decimals.parse(text)))
                    .as("%s, seed %d", text, SEED)
                    .isEqualTo(bits(Double.parseDouble(text)));
        }
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
                "--1"
            })
    void shouldNotTakeAnythingElseForANumber(String text) {
        assertThat(Decimals.parse(text)).isNaN();
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }
}
