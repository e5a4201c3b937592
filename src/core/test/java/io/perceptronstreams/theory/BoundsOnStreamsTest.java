package io.perceptronstreams.theory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.model.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the theorems promise, on streams whose margin is known because they were made with it. */
final class BoundsOnStreamsTest {
    private static final class Point {
        private final int y;
        private final double[] x;

        Point(int y, double[] x) {
            this.y = y;
            this.x = x;
        }

        double dot(double[] u) {
            double sum = 0;
            for (int k = 0; k < x.length; k++) {
                sum += x[k] * u[k];
            }
            return sum;
        }
    }

    private final Model model = new Model();
    private final Example example = new Example();
    private double gamma;

    @SeededTest
    void shouldEncloseTheKnownMargin(long seed) {
        for (Map<String, String> settings : List.of(
                Map.of("h", "0"),
                Map.of("h", "1"),
                Map.of("h", "2.5", "eta", "0.3"),
                Map.of("h", "1", "h.inclusive", "true"))) {
            Model run = run(settings, separable(new Random(seed), 300, 5, 0.05, false), 100);
            MarginCertificate certificate = MarginCertificate.of(
                    margin(run, separable(new Random(seed), 300, 5, 0.05, false)),
                    run.pipeline().learner().weightNorm(),
                    run.pipeline().learner().steps());

            // the stream was made with one separator of margin gamma; the best is at least as good
            assertThat(certificate.upper()).as("seed %d, %s", seed, settings).isGreaterThanOrEqualTo(gamma);
            assertThat(certificate.upper()).isGreaterThanOrEqualTo(certificate.lower());
        }
    }

    @SeededTest
    void shouldHoldForUpdatesAndFinalMargin(long seed) {
        for (double h : new double[] {0, 0.5, 1, 4}) {
            for (double eta : new double[] {1, 0.2}) {
                List<Point> points = separable(new Random(seed), 200, 4, 0.1, h == 1);
                Model run = run(Map.of("h", "" + h, "eta", "" + eta), points, 3_000);
                double radius = run.pipeline().learner().radius();
                String where = "seed " + seed + ", h " + h + ", eta " + eta;

                assertThat((double) run.current().version())
                        .as(where)
                        .isPositive()
                        .isLessThanOrEqualTo(MarginPerceptron.updates(radius, h, eta, gamma));
                assertThat(margin(run, points) * (1 + 1e-9))
                        .as(where)
                        .isGreaterThanOrEqualTo(MarginPerceptron.margin(radius, h, eta, gamma));
            }
        }
    }

