package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** ROMMA against its golden trace and against the problem that each update solves. */
final class RommaTest {
    private static final int DIMENSION = 5;

    private final Outcome outcome = new Outcome();

    private static Romma romma(Map<String, String> changes) {
        return new Romma(Settings.DEFAULTS.with(changes));
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("romma", RommaTest::romma)).isEqualTo(10);
    }

    private static double[] weights(Learner learner) {
        double[] w = new double[DIMENSION];
        for (int i = 0; i < DIMENSION; i++) {
            double[] unit = new double[DIMENSION];
            unit[i] = 1;
            Outcome score = new Outcome();
            learner.predict(vector(unit), score);
            w[i] = score.score();
        }
        return w;
    }

    private static FeatureVector vector(double[] values) {
        FeatureVector x = new FeatureVector();
        for (int i = 0; i < values.length; i++) {
            x.append(i, values[i]);
        }
        return x;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    /**
     * Both constraints hold with equality, and w' lies in the plane of w and x: then it is the shortest (Kuhn and
     * Tucker).
     */
    @SeededTest
    void shouldFindTheShortestVectorOfBothConstraints(long seed) {
        Random random = new Random(seed);
        double[] u = random.doubles(DIMENSION, -1, 1).toArray();
        for (boolean isAggressive : new boolean[] {false, true}) {
            Romma learner =
                    romma(Map.of("algorithm", "romma", "bias", "false", "aggressive", String.valueOf(isAggressive)));
            int updates = 0;
            for (int k = 0; k < 300; k++) {
                double[] x = random.doubles(DIMENSION, -1, 1).toArray();
                int y = dot(u, x) >= 0 ? 1 : -1;
                double[] before = weights(learner);
                double m = y * dot(before, x);
                learner.learn(vector(x), Label.of(y), 1, outcome);
                double[] after = weights(learner);

                if (m >= (isAggressive ? 1 : 0) && k > 0) {
                    assertThat(outcome.isUpdated()).isFalse();
                    assertThat(after).isEqualTo(before);
                    continue;
                }
                updates++;
                double tolerance = 1e-9 * (1 + dot(after, after));
                assertThat(y * dot(after, x)).isCloseTo(1, within(tolerance));
                if (m < dot(x, x) * dot(before, before)) {
                    assertThat(dot(after, before)).isCloseTo(dot(before, before), within(tolerance));
                }
                assertThat(learner.weightNorm()).isCloseTo(Math.sqrt(dot(after, after)), within(tolerance));
            }
            assertThat(updates)
                    .as("updates, aggressive=%s, seed %d", isAggressive, seed)
                    .isGreaterThan(5);
        }
    }

    /** At most R^2·|u|^2 mistakes where y·(u·x) >= 1 (Li and Long 2002). */
    @SeededTest
    void shouldMakeNoMoreMistakesThanItsBound(long seed) {
        Random random = new Random(seed);
        double[] u = random.doubles(DIMENSION, -1, 1).toArray();
        for (String aggressive : new String[] {"false", "true"}) {
            Romma learner = romma(Map.of("algorithm", "romma", "bias", "false", "aggressive", aggressive));
            double least = Double.POSITIVE_INFINITY;
            double radius = 0;
            int mistakes = 0;
            for (int k = 0; k < 2000; k++) {
                double[] x = random.doubles(DIMENSION, -1, 1).toArray();
                double margin = dot(u, x);
                if (Math.abs(margin) < 0.05) {
                    continue;
                }
                int y = margin > 0 ? 1 : -1;
                least = Math.min(least, y * margin);
                radius = Math.max(radius, dot(x, x));
                learner.learn(vector(x), Label.of(y), 1, outcome);
                mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
            }
            assertThat((double) mistakes)
                    .as("mistakes, aggressive=%s, seed %d", aggressive, seed)
                    .isLessThanOrEqualTo(radius * dot(u, u) / (least * least));
        }
    }
}
