package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A hinge for each class, and a threshold of the emitted label. */
final class UnevenMarginsTest {
    private final Outcome outcome = new Outcome();

    private static Learner learner(String algorithm, Map<String, String> changes) {
        Map<String, String> all = new HashMap<>(changes);
        all.put("algorithm", algorithm);
        return Algorithm.valueOf(algorithm.toUpperCase(Locale.ROOT)).create(settings(all));
    }

    private static Settings settings(Map<String, String> changes) {
        return Settings.DEFAULTS.with(changes);
    }

    private void learn(Learner learner, Sample sample) {
        learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
    }

    /** The perceptron with a hinge per class, in plain sums over the examples that made an update. */
    private static int naiveUpdates(List<Sample> samples, double hPositive, double hNegative) {
        Map<Integer, Double> w = new HashMap<>();
        int updates = 0;
        for (Sample sample : samples) {
            double u = w.getOrDefault(-1, 0.0);
            for (int k = 0; k < sample.indices.length; k++) {
                u += w.getOrDefault(sample.indices[k], 0.0) * sample.values[k];
            }
            double margin = sample.y * u;
            if (margin <= 0 || margin < (sample.y > 0 ? hPositive : hNegative)) {
                w.merge(-1, (double) sample.y, Double::sum);
                for (int k = 0; k < sample.indices.length; k++) {
                    w.merge(sample.indices[k], sample.y * sample.values[k], Double::sum);
                }
                updates++;
            }
        }
        return updates;
    }

    @SeededTest
    void shouldUpdateBelowTheHingeOfTheClass(long seed) {
        List<Sample> samples = RandomStreams.noisy(new Random(seed), 2_000, 30, 5);
        for (String algorithm : List.of("perceptron", "kernel")) {
            Learner learner = learner(algorithm, Map.of("h", "1", "h.positive", "3", "h.negative", "0.25"));
            int updates = 0;
            for (Sample sample : samples) {
                learn(learner, sample);
                double h = sample.y > 0 ? 3 : 0.25;
                assertThat(outcome.hingeLoss()).isEqualTo(Math.max(0, h - outcome.margin()));
                updates += outcome.isUpdated() ? 1 : 0;
            }
            assertThat(updates).as("seed %d", seed).isEqualTo(naiveUpdates(samples, 3, 0.25));
        }
    }

    @Test
    void shouldHaveTheCommonHingeWhereAClassHasNone() {
        Settings settings = settings(Map.of("h", "2", "h.negative", "0"));

        assertThat(settings.hinge(1)).isEqualTo(2);
        assertThat(settings.hinge(-1)).isZero();
        assertThat(settings.largestHinge()).isEqualTo(2);
        assertThat(settings.hasEqualClasses()).isFalse();
        assertThat(settings(Map.of("h", "2", "h.negative", "2")).hasEqualClasses())
                .isTrue();
    }

    /**
     * |w|^2 grows by at most R^2 + 2h_y per update, w·u by at least the margin: M is at most (R^2 + 2·max h)/gamma^2.
     */
    @SeededTest
    void shouldKeepTheBoundOfTheLargestHinge(long seed) {
        RandomStreams.Separable stream = RandomStreams.separable(new Random(seed), 400, 5, 0.1, true);
        Learner learner = learner("perceptron", Map.of("h.positive", "2", "h.negative", "0.5", "bias", "false"));
        int updates = 0;
        boolean isConverged = false;
        while (!isConverged) {
            isConverged = true;
            for (Sample sample : stream.samples()) {
                learn(learner, sample);
                updates += outcome.isUpdated() ? 1 : 0;
                isConverged &= !outcome.isUpdated();
            }
        }
        assertThat((double) updates)
                .as("seed %d", seed)
                .isLessThanOrEqualTo((1 + 2 * 2) / (stream.margin() * stream.margin()));
    }

