package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Theorems, and consequences of the definitions, on random streams. */
final class PerceptronPropertiesTest {
    private final Outcome outcome = new Outcome();
    private int mistakes;
    private int updates;

    @SeededTest
    void shouldMakeAtMostRadiusOverMarginSquaredMistakes(long seed) {
        Random random = new Random(seed);
        for (double margin : new double[] {0.5, 0.1, 0.02}) {
            RandomStreams.Separable stream = RandomStreams.separable(random, 300, 6, margin, false);
            Perceptron learner = perceptron(Map.of("bias", "false"));
            passUntilClean(learner, stream.samples());

            // Bartlett, theorem 2.1
            assertThat((double) mistakes)
                    .as("seed %d, margin %s", seed, margin)
                    .isPositive()
                    .isLessThanOrEqualTo(Math.pow(learner.radius() / stream.margin(), 2));
        }
    }

    @SeededTest
    void shouldReachAThirdOfTheMarginOnUnitVectors(long seed) {
        Random random = new Random(seed);
        for (String inclusive : List.of("false", "true")) {
            RandomStreams.Separable stream = RandomStreams.separable(random, 200, 5, 0.1, true);
            Perceptron learner = perceptron(Map.of("bias", "false", "h", "1", "h.inclusive", inclusive));
            passUntilClean(learner, stream.samples());

            // Hardt and Recht 2021; Harvey 2018
            assertThat((double) updates)
                    .as("seed %d", seed)
                    .isPositive()
                    .isLessThanOrEqualTo(3 / (stream.margin() * stream.margin()));
            for (Sample sample : stream.samples()) {
                learner.evaluate(sample.vector(), Label.of(sample.y), outcome);
                assertThat(outcome.margin() / learner.weightNorm())
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(stream.margin() / 3);
            }
        }
    }

    @SeededTest
    void shouldKeepTheNormOfTheWeightsBetweenItsBounds(long seed) {
        Random random = new Random(seed);
        for (double h : new double[] {0, 1}) {
            RandomStreams.Separable stream = RandomStreams.separable(random, 500, 8, 0.05, false);
            Perceptron learner = perceptron(Map.of("bias", "false", "h", Double.toString(h)));
            updates = 0;
            for (Sample sample : stream.samples()) {
                learn(learner, sample);
                double norm = learner.weightNorm();
                double radius = learner.radius();

                assertThat(norm * norm)
                        .as("seed %d, h %s", seed, h)
                        .isLessThanOrEqualTo((radius * radius + 2 * h) * updates * (1 + 1e-12));
                assertThat(norm).as("seed %d, h %s", seed, h).isGreaterThanOrEqualTo(stream.margin() * updates);
            }
        }
    }

    @SeededTest
    void shouldBoundTheMistakesOnAnyDataByTheHingeLossOfAnyVector(long seed) {
        Random random = new Random(seed);
        List<Sample> samples = RandomStreams.noisy(random, 400, 10, 4);
        Perceptron learner = perceptron(Map.of("bias", "false"));
        samples.forEach(sample -> learn(learner, sample));
        Perceptron good = perceptron(Map.of("bias", "false", "h", "1", "eta", "0.01"));
        for (int pass = 0; pass < 20; pass++) {
            samples.forEach(sample -> good.learn(sample.vector(), Label.of(sample.y), 1, outcome));
        }
        double radius = learner.radius();
        for (int round = 0; round < 100; round++) {
            // half of them near a good vector, for which the bound is not far off
            double[] u = RandomStreams.direction(random, 10);
            double length = Math.pow(10, random.nextInt(5) - 3);
            double[] w = weights(good, 10);
            double hinge = 0;
            double square = 0;
            for (int k = 0; k < u.length; k++) {
                u[k] = round % 2 == 0 ? length * u[k] : w[k] * (1 + u[k] / 10);
                square += u[k] * u[k];
            }
            for (Sample sample : samples) {
                hinge += Math.max(0, 1 - sample.y * sample.dot(u));
            }

            // Lin 2021
            assertThat((double) mistakes)
                    .as("seed %d, round %d", seed, round)
                    .isLessThanOrEqualTo(radius * radius * square + 2 * hinge);
        }
    }

