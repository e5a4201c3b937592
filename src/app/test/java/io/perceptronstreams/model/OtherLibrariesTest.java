package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/settings.md#other-libraries: the rule of each row, written here from its description with dense
 * vectors, gives the weights of the page, and where the page calls them the same, those of the settings beside it on
 * random streams, too.
 */
final class OtherLibrariesTest {
    private static final Path PAGE = Path.of("docs/settings.md");

    /** What is printed with nine digits. */
    private static final double PRINTED = 1e-9;

    /** Some libraries keep floats. */
    private static final double FLOAT = 1e-6;

    private static final List<Sample> SIX = List.of(
            Sample.dense(1, 1, 0),
            Sample.dense(-1, 0, 1),
            Sample.dense(1, 2, 1),
            Sample.dense(-1, 1, 2),
            Sample.dense(1, 0.5, 0),
            Sample.dense(-1, 1, 1));

    /** Weights of two features and of the bias after one pass; with several classes of class 1. */
    private interface Rule {
        double[] learn(List<Sample> samples);
    }

    /** Change of w by an example, whose last feature is the bias's. */
    private interface Step {
        void change(double[] w, double[] x, int y);
    }

    private record Row(String library, String learner, Rule rule) {}

    private static final List<Row> SAME = List.of(
            new Row("Hivemall 0.5.2-incubating", "`train_perceptron`", plain(OtherLibrariesTest::perceptron)),
            new Row("", "the same, with a feature of value 1", biased(OtherLibrariesTest::perceptron)),
            new Row("", "`train_pa`", plain(passiveAggressive(Double.POSITIVE_INFINITY, 0))),
            new Row("", "`train_pa1`", plain(passiveAggressive(1, 0))),
            new Row("", "`train_pa2`", plain(passiveAggressive(Double.POSITIVE_INFINITY, 0.5))),
            new Row(
                    "",
                    "the same, with a feature of value 1",
                    biased(passiveAggressive(Double.POSITIVE_INFINITY, 0.5))),
            new Row("", "`train_arow`", samples -> learn(samples, 0, arow(0.1, 1, true))),
            new Row("", "`train_arow` with `-r 1`", samples -> learn(samples, 0, arow(1, 1, true))),
            new Row(
                    "nlp4j 1.1.2",
                    "`Perceptron`, rate 1, bias 0",
                    samples -> classes(samples, 0, (scores, truth) -> scores[0] >= scores[1] ? 0 : 1)),
            new Row("scikit-learn 1.2.1", "`Perceptron`", biased(OtherLibrariesTest::perceptron)),
            new Row("", "`SGDClassifier(loss=\"perceptron\", average=True)`", samples -> averages(samples, false)),
            new Row(
                    "",
                    "`SGDClassifier(loss=\"hinge\")`, which updates at margin 1, too",
                    biased(gradient(1, m -> m <= 1 ? 1 : 0))),
            new Row("", "`SGDClassifier(loss=\"log_loss\")`", biased(gradient(1, m -> 1 / (1 + Math.exp(m))))),
            new Row(
                    "",
                    "the same, `learning_rate=\"invscaling\", power_t=0.5`",
                    OtherLibrariesTest::logisticWithSmallerSteps),
            new Row(
                    "",
                    "`SGDClassifier(loss=\"squared_hinge\")`, `eta0=0.1`",
                    biased(gradient(0.1, m -> m < 1 ? 2 * (1 - m) : 0))),
            new Row("", "`PassiveAggressiveClassifier(fit_intercept=False)`", plain(passiveAggressive(1, 0))),
            new Row("", "the same, `loss=\"squared_hinge\"`", plain(passiveAggressive(Double.POSITIVE_INFINITY, 0.5))),
            new Row(
                    "JSAT 0.0.9",
                    "`PassiveAggressive`, mode PA",
                    plain(passiveAggressive(Double.POSITIVE_INFINITY, 0))),
            new Row("", "mode PA1, C 1", plain(passiveAggressive(1, 0))),
            new Row("", "mode PA2, C 1", plain(passiveAggressive(Double.POSITIVE_INFINITY, 0.5))),
            new Row("", "`SCW`, eta 0.75, C 1, SCW-I, diagonal only", samples -> learn(samples, 0, scw())),
            new Row("", "`ROMMA`, aggressive, no bias", plain(OtherLibrariesTest::aggressiveRomma)),
            new Row("Weka 3.8.7", "`SGD`, hinge loss, rate 0.1, lambda 0", biased(gradient(0.1, m -> m < 1 ? 1 : 0))),
            new Row(
                    "Vowpal Wabbit 9.3.0",
                    "`--loss_function hinge --sgd -l 1 --power_t 0 --noconstant`",
                    plain(gradient(1, m -> m < 1 ? 1 : 0))),
            new Row(
                    "Tribuo 4.3.2",
                    "`LinearSGDTrainer`, hinge loss, rate 1",
                    samples -> classes(samples, 1, (scores, truth) -> {
                        scores[truth] -= 1;
                        return scores[0] >= scores[1] ? 0 : 1;
                    })));