    @ParameterizedTest
    @CsvSource({
        "perceptron, last",
        "perceptron, averaged",
        "kernel, voted",
        "arow, last",
        "alma, last",
        "sgd, averaged",
        "scw, last"
    })
    void shouldEmitByTheThresholdAndLearnAsWithoutIt(String algorithm, String predict) {
        Learner plain = learner(algorithm, Map.of("predict", predict));
        Learner shifted = learner(algorithm, Map.of("predict", predict, "threshold", "0.5"));
        Outcome other = new Outcome();
        int moved = 0;
        for (Sample sample : RandomStreams.noisy(new Random(4), 500, 20, 4)) {
            learn(plain, sample);
            shifted.learn(sample.vector(), Label.of(sample.y), 1, other);

            assertThat(other.predictedScore()).isEqualTo(outcome.predictedScore());
            assertThat(other.margin()).isEqualTo(outcome.margin());
            assertThat(other.kind()).isEqualTo(outcome.kind());
            boolean isPositive = outcome.predictedScore() >= 0.5;
            assertThat(other.predicted()).isEqualTo(Label.of(isPositive ? 1 : -1));
            assertThat(other.isError()).isEqualTo(isPositive != (sample.y > 0));
            moved += other.predicted().equals(outcome.predicted()) ? 0 : 1;
        }
        assertThat(Bits.of(shifted)).isEqualTo(Bits.of(plain));
        assertThat(moved).isPositive();
    }

    @Test
    void shouldEmitPlusOneAtTheThresholdItself() {
        Learner learner = learner("perceptron", Map.of("threshold", "2"));
        learn(learner, Sample.dense(1, 1));

        // w = 1, bias 1
        learner.predict(Sample.dense(1, 1).vector(), outcome);
        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
        learner.predict(Sample.dense(1, 0.99).vector(), outcome);
        assertThat(outcome.predicted()).isEqualTo(Label.MINUS_ONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h.positive | -1 | h.positive must be auto or a number >= 0, got '-1'",
                "threshold | NaN | threshold must be a finite number, or cost:FP:FN with positive numbers as in"
                        + " cost:1:20, got 'NaN'",
                "threshold | cost:1 | threshold must be a finite number, or cost:FP:FN with positive numbers as in"
                        + " cost:1:20 (two costs, as in cost:1:20), got 'cost:1'",
                "threshold | cost:1:0 | threshold must be a finite number, or cost:FP:FN with positive numbers as in"
                        + " cost:1:20 (a cost must be a positive number), got 'cost:1:0'",
                "threshold | cost:1:x | threshold must be a finite number, or cost:FP:FN with positive numbers as in"
                        + " cost:1:20, got 'cost:1:x'",
                "alerts.max | 200 | alerts.max must be NUMBER/hour or NUMBER/day with a positive number as in 200/day, or"
                        + " empty, got '200'",
                "alerts.max | 0/day | alerts.max must be NUMBER/hour or NUMBER/day with a positive number as in 200/day,"
                        + " or empty, got '0/day'",
                "alerts.max | 9/week | alerts.max must be NUMBER/hour or NUMBER/day with a positive number as in"
                        + " 200/day, or empty, got '9/week'",
                "class.weights | spam:0 | class.weights must be balanced, or CLASS:NUMBER for each class as in"
                        + " spam:5,ham:1 with numbers > 0, or empty, got 'spam:0'",
                "class.weights | spam:1,spam:2 | class.weights must be balanced, or CLASS:NUMBER for each class as in"
                        + " spam:5,ham:1 with numbers > 0, or empty ('spam' twice), got 'spam:1,spam:2'",
                "class.weights | 5:x | class.weights must be balanced, or CLASS:NUMBER for each class as in"
                        + " spam:5,ham:1 with numbers > 0, or empty, got '5:x'",
                "class.weights | :3 | class.weights must be balanced, or CLASS:NUMBER for each class as in"
                        + " spam:5,ham:1 with numbers > 0, or empty, got ':3'",
                "class.weights | 5 | class.weights must be balanced, or CLASS:NUMBER for each class as in"
                        + " spam:5,ham:1 with numbers > 0, or empty, got '5'",
            })
    void shouldRefuseWrongValues(String name, String value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(Map.of(name, value)))
                .withMessage(message);
    }

    @Test
    void shouldWriteClassWeightsAsTheyAreRead() {
        String text =
                settings(Map.of("class.weights", " a:b:5, -1:0.5")).toMap().get("class.weights");

        assertThat(text).isEqualTo("a:b:5.0,-1:0.5");
        assertThat(settings(Map.of("class.weights", text))
                        .get(Settings.CLASS_WEIGHTS)
                        .given())
                .containsEntry("a:b", 5.0)
                .containsEntry("-1", 0.5);
        assertThat(settings(Map.of("class.weights", "balanced")).toMap()).containsEntry("class.weights", "balanced");
    }
}
