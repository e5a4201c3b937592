package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class StandardizerTest {
    private final Standardizer standardizer = new Standardizer();
    private final FeatureVector x = new FeatureVector();

    @SeededTest
    void shouldScaleByTheMeanAndDeviationOfAllValuesSoFar(long seed) {
        Random random = new Random(seed);
        Map<Integer, List<Double>> seen = new HashMap<>();
        for (int n = 0; n < 500; n++) {
            x.resetSparse();
            for (int index = 0; index < 40; index++) {
                // in 4/5 down to 1/5 of the examples
                if (random.nextInt(5) > index % 4) {
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
                        .isCloseTo(twoPass(values, raw[k], n + 1), within(1e-9));
            }
            standardizer.keep(x);
        }
    }

    private static double twoPass(List<Double> values, double value, int examples) {
        double mean = values.stream().mapToDouble(v -> v).sum() / values.size();
        double centre = values.size() < examples / 2.0 ? 0 : mean;
        double squares =
                values.stream().mapToDouble(v -> (v - centre) * (v - centre)).sum();
        return values.size() == 1 ? Math.signum(value) : (value - centre) / Math.sqrt(squares / values.size());
    }

    @Test
    void shouldUseTheDeviationOfThePresentExampleToo() {
        learn(0, 2);
        // values 2, 6: mean 4, deviation 2
        assertThat(scaled(0, 6)).isEqualTo(1);
    }

    @Test
    void shouldGiveTheSignWhileAFeatureHasNotVaried() {
        learn(0, 5);

        assertThat(scaled(0, 5)).isEqualTo(1);
        assertThat(scaled(1, -7)).isEqualTo(-1);
        assertThat(scaled(2, 0)).isZero();
    }

    @Test
    void shouldNotCentreAFeatureThatFewerThanHalfOfTheExamplesContain() {
        learn(1, 1);
        learn(1, 1);
        learn(1, 1);
        learn(0, 3);

        // in 2 of 5 examples, with the values 3 and 4
        assertThat(scaled(0, 4)).isCloseTo(4 / Math.sqrt((9 + 16) / 2.0), within(1e-15));
    }

    @Test
    void shouldCentreAFeatureThatHalfOfTheExamplesContain() {
        learn(1, 1);
        learn(1, 1);
        learn(0, 3);

        // in 2 of 4 examples, with the values 3 and 5: mean 4, deviation 1
        assertThat(scaled(0, 5)).isEqualTo(1);
    }

    @Test
    void shouldDecideByTheExamplesSoFarForAnExampleThatIsOneOfThem() {
        learn(1, 1);
        learn(0, 3);
        learn(0, 5);
        double before = rescaled(0, 5);
        learn(1, 1);
        learn(1, 1);

        // in 2 of 3 examples, then in 2 of 5: around the mean 4, then around 0
        assertThat(before).isEqualTo(1);
        assertThat(rescaled(0, 5)).isCloseTo(5 / Math.sqrt((9 + 25) / 2.0), within(1e-15));
    }

    // Its statistics have the place of the number of examples.
    @Test
    void shouldGiveTheSignOfTheFeatureWithTheLargestIndex() {
        learn(Integer.MAX_VALUE, 3);
        learn(Integer.MAX_VALUE, 5);
        learn(0, 3);

        assertThat(scaled(Integer.MAX_VALUE, -7)).isEqualTo(-1);
        assertThat(rescaled(Integer.MAX_VALUE, 7)).isEqualTo(1);
        // in 2 of 4 examples
        assertThat(scaled(0, 5)).isCloseTo(1, within(1e-15));
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
    void shouldGiveTheSignWhereTheDeviationUnderflows() {
        learn(0, 0);
        learn(0, 0);

        assertThat(scaled(0, 2.8e-162)).isEqualTo(1);
    }

    private void learn(int index, double value) {
        scaled(index, value);
        standardizer.keep(x);
    }

    private double rescaled(int index, double value) {
        x.resetSparse();
        x.append(index, value);
        standardizer.rescale(x);
        return x.values()[0];
    }

    private double scaled(int index, double value) {
        x.resetSparse();
        x.append(index, value);
        standardizer.scale(x);
        return x.values()[0];
    }
}
