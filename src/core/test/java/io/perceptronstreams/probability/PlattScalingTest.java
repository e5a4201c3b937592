package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probabilities by a trace computed apart, without rounding, and by hand. */
final class PlattScalingTest {
    /** The state is rounded to 2^-21 of its size after each of some ten steps. */
    private static final double TOLERANCE = 1e-5;

    private final PlattScaling scaling = new PlattScaling();

    private double learn(double score, boolean isTrue) {
        double probability = scaling.probability(score, true);
        scaling.learn(isTrue);
        return probability;
    }

    /*
     * The first line by hand: m = 0.5, f = 1, s = 1, log-odds 3, p = 1/(1 + exp(-3)) = 0.952574, error 0.047426. With
     * w = p(1 - p) = 0.045177 and x = (1, 1, 1), H = I + w·x·x', so H^-1·x = x/(1 + 3w) = x/1.135530: each parameter
     * grows by 0.047426/1.135530 = 0.041765. The second: m = (0.5 + 1)/2 = 0.75, f = -2/1.75.
     */
    @Test
    void shouldGoAsTheTraceSays() {
        scaling.start(true);
        double[][] trace = {
            // score, truth; probability before it; a, b, c and mean size after it
            {0.5, 1, 0.952574126822433, 0.0417654082645025, 3.0417654082645, 0.0417654082645025, 0.5},
            {-1, 0, 0.0299940457263289, 0.0131219654692928, 3.07183586125242, 0.0679216015335412, 0.75},
            {2, 1, 0.985627998576626, 0.0291408154332085, 3.09120306073981, 0.0827256275016625, 1.16666666666667},
            {-0.2, 1, 0.2400000503923, 0.562054983917087, 2.9424969711572, -0.432229068105332, 0.925},
            {0, 0, 0.53241096845526, 0.235302375388444, 2.98239230369891, -0.764468345847023, 0.74},
            {3, 0, 0.983998731276712, -0.363264381421564, 1.84694832030442, -1.20710112831265, 1.11666666666667},
            {-4, 0, 0.13807060630867, -0.434586485673832, 1.96373256577057, -1.14956967149061, 1.52857142857143},
        };
        for (double[] line : trace) {
            assertThat(learn(line[0], line[1] == 1)).isCloseTo(line[2], within(TOLERANCE));
            assertThat(scaling.state()[2]).isCloseTo(line[3], within(TOLERANCE));
            assertThat(scaling.state()[3]).isCloseTo(line[4], within(TOLERANCE));
            assertThat(scaling.state()[4]).isCloseTo(line[5], within(TOLERANCE));
            assertThat(scaling.state()[1]).isCloseTo(line[6], within(TOLERANCE));
        }
    }

    @Test
    void shouldKeepNumbersThatAreShort() {
        scaling.start(true);
        Random random = new Random(1);
        for (int n = 0; n < 3_000; n++) {
            learn(random.nextGaussian(), random.nextBoolean());
            for (double number : scaling.state()) {
                assertThat((int) Double.doubleToRawLongBits(number)).isZero();
            }
        }
    }

    @Test
    void shouldBeginWithAHalfWhereAllScoresAre0() {
        scaling.start(true);

        // f is 0 without a size; error 0.5, w = 0.25, x = (1, 0, 1): a and c grow by 0.5/1.5
        assertThat(learn(0, true)).isEqualTo(0.5);
        assertThat(scaling.state()[2]).isCloseTo(1 / 3.0, within(TOLERANCE));
        assertThat(scaling.state()[3]).isEqualTo(3);
        assertThat(scaling.state()[4]).isCloseTo(1 / 3.0, within(TOLERANCE));
        for (int n = 0; n < 5_000; n++) {
            learn(n % 2 == 0 ? 0.0 : -0.0, n % 4 != 0);
        }
        assertThat(learn(0, true)).isCloseTo(0.75, within(0.02));
    }

    @Test
    void shouldCountAnOutlierAsAHundredMeanSizes() {
        scaling.start(true);
        for (int n = 0; n < 1_000; n++) {
            learn(1, true);
        }
        learn(-1e12, false);

        // 1 + (100 - 1)/1,000
        assertThat(scaling.state()[1]).isCloseTo(1.099, within(TOLERANCE));
    }

    @Test
    void shouldForgetSizesAfterAThousandLabels() {
        scaling.start(true);
        for (int n = 0; n < 1_500; n++) {
            learn(1, true);
        }
        assertThat(scaling.state()[0]).isEqualTo(1_000);
        learn(2, true);

        assertThat(scaling.state()[1]).isCloseTo(1.001, within(TOLERANCE));
    }

    /** Calibrated classes of scores: the probability of each must become its rate. */
    @ParameterizedTest
    @CsvSource({"0.9, 0.2", "0.2, 0.9", "0.5, 0.5"})
    void shouldFindTheRates(double rateAbove, double rateBelow) {
        scaling.start(true);
        Random random = new Random(7);
        double above = 0;
        double below = 0;
        for (int n = 0; n < 20_000; n++) {
            boolean isAbove = random.nextBoolean();
            double probability = learn(isAbove ? 1.5 : -1.5, random.nextDouble() < (isAbove ? rateAbove : rateBelow));
            if (n >= 10_000) {
                above += isAbove ? probability : 0;
                below += isAbove ? 0 : probability;
            }
        }
        assertThat(above / 5_000).isCloseTo(rateAbove, within(0.03));
        assertThat(below / 5_000).isCloseTo(rateBelow, within(0.03));
    }

    @SeededTest
    void shouldStayValidWhateverTheScores(long seed) {
        double[] hostile = {
            1e308, -1e308, Double.MAX_VALUE, -Double.MAX_VALUE, 0, -0.0, Double.MIN_VALUE, 1, -1, 1e-300, 1e150
        };
        Random random = new Random(seed);
        for (boolean isSigned : new boolean[] {true, false}) {
            PlattScaling each = new PlattScaling();
            each.start(isSigned);
            double bias = random.nextDouble();
            for (int n = 0; n < 5_000; n++) {
                double score = hostile[random.nextInt(hostile.length)];
                double probability = each.probability(isSigned ? score : Math.abs(score), isSigned);
                assertThat(probability)
                        .as("seed %d, example %d", seed, n)
                        .isGreaterThan(0)
                        .isLessThan(1);
                // first runs of one label, then by chance, then the opposite of what is likely
                each.learn(n < 1_500 ? n / 500 == 1 : n < 3_000 ? random.nextDouble() < bias : probability < 0.5);
                assertThat(each.isValid()).as("seed %d, example %d", seed, n).isTrue();
            }
        }
    }
}