    /** From a start that is not 0, with any h, eta and weights, and data that nothing separates. */
    @SeededTest
    void shouldBoundTheUpdatesSinceWeightsWerePinned(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            Model run = new Model();
            run.configure(Map.of(
                    "h",
                    "" + random.nextInt(3),
                    "eta",
                    random.nextBoolean() ? "1" : "0.3",
                    "bias",
                    "" + random.nextBoolean()));
            List<Point> points = noisy(random, 600, 6);
            int pinnedAt = random.nextInt(3) * 150;
            boolean isWeighted = random.nextBoolean();
            double tightest = Double.POSITIVE_INFINITY;
            for (int n = 0; n < points.size(); n++) {
                if (n == pinnedAt) {
                    run.configure(Map.of("comparator", "" + run.current().version()));
                }
                learn(run, points.get(n), isWeighted ? 0.5 + random.nextDouble() : 1);
                ComparatorWeights u = run.pipeline().comparator();
                if (u != null) {
                    assertThat((double) u.updates())
                            .as("seed %d, round %d, example %d", seed, round, n)
                            .isLessThanOrEqualTo(HingeBound.updates(u) * (1 + 1e-12));
                    tightest = Math.min(tightest, HingeBound.updates(u) / Math.max(1, u.updates()));
                }
            }
            assertThat(tightest).isLessThan(1e6);
        }
    }

    /** u = 0 loses 1 on every example: L = N, and so is the bound. */
    @Test
    void shouldBoundUpdatesByTheExamplesBesideZeroWeights() {
        model.configure(Map.of("comparator", "0"));
        noisy(new Random(1), 50, 3).forEach(point -> learn(model, point, 1));
        assertThat(HingeBound.updates(model.pipeline().comparator())).isEqualTo(50);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldGiveTheNumbersOfTheLecturesExample(int h) throws IOException {
        Path file = Path.of(System.getProperty("shared.dir", "../shared"), "data", "tiny", "lecture001.libsvm");
        assumeTrue(Files.exists(file), () -> "skipped: there is no " + file + " (set -Dshared.dir=FOLDER)");
        List<Point> points = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            double[] x = new double[2];
            String[] fields = line.split(" ", -1);
            for (int k = 1; k < fields.length; k++) {
                String[] pair = fields[k].split(":", -1);
                x[Integer.parseInt(pair[0]) - 1] = Double.parseDouble(pair[1]);
            }
            points.add(new Point(Integer.parseInt(fields[0]), x));
        }
        Model run = run(Map.of("h", "" + h), points, 10);

        // w = (1,-1) after two updates; y·(w·x) = 1 of both: nothing more to do with h = 1 either
        assertThat(run.current().version()).isEqualTo(2);
        assertThat(run.pipeline().learner().weightNorm()).isEqualTo(Math.sqrt(2));
        double margin = margin(run, points);
        assertThat(margin).isCloseTo(Math.sqrt(0.5), within(1e-15));
        MarginCertificate certificate = MarginCertificate.of(
                margin,
                run.pipeline().learner().weightNorm(),
                run.pipeline().learner().steps());
        // both sides meet: the margin is exactly that
        assertThat(certificate.upper()).isCloseTo(certificate.lower(), within(1e-15));
        assertThat(MistakeBound.of(run.pipeline().learner().radius(), certificate.lower()))
                .isCloseTo(2, within(1e-12));
    }

    private Model run(Map<String, String> settings, List<Point> points, int mostPasses) {
        Model run = new Model();
        Map<String, String> all = new HashMap<>(settings);
        all.put("bias", "false");
        run.configure(all);
        long before = -1;
        for (int pass = 0; pass < mostPasses && before < run.current().version(); pass++) {
            before = run.current().version();
            points.forEach(point -> learn(run, point, 1));
        }
        return run;
    }

    private void learn(Model run, Point point, double weight) {
        fill(point);
        example.setWeight(weight);
        run.process(example, 0);
    }

    private void fill(Point point) {
        example.vector().resetDense();
        for (double value : point.x) {
            example.vector().append(value);
        }
        example.setLabel(Label.of(point.y));
    }

    private double margin(Model run, List<Point> points) {
        double smallest = Double.POSITIVE_INFINITY;
        run.freeze(true);
        for (Point point : points) {
            fill(point);
            smallest = Math.min(smallest, run.process(example, 0).margin());
        }
        run.freeze(false);
        return smallest / run.pipeline().learner().weightNorm();
    }

    /** Separated by a hidden unit vector with margin {@link #gamma}. */
    private List<Point> separable(Random random, int n, int dimension, double least, boolean isUnit) {
        double[] separator = direction(random, dimension);
        List<Point> points = new ArrayList<>();
        gamma = Double.POSITIVE_INFINITY;
        while (points.size() < n) {
            double[] x = direction(random, dimension);
            double length = isUnit ? 1 : 0.5 + 2 * random.nextDouble();
            for (int k = 0; k < dimension; k++) {
                x[k] *= length;
            }
            double score = new Point(1, x).dot(separator);
            if (Math.abs(score) >= least) {
                points.add(new Point(score > 0 ? 1 : -1, x));
                gamma = Math.min(gamma, Math.abs(score));
            }
        }
        return points;
    }

    private static List<Point> noisy(Random random, int n, int dimension) {
        double[] hidden = direction(random, dimension);
        List<Point> points = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            double[] x = direction(random, dimension);
            boolean isPositive = new Point(1, x).dot(hidden) > 0 ^ random.nextInt(8) == 0;
            points.add(new Point(isPositive ? 1 : -1, x));
        }
        return points;
    }

    private static double[] direction(Random random, int dimension) {
        double[] x = random.doubles(dimension, -1, 1).toArray();
        double norm = Math.sqrt(new Point(1, x).dot(x));
        for (int k = 0; k < dimension; k++) {
            x[k] /= norm;
        }
        return x;
    }
}
