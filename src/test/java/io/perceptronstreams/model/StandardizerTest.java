package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class StandardizerTest {
    private final Standardizer standardizer = new Standardizer();
    private final FeatureVector x = new FeatureVector();

    @ParameterizedTest
    @MethodSource("io.perceptronstreams.example.Seeds#all")
    void shouldScaleByTheMeanAndDeviationOfAllValuesSoFar(long seed) {
        Random random = new Random(seed);
        Map<Integer, List<Double>> seen = new HashMap<>();
        for (int n = 0; n < 500; n++) {
            x.resetSparse();
            for (int index = 0; index < 40; index++) {
                if (random.nextInt(3) > 0) {
                    // means up to 100 deviations away from 0
                    x.append(index * 1000, (index % 5 - 2) * 50.0 + random.nextGaussian() * (1 + index));
                }
            }
            double[] raw = x.values().clone();

            standardizer.scale(x);

            for (int k = 0; k < x.size(); k++) {
                List<Double> values = seen.computeIfAbsent(x.index(k), any -> new ArrayList<>());
                values.add(raw[k]);
                assertThat(x.values()[k])
                        .as("seed %d, example %d, feature %d", seed, n, x.index(k))
                        .isCloseTo(twoPass(values, raw[k]), within(1e-9));
            }
            standardizer.keep(x);
        }
    }

    private static double twoPass(List<Double> values, double value) {
        double mean = values.stream().mapToDouble(v -> v).sum() / values.size();
        double squares =
                values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
        return squares == 0 ? 0 : (value - mean) / Math.sqrt(squares / values.size());
    }

    @Test
    void shouldUseTheDeviationOfThePresentExampleToo() {
        learn(0, 2);
        // values 2, 6: mean 4, deviation 2
        assertThat(scaled(0, 6)).isEqualTo(1);
    }

    @Test
    void shouldGiveZeroWhileAFeatureHasNotVaried() {
        learn(0, 5);

        assertThat(scaled(0, 5)).isZero();
        assertThat(scaled(1, 7)).isZero();
    }

    @Test
    void shouldNotCountAFeatureThatIsLeftOutAsZero() {
        learn(0, 2);
        learn(1, 9);
        learn(1, 9);

        assertThat(scaled(0, 6)).isEqualTo(1);
    }

    @Test
    void shouldChangeNothingBeforeAnExampleIsKept() {
        learn(0, 2);
        scaled(0, 1000);

        assertThat(scaled(0, 6)).isEqualTo(1);
    }

    @Test
    void shouldRejectAValueWhoseVarianceOverflows() {
        learn(0, 1);

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> scaled(0, 1e200));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(rejection).hasMessageContaining("feature 0");
    }

    @Test
    void shouldRejectValuesWhoseDifferenceOverflows() {
        learn(0, Double.MAX_VALUE);

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> scaled(0, -Double.MAX_VALUE));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    // The sum of squares is the smallest double above 0; divided by the count it is 0, and 0 / 0 once gave NaN.
    @Test
    void shouldGiveZeroWhereTheDeviationUnderflows() {
        learn(0, 0);
        learn(0, 0);

        assertThat(scaled(0, 2.8e-162)).isZero();
    }

    private void learn(int index, double value) {
        scaled(index, value);
        standardizer.keep(x);
    }

    private double scaled(int index, double value) {
        x.resetSparse();
        x.append(index, value);
        standardizer.scale(x);
        return x.values()[0];
    }
}
