package io.perceptronstreams.multiclass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Matsushima et al. 2010: updates are compared with their optimization problem, not with the formula of its solution.
 */
final class MulticlassPassiveAggressiveTest {
    private static final int DIMENSION = 6;
    private static final int CLASSES = 5;
    private static final String NAMES = "0,1,2,3,4";

    private final Outcome outcome = new Outcome();

    private static Learner learner(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("algorithm", "multiclass-pa");
        return Algorithm.MULTICLASS_PA.create(Settings.DEFAULTS.with(all));
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

    private static double dot(double[] w, double[] x) {
        double sum = 0;
        for (int k = 0; k < x.length; k++) {
            sum += w[k] * x[k];
        }
        return sum;
    }

    /** Largest loss 1 - (w_y·x - w_c·x) of all other classes, at least 0. */
    private static double loss(double[][] w, double[] x, int y) {
        double largest = 0;
        for (int c = 0; c < CLASSES; c++) {
            largest = c == y ? largest : Math.max(largest, 1 - (dot(w[y], x) - dot(w[c], x)));
        }
        return largest;
    }

    /** What the update minimizes: the sum of |w'_c - w_c|^2/2, and C times the loss that is left. */
    private static double objective(double[][] before, double[][] after, double[] x, int y, double c) {
        double squares = 0;
        for (int each = 0; each < CLASSES; each++) {
            for (int k = 0; k < DIMENSION; k++) {
                squares += Math.pow(after[each][k] - before[each][k], 2);
            }
        }
        return squares / 2 + c * loss(after, x, y);
    }

    /**
     * The smallest objective of all changes in which the losses of some classes become equal, and the sum of the steps
     * is what they need, or C. The minimum is one of these changes.
     */
    private static double least(double[][] w, double[] x, int y, double c) {
        double q = dot(x, x);
        double least = objective(w, w, x, y, c);
        for (int subset = 1; subset < 1 << CLASSES; subset++) {
            int size = Integer.bitCount(subset);
            if ((subset & 1 << y) != 0) {
                continue;
            }
            double losses = 0;
            for (int each = 0; each < CLASSES; each++) {
                losses += (subset & 1 << each) == 0 ? 0 : 1 - (dot(w[y], x) - dot(w[each], x));
            }
            double sum = Math.min(c, losses / (q * (size + 1)));
            double equal = (losses / q - sum) / size;
            double[][] after = new double[CLASSES][];
            for (int each = 0; each < CLASSES; each++) {
                after[each] = w[each].clone();
                boolean isIn = (subset & 1 << each) != 0;
                double step = each == y ? sum : isIn ? equal - (1 - (dot(w[y], x) - dot(w[each], x))) / q : 0;
                for (int k = 0; k < DIMENSION; k++) {
                    after[each][k] += step * x[k];
                }
            }
            least = Math.min(least, objective(w, after, x, y, c));
        }
        return least;
    }

    @SeededTest
    void shouldMakeTheSmallestChangeThatItsPriceAllows(long seed) {
        Random random = new Random(seed);
        for (double c : new double[] {0.005, 0.05, 1000}) {
            Learner learner = learner(Map.of("classes", NAMES, "bias", "false", "c", "" + c));
            for (int example = 0; example < 300; example++) {
                double[] x = random.doubles(DIMENSION, -3, 3).toArray();
                // one label in ten is wrong, which makes large losses
                int y = random.nextInt(10) == 0 ? random.nextInt(CLASSES) : (int) (Math.abs(x[0] + x[1]) * CLASSES / 6);
                double weight = 0.5 + random.nextDouble();
                double[][] before = weights(learner);

                learner.learn(Sample.dense(1, x).vector(), Label.of(y), weight, outcome);

                double[][] after = weights(learner);
                String where = "seed " + seed + ", c " + c + ", example " + example;
                assertThat(objective(before, after, x, y, c * weight))
                        .as(where)
                        .isCloseTo(least(before, x, y, c * weight), within(1e-9));
                assertThat(outcome.hingeLoss()).as(where).isCloseTo(loss(before, x, y), within(1e-9));
                assertThat(outcome.isUpdated()).as(where).isEqualTo(outcome.hingeLoss() > 0);
                if (c == 1000) {
                    assertThat(loss(after, x, y)).as(where).isCloseTo(0, within(1e-9));
                }
            }
        }
    }

    @SeededTest
    void shouldBeTheTwoClassLearnerWhereThereAreTwoClasses(long seed) {
        for (double c : new double[] {0.01, 10}) {
            for (String predict : new String[] {"last", "averaged"}) {
                // the lead is u, of which each class has half
                Learner two = Algorithm.PA_I.create(
                        Settings.DEFAULTS.with(Map.of("algorithm", "pa-i", "c", "" + 2 * c, "predict", predict)));
                Learner several = learner(Map.of("c", "" + c, "classes", "1,-1", "predict", predict));
                Outcome other = new Outcome();
                for (Sample sample : RandomStreams.noisy(new Random(seed), 500, 20, 5)) {
                    two.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
                    several.learn(sample.vector(), Label.of(sample.y), sample.weight, other);

                    String where = "seed " + seed + ", c " + c + ", " + predict;
                    assertThat(other.margin()).as(where).isCloseTo(outcome.margin(), within(1e-9));
                    assertThat(other.isUpdated()).as(where).isEqualTo(outcome.isUpdated());
                    assertThat(other.predicted())
                            .as(where)
                            .hasToString(outcome.predicted().toString());
                }
                // a step changes both vectors
                assertThat(2 * several.steps()).isCloseTo(two.steps(), within(1e-9 * two.steps()));
            }
        }
    }

    @Test
    void shouldLeadANewClassByOne() {
        Learner learner = learner(Map.of("bias", "false", "c", "1000"));

        learner.learn(Sample.dense(1, 2).vector(), Label.of(0), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(weights(learner)[0][0]).as("nothing to lead").isZero();

        learner.learn(Sample.dense(1, 2).vector(), Label.of(1), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(weights(learner)[1][0]).isEqualTo(0.25);
        assertThat(weights(learner)[0][0]).isEqualTo(-0.25);

        learner.learn(Sample.dense(1, 2).vector(), Label.of(1), 1, outcome);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.CORRECT);
    }

    @Test
    void shouldChangeNothingForAnExampleWithoutFeatures() {
        Learner learner = learner(Map.of("bias", "false", "classes", NAMES));
        learner.learn(Sample.dense(1, 1, 2).vector(), Label.of(0), 1, outcome);
        double[][] before = weights(learner);

        learner.learn(Sample.dense(1, 0, 0).vector(), Label.of(1), 1, outcome);

        assertThat(weights(learner)).isDeepEqualTo(before);
    }

    @Test
    void shouldShareASmallPriceAmongEqualClasses() {
        Learner learner = learner(Map.of("bias", "false", "classes", NAMES, "c", "0.5"));

        learner.learn(Sample.dense(1, 1e-12).vector(), Label.of(0), 1, outcome);

        double[][] w = weights(learner);
        assertThat(w[0][0]).isEqualTo(0.5e-12);
        for (int c = 1; c < CLASSES; c++) {
            assertThat(w[c][0]).isEqualTo(-0.125e-12);
        }
    }

    @Test
    void shouldRejectAnExampleWhoseStepIsNotFinite() {
        Learner learner = learner(Map.of("bias", "false", "classes", NAMES, "c", "1e308"));

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class,
                () -> learner.learn(Sample.dense(1, 1e-160).vector(), Label.of(0), 1e10, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(rejection).hasMessageContaining("scale the features up");
        assertThat(weights(learner)[0][0]).isZero();
    }
}
