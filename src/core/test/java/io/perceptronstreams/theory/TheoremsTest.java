package io.perceptronstreams.theory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The formulas against numbers worked out by hand. */
final class TheoremsTest {
    private static final Offset<Double> EXACT = within(1e-12);

    @Test
    void shouldSquareTheRadiusOverTheMargin() {
        // example of Lin 2021: (1,0) and (0,1), separated by (1,-1)/sqrt(2) with margin 1/sqrt(2): at most 2 updates
        assertThat(MistakeBound.of(1, Math.sqrt(0.5))).isCloseTo(2, EXACT);
        assertThat(MistakeBound.of(3, 0.5)).isEqualTo(36);
    }

    @Test
    void shouldGiveThreeOverTheSquareAndAThirdOfTheMarginOnUnitVectors() {
        assertThat(MarginPerceptron.updates(1, 1, 1, 0.1)).isCloseTo(300, within(1e-9));
        assertThat(MarginPerceptron.margin(1, 1, 1, 0.3)).isCloseTo(0.1, EXACT);
    }

    @Test
    void shouldBoundUpdatesAndMarginForOtherRadiiToo() {
        // (4 + 2·3/0.5) / 0.25; 3·0.5 / (0.5·4 + 6)
        assertThat(MarginPerceptron.updates(2, 3, 0.5, 0.5)).isEqualTo(64);
        assertThat(MarginPerceptron.margin(2, 3, 0.5, 0.5)).isEqualTo(0.1875);
        assertThat(MarginPerceptron.largestGamma(2, 3, 0.5, 0.1875)).isEqualTo(0.5);
        assertThat(MarginPerceptron.updates(3, 0, 1, 0.5)).isEqualTo(MistakeBound.of(3, 0.5));
    }

    @Test
    void shouldEncloseTheMarginFromTwoSides() {
        MarginCertificate certificate = MarginCertificate.of(0.5, 12, 8);
        assertThat(certificate.lower()).isEqualTo(0.5);
        assertThat(certificate.upper()).isEqualTo(1.5);
    }

    @Test
    void shouldSayNothingOfTheMarginWhereItDoesNotKnow() {
        assertThat(MarginCertificate.of(-0.5, 12, 8).lower()).isNaN();
        assertThat(MarginCertificate.of(Double.NaN, 12, 8).lower()).isNaN();
        assertThat(MarginCertificate.upper(0, 0)).isNaN();
        assertThat(MarginCertificate.upper(3, Double.NaN)).isNaN();
        // 0 would be a lie
        assertThat(MarginCertificate.upper(3, Double.POSITIVE_INFINITY)).isNaN();
    }

    @Test
    void shouldBeTighterThanTheLecturesHingeBoundFromZeroWeights() {
        // R^2 = 4, |u|^2 = 9, L = 5: 5 + 18 + sqrt(5·36 + 18²), where the lecture has 36 + 2·5
        assertThat(HingeBound.of(4, 9, 5)).isCloseTo(23 + Math.sqrt(504), EXACT).isLessThan(46);
        assertThat(HingeBound.of(4, 9, 0)).isCloseTo(36, EXACT);
        assertThat(HingeBound.of(4, 0, 5)).isCloseTo(5, EXACT);
    }

