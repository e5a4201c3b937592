package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probabilities by a trace of {@code src/test/python/probability.py}, and by hand. */
final class PlattScalingTest {
    private static final double TOLERANCE = 1e-12;

    /** Parameters are rounded to multiples of 2^-16, with sums that are rounded to multiples of 2^-10. */
    private static final double ROUNDED = 5e-4;

    private final PlattScaling scaling = new PlattScaling();

    private double learn(double score, boolean isTrue) {
        double probability = scaling.probability(score, true);
        scaling.learn(isTrue);
        return probability;
    }

    /*
     * The first line by hand: m = 0.5, f = 1, s = 1, log-odds 3, p = 1/(1 + exp(-3)) = 0.952574, error 0.047426. With w
     * = p(1 - p) = 0.045177 and x = (1, 1, 1), H = I + w·x·x', so H^-1·x = x/(1 + 3w) = x/1.135530: each parameter
     * grows by 0.047426/1.135530 = 0.041765 or, with w rounded to 46/1024 and the result to a multiple of 2^-16,
     * 0.041794. The second: m = (0.5 + 1)/2 = 0.75, f = -2/1.75.
     */
    @Test
    void shouldGoAsTheTraceSays() {
        scaling.start(true);
        double[][] trace = {
            // score, truth; probability before it; a, b, c and mean size after it
            {0.5, 1, 0.9525741268224, 0.0417938232422, 3.0417938232422, 0.0417938232422, 0.5},
            {-1, 0, 0.0299931009215, 0.0131683349609, 3.0718688964844, 0.0679473876953, 0.75},
            {2, 1, 0.9855800070809, 0.0291748046875, 3.0912322998047, 0.0827484130859, 1.1666669845581},
            {-0.2, 1, 0.2400002401775, 0.5617675781250, 2.9421234130859, -0.4317474365234, 0.9250001907349},
            {0, 0, 0.5324593205696, 0.2349700927734, 2.9822998046875, -0.7640533447266, 0.7400002479553},
            {3, 0, 0.9837007812432, -0.3637237548828, 1.8475646972656, -1.2068786621094, 1.1166667938232},
            {-4, 0, 0.1378644839191, -0.4349822998047, 1.9642181396484, -1.1494598388672, 1.5285711288452},
        };
        for (double[] line : trace) {
            assertThat(learn(line[0], line[1] == 1)).isCloseTo(line[2], within(TOLERANCE));
            assertThat(scaling.state()[2]).isCloseTo(line[3], within(TOLERANCE));
            assertThat(scaling.state()[3]).isCloseTo(line[4], within(TOLERANCE));
            assertThat(scaling.state()[4]).isCloseTo(line[5], within(TOLERANCE));
            assertThat(scaling.state()[1]).isCloseTo(line[6], within(TOLERANCE));
        }
    }

    /** With a sum of errors that is computed apart: however small each of them is, in the mean nothing is lost. */
    @SeededTest
    void shouldLoseNothingOfSmallErrors(long seed) {
        scaling.start(true);
        Random random = new Random(seed);
        double[] sums = new double[10];
        for (int n = 0; n < 20_000; n++) {
            double[] state = scaling.state();
            double score = 0.5 + 20 * random.nextDouble();
            double size = state[1] + (score - state[1]) / Math.min(1_000, n + 1);
            double odds = state[2] + state[3] * 2 * score / (score + size) + state[4];
            double p = 1 / (1 + Math.exp(-Math.min(12, odds)));
            boolean isTrue = random.nextInt(2_000) > 0;
            int range = Math.min(9, (int) (10 * p));
            sums[range] = 0.999 * sums[range] + (isTrue ? 1 : 0) - p;
            learn(score, isTrue);
            assertThat(scaling.state()[10 + range])
                    .as("seed %d, example %d", seed, n)
                    .isCloseTo(sums[range], within(0.25));
        }
    }

    @SeededTest
    void shouldRestoreItsBits(long seed) {
        scaling.start(true);
        Random random = new Random(seed);
        for (int n = 0; n < 3_000; n++) {
            learn(random.nextGaussian() * (n % 7 == 0 ? 1e200 : 1), random.nextInt(5) > 0);
            if (n % 100 == 99) {
                StoredFields out = new StoredFields();
                StoredBits bits = new StoredBits(out);
                scaling.exchange(bits);
                bits.end();
                PlattScaling restored = new PlattScaling();
                restored.exchange(new StoredBits(new StoredFields(out.toBytes())));
                assertThat(restored.state()).as("seed %d, example %d", seed, n).isEqualTo(scaling.state());
                PlattScaling exported = new PlattScaling();
                exported.restore(scaling.state());
                assertThat(exported.state()).as("seed %d, example %d", seed, n).isEqualTo(scaling.state());
                for (PlattScaling each : List.of(restored, exported)) {
                    assertThat(each.probability(1, true)).isEqualTo(scaling.probability(1, true));
                }
            }
        }
    }

    @Test
    void shouldBeginWithAHalfWhereAllScoresAre0() {
        scaling.start(true);

        // f is 0 without a size; error 0.5, w = 0.25, x = (1, 0, 1): a and c grow by 0.5/1.5
        assertThat(learn(0, true)).isEqualTo(0.5);
        assertThat(scaling.state()[2]).isCloseTo(1 / 3.0, within(ROUNDED));
        assertThat(scaling.state()[3]).isEqualTo(3);
        assertThat(scaling.state()[4]).isCloseTo(1 / 3.0, within(ROUNDED));
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
        assertThat(scaling.state()[1]).isCloseTo(1.099, within(1e-6));
    }

    @Test
    void shouldForgetSizesAfterAThousandLabels() {
        scaling.start(true);
        for (int n = 0; n < 1_500; n++) {
            learn(1, true);
        }
        // above 1,000 without whole periods of 256
        assertThat(scaling.state()[0]).isEqualTo(1_244);
        learn(2, true);

        assertThat(scaling.state()[1]).isCloseTo(1.001, within(1e-6));
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