    @SeededTest
    void shouldKnowTheNormOfItsWeights(long seed) {
        Random random = new Random(seed);
        Perceptron learner = perceptron(Map.of("h", "1", "eta", "0.37"));
        for (Sample sample : RandomStreams.noisy(random, 2000, 300, 10)) {
            learn(learner, sample.withWeight(0.5 + random.nextDouble()));
        }

        double norm = WeightSummary.ofWeights(learner).norm();
        assertThat(learner.weightNorm()).as("seed %d", seed).isCloseTo(norm, within(1e-12 * norm));
    }

    @SeededTest
    void shouldComeToTheSameBitsFromDenseAndFromSparseVectors(long seed) {
        Random random = new Random(seed);
        // around the length of a block
        for (int dimension : new int[] {1, 2, 127, 128, 129, 256, 257, 300}) {
            String where = "seed " + seed + ", dimension " + dimension;
            Perceptron sparse = perceptron(Map.of("h", "1", "predict", "averaged"));
            Perceptron dense = perceptron(Map.of("h", "1", "predict", "averaged"));
            FeatureVector x = new FeatureVector();
            for (Sample sample : RandomStreams.noisy(random, 200, dimension, 1 + dimension / 3)) {
                learn(sparse, sample);
                List<Object> expected = Bits.of(outcome);
                x.resetDense();
                for (int index = 0, k = 0; index < dimension; index++) {
                    x.append(k < sample.indices.length && sample.indices[k] == index ? sample.values[k++] : 0);
                }
                dense.learn(x, Label.of(sample.y), 1, outcome);

                assertThat(Bits.of(outcome)).as(where).isEqualTo(expected);
            }
            assertThat(Bits.of(dense)).as(where).isEqualTo(Bits.of(sparse));
        }
    }

    @SeededTest
    void shouldComeToTheSameBitsInWhateverOrderNamedFeaturesCome(long seed) {
        Random random = new Random(seed);
        FeatureHasher hasher = new FeatureHasher(4);
        Perceptron one = perceptron(Map.of());
        Perceptron other = perceptron(Map.of());
        for (int n = 0; n < 500; n++) {
            // about 40 names in 16 places
            TreeSet<String> names = new TreeSet<>();
            for (int k = random.nextInt(40); k > 0; k--) {
                names.add("feature " + random.nextInt(1000));
            }
            List<String> shuffled = new ArrayList<>(names);
            Collections.shuffle(shuffled, random);
            Label y = Label.of(random.nextBoolean() ? 1 : -1);
            one.learn(hashed(hasher, List.copyOf(names)), y, 1, outcome);
            List<Object> expected = Bits.of(outcome);
            other.learn(hashed(hasher, shuffled), y, 1, outcome);

            assertThat(Bits.of(outcome)).as("seed %d", seed).isEqualTo(expected);
        }
        assertThat(Bits.of(other)).as("seed %d", seed).isEqualTo(Bits.of(one));
    }

    private static FeatureVector hashed(FeatureHasher hasher, List<String> names) {
        FeatureVector x = new FeatureVector().resetSparse();
        for (String name : names) {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            x.append(hasher.index(utf8, 0, utf8.length), Math.sin(name.hashCode()) * 1e3);
        }
        x.sortAndMerge();
        return x;
    }

    private static double[] weights(Perceptron learner, int dimension) {
        double[] weights = new double[dimension];
        WeightSummary.ofWeights(learner).features().forEach((index, value) -> weights[index] = value);
        return weights;
    }

    private void passUntilClean(Perceptron learner, List<Sample> samples) {
        mistakes = 0;
        updates = 0;
        int before = -1;
        // far more passes than any bound allows, so that a learner that never stops fails and does not hang
        for (int pass = 0; pass < 1000 && before < updates; pass++) {
            before = updates;
            samples.forEach(sample -> learn(learner, sample));
        }
        assertThat(updates).as("updates of the last pass and before").isEqualTo(before);
    }

    private void learn(Perceptron learner, Sample sample) {
        learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
        mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
        updates += outcome.isUpdated() ? 1 : 0;
    }

    private static Perceptron perceptron(Map<String, String> settings) {
        return new Perceptron(Settings.DEFAULTS.with(settings));
    }
}
