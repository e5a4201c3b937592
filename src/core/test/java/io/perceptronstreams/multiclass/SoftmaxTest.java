package io.perceptronstreams.multiclass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerTrace;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Softmax regression against its golden trace, its loss, and the logistic loss of two classes. */
final class SoftmaxTest {
    private static final int DIMENSION = 5;
    private static final int CLASSES = 4;
    private static final String NAMES = "0,1,2,3";

    private final Outcome outcome = new Outcome();

    private static Learner learner(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("algorithm", "softmax");
        return Algorithm.SOFTMAX.create(Settings.DEFAULTS.with(all));
    }

    private static Learner learner(String settings) {
        Map<String, String> all = new HashMap<>();
        for (String each : settings.split(" ", -1)) {
            all.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return learner(all);
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("softmax", SoftmaxTest::learner)).isEqualTo(30);
    }

    private static double[][] weights(Learner learner) {
        double[][] weights = new double[CLASSES][DIMENSION];
        learner.forEachWeight(new Learner.WeightVisitor() {
            private double[] w;

            @Override
            public void vector(String name, double bias, double averagedBias) {
                w = weights[Integer.parseInt(name)];
            }

            @Override
            public void weight(int index, double weight, double average) {
                w[index] = weight;
            }
        });
        return weights;
    }

    private static double loss(double[][] w, double[] x, int y) {
        double sum = 0;
        for (double[] each : w) {
            sum += Math.exp(dot(each, x));
        }
        return Math.log(sum) - dot(w[y], x);
    }

    private static double dot(double[] w, double[] x) {
        double sum = 0;
        for (int k = 0; k < x.length; k++) {
            sum += w[k] * x[k];
        }
        return sum;
    }

    /** The derivative of the loss by a weight, as a difference. */
    private static double slope(double[][] at, int c, int k, double[] x, int y) {
        double small = 1e-5;
        double[][] w = Arrays.stream(at).map(double[]::clone).toArray(double[][]::new);
        w[c][k] += small;
        double after = loss(w, x, y);
        w[c][k] -= 2 * small;
        return (after - loss(w, x, y)) / (2 * small);
    }

    /** Explicit steps follow the slope before the update, implicit ones that after it. */
    @SeededTest
    void shouldFollowTheSlopeOfItsLoss(long seed) {
        Random random = new Random(seed);
        for (boolean isImplicit : new boolean[] {false, true}) {
            for (String rate : new String[] {"constant", "inverse-sqrt", "adagrad"}) {
                double[][] squares = new double[CLASSES][DIMENSION];
                Learner learner =
                        learner("bias=false eta=0.7 classes=" + NAMES + " rate=" + rate + " implicit=" + isImplicit);
                for (int example = 1; example <= 100; example++) {
                    double[] x = random.doubles(DIMENSION, -1, 1).toArray();
                    int y = random.nextInt(5) == 0 ? random.nextInt(CLASSES) : (int) (Math.abs(x[0] + x[1]) * 2);
                    double weight = 0.5 + random.nextDouble();
                    double[][] before = weights(learner);

                    learner.learn(Sample.dense(1, x).vector(), Label.of(y), weight, outcome);

                    double[][] after = weights(learner);
                    for (int c = 0; c < CLASSES; c++) {
                        for (int k = 0; k < DIMENSION; k++) {
                            squares[c][k] += Math.pow(weight * slope(before, c, k, x, y), 2);
                            double step = 0.7
                                    / switch (rate) {
                                        case "constant" -> 1;
                                        case "inverse-sqrt" -> Math.sqrt(example);
                                        default -> Math.sqrt(squares[c][k]);
                                    };
                            double slope = weight * slope(isImplicit ? after : before, c, k, x, y);
                            assertThat(after[c][k] - before[c][k])
                                    .as("seed %d, %s, %s, example %d", seed, rate, isImplicit, example)
                                    .isCloseTo(-step * slope, within(1e-7));
                        }
                    }
                }
            }
        }
    }

    @SeededTest
    void shouldBeTheLogisticLossWhereThereAreTwoClasses(long seed) {
        for (String rate : new String[] {"constant", "inverse-sqrt", "adagrad"}) {
            for (String other : new String[] {
                "implicit=false predict=last", "implicit=true predict=averaged", "implicit=true predict=last eta=30"
            }) {
                // the lead is u, of which each class has half
                String settings = "rate=" + rate + " " + other;
                Map<String, String> doubled = new HashMap<>(Map.of("algorithm", "sgd", "loss", "logistic"));
                for (String each : settings.split(" ", -1)) {
                    doubled.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
                }
                doubled.put("eta", "" + 2 * Double.parseDouble(doubled.getOrDefault("eta", "1")));
                Learner two = Algorithm.SGD.create(Settings.DEFAULTS.with(doubled));
                Learner several = learner("classes=1,-1 " + settings);
                Outcome found = new Outcome();
                for (Sample sample : RandomStreams.noisy(new Random(seed), 300, 20, 5)) {
                    two.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
                    several.learn(sample.vector(), Label.of(sample.y), sample.weight, found);

                    String where = "seed " + seed + ", " + settings;
                    double size = 1e-9 * (1 + Math.abs(outcome.margin()));
                    assertThat(found.margin()).as(where).isCloseTo(outcome.margin(), within(size));
                    assertThat(found.hingeLoss()).as(where).isCloseTo(outcome.hingeLoss(), within(size));
                    // a tie that the true class wins is no mistake
                    if (outcome.margin() != 0) {
                        assertThat(found.kind()).as(where).isEqualTo(outcome.kind());
                    }
                    assertThat(found.isUpdated()).as(where).isEqualTo(outcome.isUpdated());
                    assertThat(found.predicted())
                            .as(where)
                            .hasToString(outcome.predicted().toString());
                }
            }
        }
    }

