package io.perceptronstreams.theory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
        assertThat(MarginPerceptron.updates(0.1)).isCloseTo(300, within(1e-9));
        assertThat(MarginPerceptron.margin(0.3)).isCloseTo(0.1, EXACT);
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
    void shouldAddTwiceTheHingeLoss() {
        assertThat(HingeBound.of(2, 3, 5)).isEqualTo(46);
    }

    @Test
    void shouldBeTheLecturesHingeBoundFromZeroWeights() {
        assertThat(HingeBound.steps(4, 9, 5, 0, 0)).isCloseTo(46, EXACT);
        assertThat(HingeBound.steps(4, 9, 0, 0, 0)).isCloseTo(36, EXACT);
        assertThat(HingeBound.steps(4, 0, 5, 0, 0)).isCloseTo(10, EXACT);
    }

    @Test
    void shouldAllowForTheStartInTheHingeBound() {
        // u = w_s with |u|^2 = 9, L = 5: middle = 5 - 9 + 18 = 14, sqrt(196 + 90)
        assertThat(HingeBound.steps(4, 9, 5, 9, 9)).isCloseTo(14 + Math.sqrt(286), EXACT);
        // orthogonal to u: sqrt(23² + 9·4)
        assertThat(HingeBound.steps(4, 9, 5, 0, 4)).isCloseTo(23 + Math.sqrt(565), EXACT);
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
        assertThat(ExpectedTestError.of(0.5, 99)).isCloseTo(0.12, EXACT);
        assertThat(ExpectedTestError.fromUpdates(7, 13)).isEqualTo(0.5);
    }

    @Test
    void shouldAddDeltaToTheUniformDeviation() {
        // sqrt(3·ln(101)/100) + 0.1; ln(101) = 4.61512051684126
        assertThat(UniformBound.of(2, 100, 0.1)).isCloseTo(0.1 + Math.sqrt(0.1384536155052378), EXACT);
        // 1 - exp(-100·0.01/2)
        assertThat(UniformBound.confidence(100, 0.1)).isCloseTo(0.3934693402873666, EXACT);
        assertThat(UniformBound.confidence(500, UniformBound.delta(500, 0.95))).isCloseTo(0.95, EXACT);
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
