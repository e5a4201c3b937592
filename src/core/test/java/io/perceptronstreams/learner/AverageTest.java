package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The lazy average against the average of all weight vectors. */
final class AverageTest {
    private static final int DIMENSION = 30;

    private final Outcome outcome = new Outcome();

    // Every w_n with its bias last, in order of creation, and its survival count.
    private final List<double[]> vectors = new ArrayList<>();
    private final List<Integer> survivals = new ArrayList<>();

    @SeededTest
    void shouldBeTheMeanOfAllWeightVectorsByTheirSurvival(long seed) {
        for (int start = 0; start <= 1; start++) {
            for (String bias : List.of("true", "false")) {
                Map<String, String> settings = Map.of(
                        "predict", "averaged", "survival.start", "" + start, "bias", bias, "h", "0.7", "eta", "0.3");
                checkAgainstPlainSums(seed, settings, start);
            }
        }
    }

    private void checkAgainstPlainSums(long seed, Map<String, String> settings, int start) {
        Random random = new Random(seed);
        Perceptron learner = perceptron(settings);
        boolean hasBias = settings.get("bias").equals("true");
        vectors.clear();
        survivals.clear();
        vectors.add(new double[DIMENSION + 1]);
        survivals.add(0);
        for (Sample plain : RandomStreams.noisy(random, 400, DIMENSION, 6)) {
            Sample sample = plain.withWeight(0.25 + 4 * random.nextDouble());
            double expected = naiveScore(sample, hasBias);

            learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);

            String where = "seed " + seed + ", " + settings;
            assertThat(outcome.predictedScore()).as(where).isCloseTo(expected, within(1e-9));
            assertThat(outcome.predicted()).as(where).isEqualTo(expected >= 0 ? Label.PLUS_ONE : Label.MINUS_ONE);
            if (outcome.isUpdated()) {
                vectors.add(updated(sample, 0.3 * sample.weight * sample.y, hasBias));
                survivals.add(start);
            } else {
                survivals.set(survivals.size() - 1, survivals.get(survivals.size() - 1) + 1);
            }
        }
        double[] mean = mean();
        double[] shown = shownAverages(learner);
        assertThat(shown).hasSameSizeAs(mean);
        for (int k = 0; k < mean.length; k++) {
            assertThat(shown[k]).as("seed %d, weight %d", seed, k).isCloseTo(mean[k], within(1e-9));
        }
    }

    private double naiveScore(Sample sample, boolean hasBias) {
        double[] mean = mean();
        return sample.dot(mean) + (hasBias ? mean[DIMENSION] : 0);
    }

    private double[] mean() {
        double[] mean = new double[DIMENSION + 1];
        double total = survivals.stream().mapToInt(count -> count).sum();
        for (int n = 0; n < vectors.size(); n++) {
            for (int k = 0; k < mean.length && total > 0; k++) {
                mean[k] += survivals.get(n) / total * vectors.get(n)[k];
            }
        }
        return mean;
    }

    private double[] updated(Sample sample, double step, boolean hasBias) {
        double[] w = vectors.get(vectors.size() - 1).clone();
        for (int k = 0; k < sample.indices.length; k++) {
            w[sample.indices[k]] += step * sample.values[k];
        }
        w[DIMENSION] += hasBias ? step : 0;
        return w;
    }

    private static double[] shownAverages(Perceptron learner) {
        double[] shown = new double[DIMENSION + 1];
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                shown[DIMENSION] = averagedBias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                shown[index] = averaged;
            }
        });
        return shown;
    }

    @Test
    void shouldPredictWithTheMeanOfTheWholeStreamOnceItIsAskedTo() {
        Perceptron learner = perceptron(Map.of("bias", "false"));
        learn(learner, 1, 4);
        learn(learner, -1, 1);
        // w was 4 after the first example and 3 after the second
        learner.configure(Settings.DEFAULTS.with(Map.of("bias", "false", "predict", "averaged")));

        learner.predict(Sample.dense(1, 1).vector(), outcome);

        assertThat(outcome.predictedScore()).isEqualTo(3.5);
        assertThat(outcome.score()).isEqualTo(3);
    }

    @Test
    void shouldPredictPlusOneBeforeTheFirstSurvival() {
        Perceptron learner = perceptron(Map.of("predict", "averaged", "survival.start", "0"));
        learn(learner, -1, 5);

        learner.predict(Sample.dense(1, 1).vector(), outcome);

        assertThat(outcome.score()).isEqualTo(-6);
        assertThat(outcome.predictedScore()).isZero();
        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
        assertThat(shownAverages(learner)).isEqualTo(new double[DIMENSION + 1]);
    }

    @Test
    void shouldUpdateOnTheMistakesOfTheLastVectorNotOfTheAverage() {
        Perceptron learner = perceptron(Map.of("predict", "averaged", "bias", "false"));
        learn(learner, 1, 1);
        learn(learner, 1, 1);
        learn(learner, -1, 1.5);
        // w = -0.5, mean = (1 + 1 - 0.5) / 3 = 0.5
        learn(learner, -1, 1);

        assertThat(outcome.predictedScore()).isEqualTo(0.5);
        assertThat(outcome.isError()).isTrue();
        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isUpdated()).isFalse();
    }

    private void learn(Perceptron learner, int y, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), 1, outcome);
    }

    private static Perceptron perceptron(Map<String, String> settings) {
        return new Perceptron(Settings.DEFAULTS.with(settings));
    }
}