    /** The scores after the step that the probabilities make have these probabilities. */
    @SeededTest
    void shouldFindTheProbabilitiesAfterAStepOfAnySize(long seed) {
        Random random = new Random(seed);
        for (int trial = 0; trial < 2_000; trial++) {
            int count = 1 + random.nextInt(trial % 100 == 0 ? 300 : 6);
            double width = Math.pow(10, random.nextInt(5));
            double[] scores = random.doubles(count, -width, width).toArray();
            double[] slopes = random.doubles(count)
                    .map(u -> random.nextInt(5) == 0 ? 0 : Math.pow(10, 12 * u - 6))
                    .toArray();
            int truth = random.nextInt(count);
            double[] found = scores.clone();

            ClassProbabilities.afterStep(found, slopes, truth, count);

            double[] expected = new double[count];
            double size = 1;
            for (int c = 0; c < count; c++) {
                expected[c] = scores[c] + slopes[c] * ((c == truth ? 1 : 0) - found[c]);
                size = Math.max(size, Math.max(Math.abs(scores[c]), slopes[c]));
            }
            ClassProbabilities.fromScores(expected, count);
            for (int c = 0; c < count; c++) {
                assertThat(found[c])
                        .as("seed %d, trial %d, %d classes", seed, trial, count)
                        .isCloseTo(expected[c], within(1e-14 * size));
            }
        }
    }

    @Test
    void shouldGiveProbabilitiesForScoresWhoseExponentialsOverflow() {
        double[] probabilities = {1000, 1000, -1000, 0};

        ClassProbabilities.fromScores(probabilities, 4);

        assertThat(probabilities).containsExactly(0.5, 0.5, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rate=constant", "rate=adagrad", "rate=constant implicit=true", "rate=adagrad implicit=true"})
    void shouldBeginWithTheFirstClassThatHasAnother(String settings) {
        Learner learner = learner("bias=false " + settings);

        learner.learn(Sample.dense(1, 2).vector(), Label.of(3), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isUpdated()).as("its class is new").isTrue();

        learner.learn(Sample.dense(1, 2).vector(), Label.of(3), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isUpdated()).as("its probability is 1").isFalse();
        assertThat(weights(learner)[3][0]).isZero();

        learner.learn(Sample.dense(1, 2).vector(), Label.of(1), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(weights(learner)[1][0]).isPositive().isEqualTo(-weights(learner)[3][0]);
    }

    /** p - 1 is 0 for a probability near 1, and the vectors would no longer add up to 0. */
    @Test
    void shouldKeepTheSumOfTheVectorsWhereTheTrueClassIsNearlyCertain() {
        Learner learner = learner("bias=false eta=10 classes=" + NAMES);
        learner.learn(Sample.dense(1, 1).vector(), Label.of(0), 3.8, outcome);

        // a lead of 38: the other classes have 3·e^-38 = 9e-17, half of the last bit of 1
        learner.learn(Sample.dense(1, 1).vector(), Label.of(0), 1e15, outcome);

        assertThat(outcome.margin()).isCloseTo(38, within(1e-12));
        assertThat(outcome.isUpdated()).isTrue();
        double[][] w = weights(learner);
        assertThat(w[0][0]).isCloseTo(28.5 + 1e16 * 3 * Math.exp(-38), within(1e-9));
        assertThat(w[0][0] + w[1][0] + w[2][0] + w[3][0]).isCloseTo(0, within(1e-13));
    }

    @Test
    void shouldMakeNoUpdateWhoseStepsAreZero() {
        Learner learner = learner("bias=false classes=" + NAMES);
        learner.learn(Sample.dense(1, 2000).vector(), Label.of(0), 1, outcome);

        learner.learn(Sample.dense(1, 2000).vector(), Label.of(0), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
        assertThat(outcome.isUpdated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"false, adagrad, 2", "true, adagrad, 2", "true, constant, 1e308"})
    void shouldRejectAnExampleWhoseUpdateIsNotFinite(boolean isImplicit, String rate, double eta) {
        Learner learner = learner("classes=" + NAMES + " eta=" + eta + " rate=" + rate + " implicit=" + isImplicit);

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class,
                () -> learner.learn(Sample.dense(1, 1e10).vector(), Label.of(0), 1e300, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(learner.weightNorm()).isZero();
        assertThat(learner.blocks()).allMatch(blocks -> blocks.count() == 0);
    }

    @Test
    void shouldKeepItsSumsOfSquaresOnceItHasLearned() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "softmax", "rate", "adagrad"));
        model.configure(Map.of("rate", "constant"));
        model.configure(Map.of("rate", "adagrad", "eta", "0.1"));
        model.process(Sample.dense(1, 1, 2).example(), 0);

        model.configure(Map.of("implicit", "true", "eta", "0.2"));

        assertThatThrownBy(() -> model.configure(Map.of("rate", "constant")))
                .hasMessageContaining("rate must stay adagrad once a model has seen labels, got constant");
    }

    @Test
    void shouldHaveNoOtherLoss() {
        assertThatThrownBy(() -> new Model().configure(Map.of("algorithm", "softmax", "loss", "hinge")))
                .hasMessageContaining("loss must be sigmoid with algorithm=softmax, got 'hinge' (used by sgd)");
    }
}