    private static final List<Row> OTHER = List.of(
            new Row("Hivemall 0.5.2-incubating", "`train_scw`", samples -> learn(samples, 0, hivemallScw(false))),
            new Row("", "`train_scw2`", samples -> learn(samples, 0, hivemallScw(true))),
            new Row("Mahout 0.13.0", "`PassiveAggressive`, learning rate 0.1", OtherLibrariesTest::mahout),
            new Row("JSAT 0.0.9", "`AROW`, r 1, diagonal only", samples -> learn(samples, 0, arow(1, 0, false))),
            new Row("scikit-learn 1.2.1", "`Perceptron` from a sparse matrix", biased((w, x, y) -> {
                double[] smaller = {x[0], x[1], 0.01};
                if (y * dot(w, x) <= 0) {
                    add(w, y, smaller);
                }
            })),
            new Row(
                    "",
                    "`SGDClassifier(loss=\"perceptron\", average=True)`, six calls of `partial_fit`",
                    samples -> averages(samples, true)),
            new Row("", "`PassiveAggressiveClassifier()`", biased(withoutBiasInLength(1, 0))),
            new Row(
                    "",
                    "the same, `loss=\"squared_hinge\"`",
                    biased(withoutBiasInLength(Double.POSITIVE_INFINITY, 0.5))),
            new Row("nlp4j 1.1.2", "`SoftmaxRegression`, rate 1, bias 0", OtherLibrariesTest::nlp4jSoftmax),
            new Row("", "`AdaGrad`, hinge, rate 1, bias 0", OtherLibrariesTest::nlp4jAdaGrad));

    @Test
    void shouldGiveTheWeightsOfThePage() throws IOException {
        List<String[]> rows = rows("| library | learner there | settings here | weights |");
        assertThat(names(rows)).isEqualTo(names(SAME.toArray(Row[]::new)));
        for (int k = 0; k < rows.size(); k++) {
            String[] cells = rows.get(k);
            double[] printed = numbers(cells[3]);
            assertClose(row(cells), ours(cells[2], SIX), printed, PRINTED);
            assertClose(row(cells), SAME.get(k).rule.learn(SIX), printed, PRINTED);
        }
    }

    /** A hyperplane separates the examples: on others the weights of romma grow without limit. */
    @SeededTest
    void shouldGiveTheSameWeightsOnRandomStreams(long seed) throws IOException {
        Random random = new Random(seed);
        List<Sample> samples = new ArrayList<>();
        while (samples.size() < 100) {
            double a = random.nextGaussian();
            double b = random.nextGaussian();
            if (Math.abs(a - b) > 0.1) {
                samples.add(Sample.dense(a > b ? 1 : -1, a, b));
            }
        }
        List<String[]> rows = rows("| library | learner there | settings here | weights |");
        for (int k = 0; k < rows.size(); k++) {
            double[] expected = SAME.get(k).rule.learn(samples);
            double[] found = ours(rows.get(k)[2], samples);
            assertClose("seed " + seed + ", " + row(rows.get(k)), found, expected, 1e-9 * Math.max(1, norm(expected)));
        }
    }

