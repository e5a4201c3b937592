package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Loss;
import io.perceptronstreams.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps of SGD that take the gradient after the step. */
final class ImplicitStepsTest {
    private final Outcome outcome = new Outcome();

    private static Sgd sgd(Map<String, String> changes) {
        return new Sgd(Settings.DEFAULTS.with(changes));
    }

    /** d = min(c·g(m), c·g(m + s·d)) has one solution: below it d is less than the right side, above it more. */
    @SeededTest
    void shouldFindTheGradientOfTheMarginAfterTheStep(long seed) {
        Random random = new Random(seed);
        for (int n = 0; n < 1_000; n++) {
            double margin = 4 * random.nextGaussian();
            double weight = Math.exp(random.nextGaussian());
            double slope = Math.exp(4 * random.nextGaussian());
            for (Loss loss : List.of(Loss.HINGE, Loss.SQUARED_HINGE, Loss.LOGISTIC, Loss.SIGMOID)) {
                double usual = weight * loss.gradient(margin);
                if (usual > 0) {
                    double d = loss.implicit(margin, weight, slope);
                    DoubleUnaryOperator after = e -> Math.min(usual, weight * loss.gradient(margin + slope * e));
                    assertThat(d).as("seed %d, %s", seed, loss).isPositive().isLessThanOrEqualTo(usual);
                    double less = d * (1 - 1e-9);
                    double more = d * (1 + 1e-9);
                    assertThat(after.applyAsDouble(less))
                            .as("seed %d, %s", seed, loss)
                            .isGreaterThan(less);
                    assertThat(after.applyAsDouble(more))
                            .as("seed %d, %s", seed, loss)
                            .isLessThan(more);
                }
            }
        }
    }

    /** Implicit steps on the hinge loss are the passive-aggressive ones with c = eta (Kulis and Bartlett 2010). */
    @SeededTest
    void shouldBePassiveAggressiveWhereItsStepsAreImplicit(long seed) {
        for (String eta : List.of("0.01", "1")) {
            Learner learner = sgd(Map.of("loss", "hinge", "implicit", "true", "eta", eta, "predict", "averaged"));
            Learner passive = new Perceptron(
                    Settings.DEFAULTS.with(Map.of("c", eta, "predict", "averaged")), PassiveAggressive.PA_I);
            Outcome expected = new Outcome();
            Random random = new Random(seed);
            for (Sample sample : RandomStreams.noisy(random, 500, 100, 8)) {
                double weight = 0.5 + random.nextDouble();
                learner.learn(sample.vector(), Label.of(sample.y), weight, outcome);
                passive.learn(sample.vector(), Label.of(sample.y), weight, expected);
                assertThat(outcome.score()).as("seed %d", seed).isCloseTo(expected.score(), within(1e-9));
                assertThat(outcome.predictedScore())
                        .as("seed %d", seed)
                        .isCloseTo(expected.predictedScore(), within(1e-9));
            }
            assertThat(learner.weightNorm()).as("seed %d", seed).isCloseTo(passive.weightNorm(), within(1e-9));
        }
    }

    /** The first step of adagrad moves each of 100 weights by eta, so the score by 100. */
    @ParameterizedTest
    @CsvSource({"sigmoid, 100, 3", "logistic, 100, 5", "hinge, 100, 1.001", "squared-hinge, 100, 1"})
    void shouldNotGoTooFarWhereThereAreManyFeatures(String loss, double usual, double most) {
        double[] x = new double[100];
        Arrays.fill(x, 1);
        for (boolean isImplicit : new boolean[] {false, true}) {
            Learner learner =
                    sgd(Map.of("loss", loss, "rate", "adagrad", "bias", "false", "implicit", "" + isImplicit));
            learner.learn(Sample.dense(1, x).vector(), Label.PLUS_ONE, 1, outcome);
            learner.learn(Sample.dense(1, x).vector(), Label.PLUS_ONE, 1, outcome);
            if (isImplicit) {
                assertThat(outcome.score()).isBetween(0.9, most);
            } else {
                assertThat(outcome.score()).isCloseTo(usual, within(1e-9));
            }
        }
    }

    @Test
    void shouldTakeImplicitStepsAtAnyTimeButWithALossThatHasAMargin() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "sgd", "loss", "perceptron"));
        model.process(Sample.dense(1, 1, 2).example(), 0);

        assertThatThrownBy(() -> model.configure(Map.of("implicit", "true")))
                .hasMessage("implicit must be false with loss=perceptron, got true (loss=hinge has such steps)");
        model.configure(Map.of("implicit", "true", "loss", "hinge"));
        assertThat(model.pipeline().settings().get(Settings.IMPLICIT)).isTrue();
    }
}
