package io.perceptronstreams.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KernelTest {
    // <x,z> = 3, |x|^2 = 5, |z|^2 = 2: so |x - z|^2 = 5 + 2 - 6 = 1
    private static final double DOT = 3;
    private static final double XX = 5;
    private static final double ZZ = 2;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "linear | 3",
                "poly(c=1,k=2) | 16",
                "poly(c=0,k=3) | 27",
                "poly(c=0.5,k=1) | 3.5",
                "rbf(g=0) | 1",
                "rbf(g=2) | 0.1353352832366127", // exp(-2)
                "exp(2*linear) | 403.4287934927351", // exp(6)
                "7 | 7",
                "2*linear | 6",
                "linear + 2*poly(c=1,k=1) | 11",
                "(linear + 2)*poly(c=1,k=1) | 20",
                "linear + 2 + linear*linear | 14",
                "self(linear,p=0.5) | 3.1622776601683795", // sqrt(10)
                "self(linear,p=-1) | 0.1", // 1/10
                "normalise(linear) | 0.9486832980505138", // 3 / sqrt(10)
                "normalise(poly(c=1,k=2)) | 0.8888888888888888", // 16 / sqrt(36 · 9)
            })
    void shouldComputeWhatItSays(String expression, double value) {
        assertThat(Kernel.parse(expression).at(DOT, XX, ZZ)).isCloseTo(value, within(1e-15 * value));
    }

    // For x = z rounding could leave less than 0, and a kernel above 1.
    @Test
    void shouldTakeNoSquaredDistanceBelowZero() {
        assertThat(Kernel.parse("rbf(g=1e9)").at(1 + 1e-10, 1, 1)).isEqualTo(1);
    }

    @Test
    void shouldTakeTheNormalisedKernelOfAVectorOfLengthZeroAsZero() {
        assertThat(Kernel.parse("normalise(linear)").at(0, 0, 4)).isZero();
        assertThat(Kernel.parse("normalise(linear)").at(0, 4, 0)).isZero();
    }

    @SeededTest
    void shouldGiveTheSameBitsForManyVectorsAsForEach(long seed) {
        Random random = new Random(seed);
        Kernel.Scratch scratch = new Kernel.Scratch();
        for (int round = 0; round < 300; round++) {
            Kernel kernel = random(random, 4);
            int n = random.nextInt(20);
            double[] dots = random.doubles(n + 3, -5, 5).toArray();
            double[] zz = random.doubles(n + 3, 0, 9).toArray();
            double[] values = new double[n + 3];
            double xx = 9 * random.nextDouble();

            kernel.at(dots, xx, zz, n, values, scratch);

            for (int i = 0; i < n; i++) {
                // exponentials overflow, and may then be NaN
                assertThat(Double.doubleToLongBits(values[i]))
                        .as(kernel.text())
                        .isEqualTo(Double.doubleToLongBits(kernel.at(dots[i], xx, zz[i])));
            }
            assertThat(values).as("beyond the end").endsWith(0, 0, 0);
        }
    }

    @SeededTest
    void shouldReadItsCanonicalTextBackAsTheSameKernel(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            Kernel kernel = random(random, 4);

            assertThat(Kernel.parse(kernel.text())).isEqualTo(kernel);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "linear | linear",
                "' 0.50 *poly( c = 1.0 , k = 2 )+rbf(g=.1) ' | 0.5*poly(c=1,k=2) + rbf(g=0.1)",
                "((linear)) | linear",
                "linear+(linear+linear) | linear + (linear + linear)",
                "(linear+linear)+linear | linear + linear + linear",
                "2*(3*linear) | 2*(3*linear)",
                "(1+linear)*(linear) | (1 + linear)*linear",
                "1e3*rbf(g=2E-3) | 1000*rbf(g=0.002)",
                "1e300 | 1.0E300",
                "normalise(linear + 1) | normalise(linear + 1)",
                "self( linear+1 , p = -0.50 ) | self(linear + 1,p=-0.5)",
                "2*self(exp(linear),p=2) | 2*self(exp(linear),p=2)",
                "self(linear,p=-0) | self(linear,p=0)",
                "exp( 2*linear ) | exp(2*linear)",
            })
    void shouldHaveACanonicalText(String expression, String canonical) {
        assertThat(Kernel.parse(expression).text()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\" | 1 | linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or ( | the end",
                "-1 | 1 | linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or ( | '-1'",
                "linear + | 9 | linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or ( | the end",
                "linear - 1 | 8 | +, * or the end | '- 1'",
                "linear linear | 8 | +, * or the end | 'linear'",
                "2 linear | 3 | +, * or the end | 'linear'",
                "1 + cosine | 5 | linear, poly, rbf, exp, normalise or self | 'cosine'",
                "Linear | 1 | linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or ( | 'Linear'",
                "poly | 5 | ( | the end",
                "poly(k=2,c=1) | 6 | c= | 'k=2,c=1)'",
                "poly(c=-1,k=2) | 8 | a number >= 0 | '-1,k=2)'",
                "poly(c=1) | 9 | , | ')'",
                "poly(c=1,k=0) | 12 | a whole number from 1 to 64 | '0)'",
                "poly(c=1,k=65) | 12 | a whole number from 1 to 64 | '65)'",
                "poly(c=1,k=1.5) | 12 | a whole number from 1 to 64 | '1.5)'",
                "poly(c=1,k=2 | 13 | ) | the end",
                "rbf(g=NaN) | 7 | a number >= 0 | 'NaN)'",
                "rbf(g=1e999) | 7 | a finite number | '1e999)'",
                "rbf(g=1e+) | 10 | the digits of an exponent | ')'",
                "rbf(x=1) | 5 | g= | 'x=1)'",
                "(linear | 8 | +, * or ) | the end",
                "linear) | 7 | +, * or the end | ')'",
                "normalise linear | 11 | ( | 'linear'",
                "self(linear) | 12 | , | ')'",
                "self(linear,q=1) | 13 | p= | 'q=1)'",
                "self(linear,p=--1) | 16 | a number >= 0 | '-1)'",
                "linear * é | 10 | linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or ( | 'é'",
            })
    void shouldTellTheColumnOfAFaultAndWhatWasExpected(String expression, int column, String expected, String got) {
        assertThatThrownBy(() -> Kernel.parse(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("column " + column + ": expected " + expected + ", got " + got);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "exp("})
    void shouldRefuseDepthThatCouldExhaustTheStack(String opening) {
        assertThatThrownBy(() -> Kernel.parse(opening.repeat(400)))
                .hasMessageContaining("at most 64 parentheses within each other");
    }

    // Each computes its kernel three times: 64 within each other would take 3^64 times as long.
    @Test
    void shouldRefuseNormalisedKernelsWithinEachOtherThatTakeTooLong() {
        String most = "normalise(".repeat(4) + "linear" + ")".repeat(4);

        assertThat(Kernel.parse(most + " + " + most).at(DOT, XX, ZZ))
                .isCloseTo(2 * DOT / Math.sqrt(XX * ZZ), within(1e-15));
        assertThatThrownBy(() -> Kernel.parse("normalise(" + most + ")"))
                .hasMessageStartingWith("column 41: expected at most 4 normalise or self within each other");
    }

    // exp(2g<x,z>) / sqrt(exp(2g|x|^2)·exp(2g|z|^2)) = exp(-g(|x|^2 + |z|^2 - 2<x,z>)); the last slide of Lin 2021
    @SeededTest
    void shouldBuildTheGaussianFromTheExponential(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            double[] x = random.doubles(5, -1, 1).toArray();
            double[] z = random.doubles(5, -1, 1).toArray();
            double dot = 0;
            double xx = 0;
            double zz = 0;
            for (int k = 0; k < x.length; k++) {
                dot += x[k] * z[k];
                xx += x[k] * x[k];
                zz += z[k] * z[k];
            }
            double g = 3 * random.nextDouble();
            double gaussian = Kernel.parse("rbf(g=" + g + ")").at(dot, xx, zz);
            assertThat(Kernel.parse("normalise(exp(" + 2 * g + "*linear))").at(dot, xx, zz))
                    .isCloseTo(gaussian, within(1e-12 * gaussian));
            // f(x)·f(z)·exp(2g⟨x,z⟩) with f(x) = exp(-g|x|^2), as there
            assertThat(Kernel.parse("self(exp(linear),p=-" + g + ")*exp(" + 2 * g + "*linear)")
                            .at(dot, xx, zz))
                    .isCloseTo(gaussian, within(1e-12 * gaussian));
            Kernel any = random(random, 2);
            double normalised = new Kernel.Normalised(any).at(dot, xx, zz);
            if (Double.isFinite(normalised)) {
                assertThat(new Kernel.Product(new Kernel.Self(any, -0.5), any).at(dot, xx, zz))
                        .as(any.text())
                        .isCloseTo(normalised, within(1e-12 * Math.abs(normalised) + 1e-300));
            }
        }
    }

    @Test
    void shouldRefuseMoreKernelsThanAnExampleHasTimeFor() {
        String most = "1" + "+1".repeat(63);

        assertThat(Kernel.parse(most)).isInstanceOf(Kernel.Sum.class);
        assertThatThrownBy(() -> Kernel.parse(most + "+1")).hasMessageStartingWith("column 129: expected at most 64");
    }

    @Test
    void shouldRefuseTextTooLongToStore() {
        assertThat(Kernel.parse(" ".repeat(4090) + "linear")).isEqualTo(new Kernel.Linear());
        assertThatThrownBy(() -> Kernel.parse(" ".repeat(4091) + "linear"))
                .hasMessageStartingWith("column 4097: expected the end, after at most 4096 characters");
    }

    @SeededTest
    void shouldReadOrRefuseWhateverItIsGiven(long seed) {
        Random random = new Random(seed);
        Pattern column = Pattern.compile("column (\\d+): expected .*", Pattern.DOTALL);
        for (int round = 0; round < 20_000; round++) {
            String text = random.nextInt(4) == 0 ? noise(random) : broken(random);
            try {
                Kernel kernel = Kernel.parse(text);
                assertThat(Kernel.parse(kernel.text())).isEqualTo(kernel);
            } catch (IllegalArgumentException e) {
                Matcher matcher = column.matcher(e.getMessage());
                assertThat(matcher.matches())
                        .as("'%s': %s", text, e.getMessage())
                        .isTrue();
                assertThat(Integer.parseInt(matcher.group(1))).as(text).isBetween(1, text.length() + 1);
            }
        }
    }

    private static String noise(Random random) {
        char[] text = new char[random.nextInt(40)];
        for (int k = 0; k < text.length; k++) {
            text[k] = (char) random.nextInt(random.nextBoolean() ? 128 : 65536);
        }
        return new String(text);
    }

    /** An expression of which some characters were changed, lost, or doubled. */
    private static String broken(Random random) {
        StringBuilder text = new StringBuilder(random(random, 3).text());
        for (int k = random.nextInt(3); k > 0; k--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.setCharAt(at, "()+*=,.eckg19 -".charAt(random.nextInt(15)));
                case 1 -> text.deleteCharAt(at);
                default -> text.insert(at, text.charAt(at));
            }
            if (text.isEmpty()) {
                break;
            }
        }
        return text.toString();
    }

    private static Kernel random(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 10)) {
            case 0 -> new Kernel.Linear();
            case 1 -> new Kernel.Polynomial(number(random), 1 + random.nextInt(6));
            case 2 -> new Kernel.Gaussian(number(random));
            case 3 -> new Kernel.Constant(number(random));
            case 4 -> new Kernel.Normalised(random(random, depth - 1));
            case 5 -> new Kernel.Exponential(random(random, depth - 1));
            case 6 -> new Kernel.Self(random(random, depth - 1), random.nextInt(9) / 4.0 - 1);
            case 7 -> new Kernel.Product(random(random, depth - 1), random(random, depth - 1));
            default -> new Kernel.Sum(random(random, depth - 1), random(random, depth - 1));
        };
    }

    private static double number(Random random) {
        return random.nextBoolean() ? random.nextInt(100) : random.nextDouble() * Math.pow(10, random.nextInt(9) - 6);
    }
}