    /** The libraries' own weights were measured: the rule in words gives them, and no setting does. */
    @Test
    void shouldGiveOtherWeightsWhereThePageSaysSo() throws IOException {
        List<String[]> rows =
                rows("| library | learner there | what it does | its weights | nearest settings here | weights |");
        assertThat(names(rows)).isEqualTo(names(OTHER.toArray(Row[]::new)));
        for (int k = 0; k < rows.size(); k++) {
            String[] cells = rows.get(k);
            double[] theirs = numbers(cells[3]);
            double[] ours = numbers(cells[5]);
            assertClose(row(cells), OTHER.get(k).rule.learn(SIX), theirs, FLOAT);
            assertClose(row(cells), ours(cells[4], SIX), ours, PRINTED);
            assertThat(Math.hypot(theirs[0] - ours[0], theirs[1] - ours[1]) + Math.abs(theirs[2] - ours[2]))
                    .as(row(cells))
                    .isGreaterThan(1e-3);
        }
    }

    private static void assertClose(String what, double[] found, double[] expected, double slack) {
        for (int k = 0; k < 3; k++) {
            assertThat(found[k])
                    .as("%s: %s, expected %s", what, Arrays.toString(found), Arrays.toString(expected))
                    .isCloseTo(expected[k], within(slack));
        }
    }

