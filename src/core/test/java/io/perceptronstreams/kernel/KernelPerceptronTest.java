package io.perceptronstreams.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Perceptron;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightList;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KernelPerceptronTest {
    private final Outcome outcome = new Outcome();

    static Settings settings(String... pairs) {
        Map<String, String> changes = new HashMap<>();
        for (int k = 0; k < pairs.length; k += 2) {
            changes.put(pairs[k], pairs[k + 1]);
        }
        return Settings.DEFAULTS.with(changes);
    }

    private static KernelPerceptron kernelPerceptron(String... pairs) {
        return new KernelPerceptron(settings(pairs));
    }

    private void learn(Learner learner, Sample sample) {
        learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
    }

    private double score(Learner learner, double... x) {
        learner.predict(Sample.dense(1, x).vector(), outcome);
        return outcome.score();
    }

    // Lecture 001: w = (1,0) after the first example, (1,-1) after the second, and then both are right.
    @Test
    void shouldWorkTheExampleOfLecture001() {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear", "bias", "false");
        learn(learner, Sample.dense(1, 1, 0));
        assertThat(List.of(score(learner, 1, 0), score(learner, 0, 1))).containsExactly(1.0, 0.0);

        learn(learner, Sample.dense(-1, 0, 1));
        assertThat(List.of(score(learner, 1, 0), score(learner, 0, 1))).containsExactly(1.0, -1.0);

        learn(learner, Sample.dense(1, 1, 0));
        assertThat(outcome.isUpdated()).isFalse();
        learn(learner, Sample.dense(-1, 0, 1));
        assertThat(outcome.isUpdated()).isFalse();
        // |(1,-1)|^2 = 2
        assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(2));
        assertThat(learner.radius()).isEqualTo(1);
    }

    @Test
    void shouldSolveWhatNoHyperplaneSeparates() {
        List<Sample> xor = List.of(
                Sample.dense(-1, -1, -1), Sample.dense(1, -1, 1), Sample.dense(1, 1, -1), Sample.dense(-1, 1, 1));
        KernelPerceptron learner = kernelPerceptron("kernel", "poly(c=1,k=2)", "bias", "false");
        for (int pass = 0; pass < 4; pass++) {
            xor.forEach(sample -> learn(learner, sample));
        }

        for (Sample sample : xor) {
            learner.predict(sample.vector(), outcome);
            assertThat(outcome.predicted()).isEqualTo(Label.of(sample.y));
        }
    }

    @SeededTest
    void shouldEqualThePrimalPerceptronWithTheLinearKernel(long seed) {
        List<Map<String, String>> all = List.of(
                Map.of(),
                Map.of("bias", "false", "h", "3"),
                Map.of("predict", "averaged", "h", "2", "h.inclusive", "true"),
                Map.of("predict", "averaged", "survival.start", "0", "eta", "2"));
        for (Map<String, String> changes : all) {
            Settings primal = Settings.DEFAULTS.with(changes);
            Perceptron one = new Perceptron(primal);
            KernelPerceptron other = new KernelPerceptron(primal.with(Map.of("kernel", "linear")));
            for (Sample sample : integers(new Random(seed), 600, 30)) {
                learn(one, sample);
                List<Object> expected = numbers(outcome);
                learn(other, sample);

                assertThat(numbers(outcome)).isEqualTo(expected);
            }
            assertThat(WeightList.of(other)).isEqualTo(WeightList.of(one));
            assertThat(other.weightNorm()).isEqualTo(one.weightNorm());
            assertThat(other.radius()).isEqualTo(one.radius());
        }
    }

    // With scale=unit-norm-bias the constant feature of an example is not 1.
    @SeededTest
    void shouldEqualThePrimalPerceptronWithAnotherBiasInEachExample(long seed) {
        Settings primal = settings("h", "0.1");
        Perceptron one = new Perceptron(primal);
        KernelPerceptron other = new KernelPerceptron(primal.with(Map.of("kernel", "linear")));
        for (Sample sample : integers(new Random(seed), 300, 10)) {
            one.learn(unitNorm(sample), Label.of(sample.y), sample.weight, outcome);
            double expected = outcome.score();
            other.learn(unitNorm(sample), Label.of(sample.y), sample.weight, outcome);

            assertThat(outcome.score()).isCloseTo(expected, within(1e-9));
        }
        assertThat(other.weightNorm()).isCloseTo(one.weightNorm(), within(1e-9));
        assertThat(other.radius()).isCloseTo(1, within(1e-9));
    }

    private static FeatureVector unitNorm(Sample sample) {
        FeatureVector x = sample.vector();
        x.scaleToUnitNormWithBias();
        return x;
    }

    /** As {@link Bits}, but that -0 is 0: C·u - a is -0 while C is 0 and u < 0. */
    private static List<Object> numbers(Outcome outcome) {
        outcome.predictedScore += 0.0;
        return Bits.of(outcome);
    }

    // (1 + <x,z>)^2 = <(1,x),(1,z)>^2 is the sum over all pairs i, j of (1,x)_i (1,x)_j (1,z)_i (1,z)_j.
    @SeededTest
    void shouldEqualThePerceptronOnTheExplicitMapWithAPolynomialKernel(long seed) {
        Perceptron one = new Perceptron(settings("bias", "false", "predict", "averaged"));
        KernelPerceptron other = kernelPerceptron("bias", "false", "predict", "averaged", "kernel", "poly(c=1,k=2)");
        KernelPerceptron withBias = kernelPerceptron("bias", "true", "predict", "averaged", "kernel", "poly(c=0,k=2)");
        for (Sample sample : integers(new Random(seed), 400, 6)) {
            learn(one, pairs(sample, 7));
            List<Object> expected = Bits.of(outcome);
            learn(other, sample);
            assertThat(Bits.of(outcome)).isEqualTo(expected);
            learn(withBias, sample);
            assertThat(Bits.of(outcome)).isEqualTo(expected);
        }
        assertThat(other.weightNorm()).isEqualTo(one.weightNorm());
    }

    private static Sample pairs(Sample sample, int n) {
        double[] extended = new double[n];
        extended[n - 1] = 1;
        for (int k = 0; k < sample.indices.length; k++) {
            extended[sample.indices[k]] = sample.values[k];
        }
        double[] pairs = new double[n * n];
        for (int k = 0; k < pairs.length; k++) {
            pairs[k] = extended[k / n] * extended[k % n];
        }
        return Sample.dense(sample.y, pairs);
    }

    @SeededTest
    void shouldPredictAsEveryWeightVectorScoredByItselfWould(long seed) {
        List<Map<String, String>> all = List.of(
                Map.of("kernel", "linear", "h", "4"),
                Map.of("kernel", "poly(c=1,k=3)", "survival.start", "0"),
                Map.of("kernel", "2*linear + poly(c=0,k=2)*poly(c=1,k=1)", "bias", "false"),
                Map.of("kernel", "linear", "budget", "12", "budget.policy", "oldest"),
                Map.of("kernel", "poly(c=2,k=2)", "budget", "9", "budget.policy", "smallest", "survival.start", "0"),
                Map.of("kernel", "linear", "budget", "1"));
        for (Map<String, String> changes : all) {
            Settings settings = Settings.DEFAULTS.with(changes);
            NaiveDual naive = new NaiveDual(settings);
            KernelPerceptron learner = new KernelPerceptron(settings);
            for (Sample sample : integers(new Random(seed), 90, 12)) {
                checkPredictions(learner, settings, naive, sample);
                learn(learner, sample);
                naive.learn(sample);

                assertThat(learner.weightNorm() * learner.weightNorm())
                        .isCloseTo(naive.squaredNorm(), within(1e-9 * (1 + naive.squaredNorm())));
            }
        }
    }

    /** All whole numbers below 2^53, so that every order of adding gives the same bits. */
    private void checkPredictions(KernelPerceptron learner, Settings settings, NaiveDual naive, Sample x) {
        int survivals = naive.survivals();
        learner.configure(settings.with(Map.of("predict", "averaged")));
        learner.predict(x.vector(), outcome);
        assertThat(outcome.score()).isEqualTo(naive.last(x));
        assertThat(outcome.predictedScore()).isEqualTo(survivals == 0 ? 0 : naive.averaged(x) / survivals);
        learner.configure(settings.with(Map.of("predict", "voted")));
        learner.predict(x.vector(), outcome);
        assertThat(outcome.score()).isEqualTo(naive.last(x));
        assertThat(outcome.predictedScore())
                .isEqualTo(survivals == 0 ? 0 : naive.voted(x) / survivals)
                .isBetween(-1.0, 1.0);
        learner.configure(settings.with(Map.of("predict", "last")));
    }

    @Test
    void shouldVoteAsTheLastVectorWhereItIsTheOnlyOneThatSurvived() {
        Random random = new Random(7);
        KernelPerceptron last = kernelPerceptron("kernel", "linear");
        KernelPerceptron voted = kernelPerceptron("predict", "voted");
        // all of one class: the first is a mistake, and with features >= 0 no other
        for (int n = 0; n < 50; n++) {
            Sample sample = Sample.dense(-1, random.nextDouble(), random.nextDouble());
            learn(last, sample);
            learn(voted, sample);
        }
        for (int n = 0; n < 200; n++) {
            FeatureVector x = Sample.dense(1, 4 * random.nextGaussian(), 4 * random.nextGaussian())
                    .vector();
            last.predict(x, outcome);
            Label expected = outcome.predicted();
            voted.predict(x, outcome);

            assertThat(outcome.predicted()).isEqualTo(expected);
            assertThat(Math.abs(outcome.predictedScore())).isEqualTo(1);
        }
    }

    // A weight vector whose score is exactly 0 votes for +1.
    @Test
    void shouldCountAScoreOfZeroAsAVoteForPlusOne() {
        KernelPerceptron learner = kernelPerceptron("predict", "voted", "bias", "false");
        learn(learner, Sample.dense(-1, 1, 0));

        learner.predict(Sample.dense(1, 0, 1).vector(), outcome);

        assertThat(outcome.score()).isZero();
        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
        assertThat(outcome.predictedScore()).isEqualTo(1);
    }

    @Test
    void shouldTakeFeaturesOfValueZeroAsAbsent() {
        KernelPerceptron one = kernelPerceptron("kernel", "rbf(g=0.3)");
        KernelPerceptron other = kernelPerceptron("kernel", "rbf(g=0.3)");
        for (Sample sample : integers(new Random(3), 100, 9)) {
            double[] dense = new double[12];
            for (int k = 0; k < sample.indices.length; k++) {
                dense[sample.indices[k]] = sample.values[k];
            }
            learn(one, sample);
            List<Object> expected = Bits.of(outcome);
            other.learn(denseVector(dense), Label.of(sample.y), 1, outcome);

            assertThat(Bits.of(outcome)).isEqualTo(expected);
        }
    }

    private static FeatureVector denseVector(double... values) {
        FeatureVector x = new FeatureVector().resetDense();
        for (double value : values) {
            x.append(value);
        }
        return x;
    }

    @Test
    void shouldChangeHowItPredictsButNotWhatItLearnedFrom() {
        KernelPerceptron learner = kernelPerceptron("kernel", "rbf(g=0.5)");
        Settings settings = settings("kernel", "rbf(g=0.5)");
        learner.configure(settings("kernel", "linear"));
        learner.configure(settings);
        learn(learner, Sample.dense(1, 1));

        learner.configure(settings.with(Map.of("predict", "voted", "budget", "7", "h", "2")));
        assertThatThrownBy(() -> learner.configure(settings.with(Map.of("kernel", "rbf(g=1)"))))
                .hasMessage("kernel must stay rbf(g=0.5) once a model has seen labels, got rbf(g=1)"
                        + " (reset the model first)");
        assertThatThrownBy(() -> learner.configure(settings.with(Map.of("kernel", ""))))
                .hasMessageContaining("kernel must stay rbf(g=0.5)");
        assertThatThrownBy(() -> learner.configure(settings.with(Map.of("bias", "false"))))
                .hasMessageContaining("bias must stay true");
        learner.predict(Sample.dense(1, 1).vector(), outcome);
        assertThat(outcome.predictedScore()).as("still voted").isEqualTo(1);
    }

    @Test
    void shouldRefuseAnUpdateRatherThanOverflow() {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear", "eta", "1e200");
        List<Object> before = Bits.of(learner);

        RejectedException rejection =
                catchThrowableOfType(RejectedException.class, () -> learn(learner, Sample.dense(1, 1e10)));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(Bits.of(learner)).isEqualTo(before);
    }

    // The removal is entered in the ledger first, and must be taken back.
    @Test
    void shouldKeepWhatWouldHaveLeftWhenTheUpdateIsRefused() {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear", "budget", "2", "bias", "false");
        learn(learner, Sample.dense(1, 1, 0, 0));
        learn(learner, Sample.dense(1, 0, 1, 0));
        List<Object> before = Bits.of(learner);

        assertThatThrownBy(() -> learn(learner, Sample.dense(1, 0, 0, 1e10).withWeight(1e200)))
                .isInstanceOf(RejectedException.class);

        assertThat(Bits.of(learner)).isEqualTo(before);
    }

    @Test
    void shouldRejectAnExampleWhoseKernelOverflows() {
        KernelPerceptron learner = kernelPerceptron("kernel", "poly(c=1,k=64)");

        RejectedException rejection =
                catchThrowableOfType(RejectedException.class, () -> learn(learner, Sample.dense(1, 1e3)));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    @Test
    void shouldShowTheCoefficientsOfItsSupportWhereThereAreNoWeights() {
        KernelPerceptron learner = kernelPerceptron("kernel", "rbf(g=1)", "eta", "0.5");
        learn(learner, Sample.dense(1, 1)); // c_1: 1
        learn(learner, Sample.dense(1, 1)); // c_1: 2
        learn(learner, Sample.dense(-1, 9)); // c_2: 1

        // the second term is in one of three weight vectors
        assertThat(WeightList.of(learner)).containsExactly("support 0.0 0.0", "0 0.5 0.5", "1 -0.5 " + -0.5 / 3);
    }

    /** Sparse, with values from -3 to 3 and labels that mostly follow a hyperplane. */
    static List<Sample> integers(Random random, int n, int dimension) {
        List<Sample> samples = new ArrayList<>();
        for (Sample sample : RandomStreams.noisy(random, n, dimension, Math.min(5, dimension))) {
            double[] values = new double[sample.values.length];
            for (int k = 0; k < values.length; k++) {
                values[k] = random.nextInt(7) - 3;
            }
            samples.add(Sample.sparse(sample.y, sample.indices, values));
        }
        return samples;
    }
}
