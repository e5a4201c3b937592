package io.perceptronstreams.multiclass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Perceptron;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Several classes against two classes, plain sums and their theorem, on random streams. */
final class MulticlassPerceptronPropertiesTest {
    private final Outcome outcome = new Outcome();

    @SeededTest
    void shouldBeTheTwoClassPerceptronUpToSignWhereThereAreTwoClasses(long seed) {
        for (String predict : List.of("last", "averaged")) {
            for (double h : new double[] {0, 0.7}) {
                requireTwoClassPerceptron(seed, predict, h, false);
                requireTwoClassPerceptron(seed, predict, h, true);
            }
        }
    }

    /** With {@code scale=unit-norm-bias} the constant feature of an example is not 1. */
    private void requireTwoClassPerceptron(long seed, String predict, double h, boolean isUnitNorm) {
        Perceptron two = new Perceptron(Settings.DEFAULTS.with(Map.of("predict", predict, "h", "" + h)));
        // the lead is twice u; a tie is a mistake for two classes, with either label
        MulticlassPerceptron several = new MulticlassPerceptron(Settings.DEFAULTS.with(Map.of(
                "predict",
                predict,
                "h",
                "" + 2 * h,
                "h.inclusive",
                "" + (h == 0),
                "classes",
                "1,-1",
                "predict.scores",
                "true")));
        Outcome other = new Outcome();
        for (Sample sample : RandomStreams.noisy(new Random(seed), 500, 20, 5)) {
            two.learn(vector(sample, isUnitNorm), Label.of(sample.y), sample.weight, outcome);
            several.learn(vector(sample, isUnitNorm), Label.of(sample.y), sample.weight, other);

            String where = "seed " + seed + ", " + predict + ", h " + h + ", unit norm " + isUnitNorm;
            assertThat(other.predicted())
                    .as(where)
                    .hasToString(outcome.predicted().toString());
            assertThat(other.score(0)).as(where).isEqualTo(outcome.predictedScore());
            assertThat(other.score(1)).as(where).isEqualTo(-outcome.predictedScore() + 0.0);
            assertThat(other.margin()).as(where).isEqualTo(2 * outcome.margin());
            assertThat(other.isUpdated()).as(where).isEqualTo(outcome.isUpdated());
            assertThat(other.isError()).as(where).isEqualTo(outcome.isError());
        }
        assertThat(several.weightNorm()).isCloseTo(Math.sqrt(2) * two.weightNorm(), within(1e-9 * two.weightNorm()));
        assertThat(several.radius()).isEqualTo(two.radius());
    }

    private static FeatureVector vector(Sample sample, boolean isUnitNorm) {
        FeatureVector x = sample.vector();
        if (isUnitNorm) {
            x.scaleToUnitNormWithBias();
        }
        return x;
    }

    @SeededTest
    void shouldPredictWithTheMeanOfAllWeightVectorsByTheirSurvival(long seed) {
        for (int start = 0; start <= 1; start++) {
            requireMeans(seed, start, 5);
            // more than are summed four at a time
            requireMeans(seed, start, 19);
        }
    }

    private void requireMeans(long seed, int start, int classes) {
        MulticlassPerceptron learner = new MulticlassPerceptron(Settings.DEFAULTS.with(Map.of(
                "predict",
                "averaged",
                "survival.start",
                "" + start,
                "h",
                "0.5",
                "eta",
                "0.3",
                "predict.scores",
                "true")));
        // the sum of all w so far, by survival, and w; by class, the bias last
        double[][] sum = new double[classes][21];
        double[][] w = new double[classes][21];
        double survivals = 0;
        Random random = new Random(seed);
        for (Sample plain : RandomStreams.noisy(random, 400, 20, 4)) {
            Sample sample = plain.withWeight(0.25 + 4 * random.nextDouble());
            int y = (sample.y + 1 + sample.indices[0] + 3 * sample.indices[1]) % classes;
            List<String> known = learner.state().names();

            learner.learn(sample.vector(), Label.of(y), sample.weight, outcome);

            for (int c = 0; c < known.size(); c++) {
                double[] mean = sum[Integer.parseInt(known.get(c))];
                double expected = survivals == 0 ? 0 : (sample.dot(mean) + mean[20]) / survivals;
                assertThat(outcome.score(c)).as("seed %d", seed).isCloseTo(expected, within(1e-9));
            }
            if (outcome.isUpdated()) {
                w = weights(learner, classes);
            }
            int lasted = outcome.isUpdated() ? start : 1;
            survivals += lasted;
            for (int c = 0; c < classes; c++) {
                for (int k = 0; k <= 20; k++) {
                    sum[c][k] += lasted * w[c][k];
                }
            }
        }
        assertThat(learner.state().names()).hasSize(classes);
    }

    private static double[][] weights(MulticlassPerceptron learner, int classes) {
        double[][] weights = new double[classes][21];
        learner.forEachWeight(new Learner.WeightVisitor() {
            private double[] w;

            @Override
            public void vector(String name, double bias, double averagedBias) {
                w = weights[Integer.parseInt(name)];
                w[20] = bias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                w[index] = weight;
            }
        });
        return weights;
    }

    @SeededTest
    void shouldMakeAtMostTwiceRadiusOverMarginSquaredMistakesWhereClassesAreGiven(long seed) {
        Random random = new Random(seed);
        // all of them together of length 1
        double[] separator = RandomStreams.direction(random, 4 * 6);
        List<Sample> samples = new ArrayList<>();
        double margin = Double.POSITIVE_INFINITY;
        while (samples.size() < 300) {
            double[] x = RandomStreams.direction(random, 6);
            double[] scores = new double[4];
            int best = 0;
            for (int c = 0; c < 4; c++) {
                for (int k = 0; k < 6; k++) {
                    scores[c] += separator[6 * c + k] * x[k];
                }
                best = scores[c] > scores[best] ? c : best;
            }
            double lead = Double.POSITIVE_INFINITY;
            for (int c = 0; c < 4; c++) {
                lead = c == best ? lead : Math.min(lead, scores[best] - scores[c]);
            }
            if (lead > 0.05) {
                samples.add(Sample.dense(best, x));
                margin = Math.min(margin, lead);
            }
        }
        MulticlassPerceptron learner =
                new MulticlassPerceptron(Settings.DEFAULTS.with(Map.of("classes", "0,1,2,3", "bias", "false")));
        int updates = 0;
        int before = -1;
        while (updates > before) {
            before = updates;
            for (Sample sample : samples) {
                learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
                updates += outcome.isUpdated() ? 1 : 0;
                double norm = learner.weightNorm();
                double radius = learner.radius();
                assertThat(norm * norm)
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(2 * radius * radius * updates * (1 + 1e-12));
                assertThat(norm).as("seed %d", seed).isGreaterThanOrEqualTo(margin * updates * (1 - 1e-12));
            }
        }
        assertThat((double) updates)
                .as("seed %d", seed)
                .isPositive()
                .isLessThanOrEqualTo(2 * Math.pow(learner.radius() / margin, 2));
    }
}