    /** The cells of a table of the page. */
    private static List<String[]> rows(String header) throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        int from = lines.indexOf(header);
        assertThat(from).as("line '%s' in %s", header, PAGE).isNotNegative();
        List<String[]> rows = new ArrayList<>();
        for (int k = from + 2; k < lines.size() && lines.get(k).startsWith("|"); k++) {
            String line = lines.get(k);
            rows.add(Arrays.stream(line.substring(1, line.length() - 1).split("\\|", -1))
                    .map(String::trim)
                    .toArray(String[]::new));
        }
        return rows;
    }

    private static List<String> names(List<String[]> rows) {
        return rows.stream().map(OtherLibrariesTest::row).toList();
    }

    private static List<String> names(Row... rows) {
        return Arrays.stream(rows).map(row -> row.library + ": " + row.learner).toList();
    }

    private static String row(String[] cells) {
        return cells[0] + ": " + cells[1];
    }

    /** {@code a, b} or {@code a, b; bias}. */
    private static double[] numbers(String cell) {
        return Arrays.copyOf(
                Arrays.stream(cell.split("[,;] ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray(),
                3);
    }

    /** The weights that predict, with several classes those of class 1. */
    private static double[] ours(String settings, List<Sample> samples) {
        Model model = new Model();
        model.configure(StreamErrors.changes(settings.replace("`", "")));
        for (Sample sample : samples) {
            model.process(sample.example(), 0);
        }
        boolean isAverage = model.pipeline().settings().get(Settings.PREDICT) == Settings.Predict.AVERAGED;
        double[] found = new double[3];
        model.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            private boolean isWanted;

            @Override
            public void vector(String name, double bias, double averagedBias) {
                isWanted = name.isEmpty() || name.equals("1");
                found[2] = !isWanted ? found[2] : isAverage ? averagedBias : bias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                if (isWanted) {
                    found[index] = isAverage ? averaged : weight;
                }
            }
        });
        return found;
    }

    private static Rule plain(Step step) {
        return samples -> learn(samples, 0, step);
    }

    private static Rule biased(Step step) {
        return samples -> learn(samples, 1, step);
    }

    private static double[] learn(List<Sample> samples, double bias, Step step) {
        double[] w = new double[3];
        for (Sample sample : samples) {
            step.change(w, vector(sample, bias), sample.y);
        }
        return w;
    }

    private static double[] vector(Sample sample, double bias) {
        return new double[] {sample.values[0], sample.values[1], bias};
    }

    private static double dot(double[] one, double[] other) {
        return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
    }

    private static double norm(double[] w) {
        return Math.sqrt(dot(w, w));
    }

    private static void add(double[] w, double factor, double[] x) {
        for (int k = 0; k < 3; k++) {
            w[k] += factor * x[k];
        }
    }

    private static void perceptron(double[] w, double[] x, int y) {
        if (y * dot(w, x) <= 0) {
            add(w, y, x);
        }
    }

    /** Largest step, and what is added to the squared length, 1/(2C) of PA-II. */
    private static Step passiveAggressive(double most, double slack) {
        return (w, x, y) -> {
            double loss = 1 - y * dot(w, x);
            if (loss > 0) {
                add(w, y * Math.min(most, loss / (dot(x, x) + slack)), x);
            }
        };
    }

    private static Step withoutBiasInLength(double most, double slack) {
        return (w, x, y) -> {
            double loss = 1 - y * dot(w, x);
            if (loss > 0) {
                add(w, y * Math.min(most, loss / (x[0] * x[0] + x[1] * x[1] + slack)), x);
            }
        };
    }

    /** Steps along minus the gradient of a loss of the margin. */
    private static Step gradient(double eta, DoubleUnaryOperator slope) {
        return (w, x, y) -> add(w, eta * y * slope.applyAsDouble(y * dot(w, x)), x);
    }

    private static double[] logisticWithSmallerSteps(List<Sample> samples) {
        int[] seen = new int[1];
        return learn(samples, 1, (w, x, y) -> {
            seen[0]++;
            add(w, y / (1 + Math.exp(y * dot(w, x))) / Math.sqrt(seen[0]), x);
        });
    }

    /** The mean of w after each example. */
    private static double[] averages(List<Sample> samples, boolean isBiasForgotten) {
        double[] sum = new double[3];
        learn(samples, 1, (w, x, y) -> {
            w[2] = isBiasForgotten ? 0 : w[2];
            perceptron(w, x, y);
            add(sum, 1.0 / samples.size(), w);
        });
        return sum;
    }

    /**
     * AROW, of whose covariance the diagonal is kept, or that of the inverse.
     *
     * @param limit margins below it make an update, or up to it if it is 0
     */
    private static Step arow(double r, double limit, boolean isOfCovariance) {
        double[] s = {1, 1, 1};
        return (w, x, y) -> {
            double margin = y * dot(w, x);
            if (margin < limit || margin <= 0) {
                double v = variance(s, x);
                move(w, s, x, y * (1 - margin) / (v + r));
                shrink(s, x, isOfCovariance ? 1 / (v + r) : Double.NaN, 1 / r);
            }
        };
    }

    private static double variance(double[] s, double[] x) {
        return s[0] * x[0] * x[0] + s[1] * x[1] * x[1] + s[2] * x[2] * x[2];
    }

    private static void move(double[] w, double[] s, double[] x, double step) {
        for (int k = 0; k < 3; k++) {
            w[k] += step * s[k] * x[k];
        }
    }

    /** S - beta·S·x·x^T·S, or S^-1 + gain·x·x^T where beta is NaN; of both the diagonal. */
    private static void shrink(double[] s, double[] x, double beta, double gain) {
        for (int k = 0; k < 3; k++) {
            s[k] = Double.isNaN(beta)
                    ? 1 / (1 / s[k] + gain * x[k] * x[k])
                    : s[k] - beta * (s[k] * x[k]) * (s[k] * x[k]);
        }
    }

    /** Of the paper, with C = 1, phi of the probability 0.75, and the diagonal of the inverse. */
    private static Step scw() {
        double phi = 0.6744897501960817;
        double[] s = {1, 1, 1};
        return (w, x, y) -> {
            double margin = y * dot(w, x);
            double v = variance(s, x);
            if (margin < phi * Math.sqrt(v)) {
                double alpha = Math.min(1, Math.max(0, scwStep(margin, v, phi)));
                move(w, s, x, y * alpha);
                shrink(s, x, Double.NaN, alpha * phi / Math.sqrt(scwSpread(alpha, v, phi)));
            }
        };
    }

    private static double scwStep(double m, double v, double phi) {
        double square = phi * phi;
        return (-m * (1 + square / 2) + Math.sqrt(m * m * square * square / 4 + v * square * (1 + square)))
                / (v * (1 + square));
    }

    /** The variance of the score after the step, u. */
    private static double scwSpread(double alpha, double v, double phi) {
        double root = -alpha * v * phi + Math.sqrt(alpha * alpha * v * v * phi * phi + 4 * v);
        return root * root / 4;
    }

    /** phi and C 1; of the step the score stands for the margin, C is its minimum, and C/2 stands for 1/(2C). */
    private static Step hivemallScw(boolean isSecond) {
        double[] s = {1, 1, 1};
        return (w, x, y) -> {
            double score = dot(w, x);
            double v = variance(s, x);
            if (y * score < Math.sqrt(v)) {
                double alpha = Math.max(isSecond ? 0 : 1, isSecond ? squaredScwStep(score, v) : scwStep(score, v, 1));
                move(w, s, x, y * alpha);
                shrink(s, x, alpha / (Math.sqrt(scwSpread(alpha, v, 1)) + v * alpha), Double.NaN);
            }
        };
    }

    private static double squaredScwStep(double m, double v) {
        double n = v + 0.5;
        double gamma = Math.sqrt(m * m * v * v + 4 * n * v * (n + v));
        return (gamma - 2 * m * n - m * v) / (2 * (n * n + n * v));
    }

    /** The shortest vector that gives the example a margin of 1 and has a product with w of |w|^2 or more. */
    private static void aggressiveRomma(double[] w, double[] x, int y) {
        double margin = y * dot(w, x);
        double squares = dot(x, x) * dot(w, w);
        if (margin >= 1) {
            return;
        }
        double[] old = w.clone();
        Arrays.fill(w, 0);
        if (margin >= squares) {
            add(w, y / dot(x, x), x);
        } else {
            add(w, (squares - margin) / (squares - margin * margin), old);
            add(w, y * dot(old, old) * (1 - margin) / (squares - margin * margin), x);
        }
    }

    /** Class that a rule takes for the predicted one; may change the scores. */
    private interface Prediction {
        int of(double[] scores, int truth);
    }

    /** Perceptron updates of two classes, of which the first is +1. */
    private static double[] classes(List<Sample> samples, double bias, Prediction prediction) {
        double[][] rows = new double[2][3];
        for (Sample sample : samples) {
            double[] x = vector(sample, bias);
            int truth = sample.y > 0 ? 0 : 1;
            int predicted = prediction.of(new double[] {dot(rows[0], x), dot(rows[1], x)}, truth);
            if (predicted != truth) {
                add(rows[truth], 1, x);
                add(rows[predicted], -1, x);
            }
        }
        return rows[0];
    }

    /** PA-II of two rows with C = 0.1, whose difference has twice the length of the example: it counts once. */
    private static double[] mahout(List<Sample> samples) {
        double[][] rows = new double[2][3];
        for (Sample sample : samples) {
            double[] x = vector(sample, 1);
            int truth = sample.y > 0 ? 0 : 1;
            double loss = 1 - dot(rows[truth], x) + dot(rows[1 - truth], x);
            if (loss > 0) {
                double step = loss / (dot(x, x) + 1 / (2 * 0.1));
                add(rows[truth], step, x);
                add(rows[1 - truth], -step, x);
            }
        }
        return rows[0];
    }

    /** On mistakes only, with a third share of probability that no class has. */
    private static double[] nlp4jSoftmax(List<Sample> samples) {
        double[][] rows = new double[2][3];
        for (Sample sample : samples) {
            double[] x = vector(sample, 0);
            int truth = sample.y > 0 ? 0 : 1;
            double[] shares = {Math.exp(dot(rows[0], x)), Math.exp(dot(rows[1], x))};
            if ((shares[0] >= shares[1] ? 0 : 1) != truth) {
                double all = shares[0] + shares[1] + 1;
                for (int k = 0; k < 2; k++) {
                    add(rows[k], (k == truth ? 1 : 0) - shares[k] / all, x);
                }
            }
        }
        return rows[0];
    }

    /** The first example, all of whose scores are 0, makes no update; 1e-5 is added to each root. */
    private static double[] nlp4jAdaGrad(List<Sample> samples) {
        double[] squares = new double[3];
        return learn(samples.subList(1, samples.size()), 0, (w, x, y) -> {
            // the row of the other class is the negative of this one
            if (2 * y * dot(w, x) < 1) {
                for (int k = 0; k < 3; k++) {
                    squares[k] += x[k] * x[k];
                    w[k] += y * x[k] / (Math.sqrt(squares[k]) + 1e-5);
                }
            }
        });
    }
}