    /** S is the largest number with (S + a - L)^2 <= |u|^2(|w_s|^2 + S·K), which the bound solves for S. */
    @SeededTest
    void shouldSolveTheInequalityOfTheProof(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 1000; round++) {
            double growth = 5 * random.nextDouble();
            double norm = 3 * random.nextDouble();
            double startNorm = 2 * random.nextDouble();
            double product = norm * startNorm * (2 * random.nextDouble() - 1);
            double loss = 10 * random.nextDouble();
            double bound = HingeBound.steps(growth, norm * norm, loss, product, startNorm * startNorm);
            double left = (bound + product - loss) * (bound + product - loss);
            double right = norm * norm * (startNorm * startNorm + bound * growth);
            assertThat(left).isCloseTo(right, within(1e-9 * Math.max(1, right)));
            double more = bound + 1e-6 * (1 + bound);
            assertThat((more + product - loss) * (more + product - loss))
                    .isGreaterThan(norm * norm * (startNorm * startNorm + more * growth) - 1e-12);
        }
    }

    @Test
    void shouldScaleTheComparatorToTheLeastBound() {
        // bounds: 3 for 0, 1 + 1/8 + sqrt(1/4 + 1/64) for 1/2, 1 for 1, where nothing has a loss
        assertThat(ScaledComparator.best("w", new double[] {1, 2, Double.POSITIVE_INFINITY, 1}, 1, 1, 1))
                .isEqualTo(new ScaledComparator("w", 1, 1, 0));
        // 5 for 0; 1.5 + 1/8 + sqrt(3/8 + 1/64) = 2.25 for 1/2, where four examples have margin 1 and one -1/2
        assertThat(ScaledComparator.best("w", new double[] {2, 2, 2, 2, -1}, 1, 1, 1))
                .isEqualTo(new ScaledComparator("w", 0.5, 0.25, 1.5));
        // 1 for 0, 8 for 1
        assertThat(ScaledComparator.best("w", new double[] {1}, 1, 4, 2)).isEqualTo(new ScaledComparator("w", 0, 0, 1));
        // no multiple is better than none
        assertThat(ScaledComparator.best("w", new double[] {-1, 0.5}, 3, 1, 1))
                .isEqualTo(new ScaledComparator("w", 0, 0, 6));
        assertThat(ScaledComparator.best("w", new double[] {1, Double.NaN}, 1, 1, 1))
                .isNull();
    }

    @SeededTest
    void shouldFindNoBetterMultipleOnAGrid(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            double[] margins = random.doubles(1 + random.nextInt(20), -1, 2).toArray();
            int passes = 1 + random.nextInt(3);
            double growth = 3 * random.nextDouble();
            double best = cost(
                    margins,
                    passes,
                    growth,
                    ScaledComparator.best("w", margins, passes, growth, 1).scale());
            for (double c = 0; c < 30; c += 0.01) {
                assertThat(best).isLessThanOrEqualTo(cost(margins, passes, growth, c) * (1 + 1e-12));
            }
        }
    }

    private static double cost(double[] margins, int passes, double growth, double c) {
        double loss = 0;
        for (double margin : margins) {
            loss += passes * Math.max(0, 1 - c * margin);
        }
        double x = growth * c * c;
        return loss + x / 2 + Math.sqrt(loss * x + x * x / 4);
    }

    @Test
    void shouldBoundTheUpdatesOfAMarginThatFollowsTheWeights() {
        assertThat(DynamicMarginBound.updates(1, 0.1, 1)).isCloseTo(100, EXACT);
        assertThat(DynamicMarginBound.updates(2, 0.2, 0.75)).isCloseTo(200, EXACT);
        // (100·1.6/0.6)^2.5 for alpha = 0.2
        assertThat(DynamicMarginBound.updates(1, 0.1, 0.2)).isCloseTo(Math.pow(800 / 3.0, 2.5), within(1e-6));
        // between those of 0.49 and 0.51, of which the formulas have no end at 1/2
        assertThat(DynamicMarginBound.updates(1, 0.1, 0.5)).isBetween(100.0, 20_000.0);
        assertThat(DynamicMarginBound.updates(1, 0.1, 0.501))
                .isLessThanOrEqualTo(DynamicMarginBound.updates(1, 0.1, 0.5));
    }

    /** The recursion of the proof, step by step: no number of updates beyond the bound is possible. */
    @Test
    void shouldBoundWhatTheRecursionAllows() {
        for (double alpha : new double[] {0.3, 0.4, 0.5, 0.55, 0.7, 0.9, 1}) {
            for (double q : new double[] {1, 4, 30, 100}) {
                double most = 1; // a_M
                double largest = 1;
                for (int updates = 1; updates < 200_000; updates++) {
                    largest = (double) updates * updates <= q * most ? updates : largest;
                    most = most * (1 + 2 * (1 - alpha) / updates) + 1;
                }
                assertThat(DynamicMarginBound.updates(Math.sqrt(q), 1, alpha))
                        .as("alpha %s, q %s", alpha, q)
                        .isGreaterThanOrEqualTo(largest * (1 - 1e-9));
            }
        }
    }

    @Test
    void shouldAddUpExactlyToZero() {
        ZeroSum sum = new ZeroSum();
        assertThat(sum.isZero()).as("no terms").isFalse();
        // 0.1 + 0.2 = 0.30000000000000004 in doubles, and not 0.3
        add(sum, false, 1, 0.1, 1);
        add(sum, false, 1, 0.2, 0);
        add(sum, false, -1, 0.3, 1);
        assertThat(sum.isZero()).isFalse();
        ZeroSum xor = new ZeroSum();
        for (int corner = 0; corner < 4; corner++) {
            add(xor, true, corner == 0 || corner == 3 ? -1 : 1, corner & 1, corner >> 1);
        }
        assertThat(xor.isZero()).isTrue();
        add(xor, true, 1);
        assertThat(xor.isZero()).as("the bias is left").isFalse();
        ZeroSum weighted = new ZeroSum();
        // 3 · 0.1 = 0.30000000000000004 in doubles
        weighted.add(new int[] {0}, new double[] {0.5}, 1, false, 3, 0.1);
        weighted.add(new int[] {0}, new double[] {1.5}, 1, false, -1, 0.1);
        assertThat(weighted.isZero()).as("weights").isTrue();
    }

    private static void add(ZeroSum sum, boolean hasBias, int n, double... x) {
        sum.add(new int[] {0, 1}, x, x.length, hasBias, n, 1);
    }

    @Test
    void shouldAllowForTheStartInTheHingeBound() {
        // u = w_s with |u|^2 = 9, L = 5, X = 36: 5 - 9 + 18 + sqrt(5·36 + (18 - 9)²)
        assertThat(HingeBound.steps(4, 9, 5, 9, 9)).isCloseTo(14 + Math.sqrt(261), EXACT);
        // orthogonal to u: sqrt(5·36 + 18² + 9·4)
        assertThat(HingeBound.steps(4, 9, 5, 0, 4)).isCloseTo(23 + Math.sqrt(540), EXACT);
        // w_s is so long already that a separator with these margins leaves nothing to learn: S + a <= |u| sqrt(|w_s|²
        // + S·K)
        assertThat(HingeBound.steps(1, 1, 0, 100, 10_000)).isCloseTo(0, EXACT);
    }

    @Test
    void shouldBoundNothingWhereTheHingeLossOverflowed() {
        assertThat(HingeBound.steps(1, 1, Double.POSITIVE_INFINITY, -3, 9)).isEqualTo(Double.POSITIVE_INFINITY);
    }

    @Test
    void shouldDivideTheUpdatesByTheExamplesAndOneMore() {
        assertThat(ExpectedTestError.fromUpdates(MarginPerceptron.updates(1, 1, 1, 0.5), 99))
                .isCloseTo(0.12, EXACT);
        assertThat(ExpectedTestError.fromUpdates(7, 13)).isEqualTo(0.5);
    }

    @Test
    void shouldAddDeltaToTheUniformDeviation() {
        // sqrt(3·ln(101)/100) + 0.1; ln(101) = 4.61512051684126
        assertThat(UniformBound.of(2, 100, 0.1)).isCloseTo(0.1 + Math.sqrt(0.1384536155052378), EXACT);
        // 1 - exp(-100·0.01/2)
        assertThat(UniformBound.delta(100, 0.3934693402873666)).isCloseTo(0.1, EXACT);
    }

    @Test
    void shouldTakeTheSmallerOfExamplesAndFeaturesForTheLowerBound() {
        // min(1/4, 9/4)·(1/2)²
        assertThat(MinimaxLowerBound.of(2, 10)).isEqualTo(0.0625);
        // min(9/20, 1/20)·0.9^10
        assertThat(MinimaxLowerBound.of(10, 2)).isCloseTo(0.05 * 0.3486784401, EXACT);
        assertThat(MinimaxLowerBound.of(1, 5)).isZero();
    }

    @Test
    void shouldCountOneMoreThanTheFeatures() {
        assertThat(VcDimension.of(30)).isEqualTo(31);
    }
}
