package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code class.weights} against examples that carry the same weights themselves. */
final class ClassWeightsTest {
    private static final String[] CLASSES = {"ham", "spam", "rare"};

    private static Model model(String algorithm, String classWeights) {
        Model model = new Model();
        model.configure(Map.of("algorithm", algorithm, "class.weights", classWeights));
        return model;
    }

    /** A label of one of three classes, or of two ints. */
    private static Label label(String algorithm, Sample sample, Random random) {
        int third = random.nextInt(10) == 0 ? 2 : sample.y > 0 ? 1 : 0;
        return algorithm.equals("multiclass") ? new Label.ClassName(CLASSES[third]) : Label.of(sample.y);
    }

    private static void process(Model model, Sample sample, Label label, double weight) {
        Example example = sample.example();
        example.setLabel(label);
        example.setWeight(weight);
        model.process(example, 0);
    }

    @ParameterizedTest
    @CsvSource({"perceptron", "auto", "kernel", "pa-i", "pa-ii", "arow", "alma", "pdm", "sgd", "scw", "multiclass"})
    void shouldMultiplyTheWeightsOfExamples(String algorithm) {
        boolean isNamed = algorithm.equals("multiclass");
        Model weighted = model(algorithm, isNamed ? "spam:4,rare:0.5" : "1:4");
        Model plain = model(algorithm, "");
        Random random = new Random(9);
        for (Sample sample : RandomStreams.noisy(random, 400, 20, 4)) {
            Label label = label(algorithm, sample, random);
            double factor = label.toString().equals("rare") ? 0.5 : sample.y > 0 ? 4 : 1;
            process(weighted, sample, label, 3);
            process(plain, sample, label, 3 * factor);
        }
        assertThat(Bits.of(weighted.pipeline().learner()))
                .isEqualTo(Bits.of(plain.pipeline().learner()));
        assertThat(weighted.counts().totals().updates())
                .isEqualTo(plain.counts().totals().updates());
    }

    @ParameterizedTest
    @CsvSource({"perceptron", "multiclass"})
    void shouldBalanceByTheCountsBeforeTheExample(String algorithm) {
        Model balanced = model(algorithm, "balanced");
        Model plain = model(algorithm, "");
        Random random = new Random(5);
        Map<String, Integer> seen = new HashMap<>();
        double largest = 0;
        for (Sample sample : RandomStreams.noisy(random, 600, 20, 4)) {
            Label label = random.nextInt(8) > 0 && sample.y > 0
                    ? label(algorithm, Sample.dense(-1), random)
                    : label(algorithm, sample, random);
            int all = seen.values().stream().mapToInt(count -> count).sum();
            Integer own = seen.get(label.toString());
            double factor = seen.size() < 2 || own == null ? 1 : (double) all / (seen.size() * own);
            largest = Math.max(largest, factor);
            process(balanced, sample, label, 1);
            process(plain, sample, label, factor);
            // a multiclass model has no prediction to count before its first class
            if (!algorithm.equals("multiclass") || balanced.counts().totals().examples() > 1) {
                seen.merge(label.toString(), 1, Integer::sum);
            }
        }
        assertThat(Bits.of(balanced.pipeline().learner()))
                .isEqualTo(Bits.of(plain.pipeline().learner()));
        assertThat(largest).isGreaterThan(2);
    }

    // Errors between classes beyond the rows of the matrix were once left out of the sum.
    @Test
    void shouldCountTheClassesWithoutARowAsOne() {
        Model model = model("multiclass", "balanced");
        for (int k = 0; k < 400; k++) {
            String name = "c" + k % 40;
            process(model, Sample.dense(1, k % 7, k % 11), new Label.ClassName(name), 1);
        }
        // there is no prediction to count before the first class: 33 classes in 399 examples, 9 of the first one
        assertThat(model.counts().confusion().otherErrors()).isPositive();
        assertThat(model.counts().confusion().balance("c0", model.pipeline().settings()))
                .isEqualTo(399 / (33.0 * 9));
        assertThat(model.counts().confusion().balance("c39", model.pipeline().settings()))
                .isEqualTo(1);
    }

    /** After each example, against sums over all cells; also restored, and after a reset. */
    @SeededTest
    void shouldKeepTheSumsOfTheMatrix(long seed) {
        Random random = new Random(seed);
        Model model = model("multiclass", "balanced");
        for (int k = 0; k < 600; k++) {
            // more names than rows
            String name = "c" + random.nextInt(1 + random.nextInt(60));
            process(model, Sample.dense(1, random.nextInt(7), random.nextInt(5)), new Label.ClassName(name), 1);
            if (k == 200) {
                model.reset(Map.of());
            }
            if (k % 50 == 0 || k == 201) {
                assertSums(model.counts().confusion(), model.pipeline().settings(), seed);
                ConfusionMatrix restored = new ConfusionMatrix();
                StoredText.restore(StoredText.of(model.counts().confusion()::exchange), restored::exchange);
                assertSums(restored, model.pipeline().settings(), seed);
            }
        }
        assertThat(model.counts().confusion().hasOther()).as("seed %d", seed).isTrue();
    }

    private static void assertSums(ConfusionMatrix matrix, Settings settings, long seed) {
        long all = 0;
        int classes = 0;
        // the labels without a row come last
        long[] sums = new long[matrix.isEmpty() ? 0 : matrix.size() + 1];
        for (int actual = 0; actual < sums.length; actual++) {
            sums[actual] = actual == matrix.size() ? matrix.otherErrors() : 0;
            for (int emitted = 0; emitted < sums.length; emitted++) {
                sums[actual] += matrix.count(actual, emitted);
            }
            all += sums[actual];
            classes += sums[actual] > 0 ? 1 : 0;
        }
        assertThat(matrix.examples()).as("seed %d", seed).isEqualTo(all);
        List<String> names = matrix.labels(settings);
        for (int row = 0; row < names.size() && row < matrix.size(); row++) {
            double expected = classes < 2 || sums[row] == 0 ? 1 : (double) all / ((double) classes * sums[row]);
            assertThat(matrix.balance(names.get(row), settings))
                    .as("seed %d", seed)
                    .isEqualTo(expected);
        }
        assertThat(matrix.balance("no such class", settings)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm=perceptron class.weights=spam:5 | -1, 0, 1 | spam",
                "algorithm=perceptron negative.label=0 class.weights=1:2,-1:5 | 0, 1 | -1",
                "algorithm=scw negative.label=-1 class.weights=0:5 | -1, 1 | 0",
                "labels=ham,spam class.weights=spam:5,Ham:2 | ham, spam | Ham",
                "algorithm=arow labels=ham,spam class.weights=1:2 | ham, spam | 1",
                "classes=red,green class.weights=blue:5 | red, green | blue",
                "algorithm=multiclass classes=red,green class.weights=red:2,bleu:3 | red, green | bleu"
            })
    void shouldRefuseClassesThatTheModelCannotHave(String settings, String classes, String got) {
        Model model = new Model();
        assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> model.configure(pairs(settings))))
                .hasMessageStartingWith(
                        "class.weights must be for classes of the model, " + classes + ", got '" + got + "'");
        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm=perceptron class.weights=0:5,1:2",
                "labels=ham,spam class.weights=spam:5",
                "classes=red,green class.weights=green:5",
                "algorithm=multiclass class.weights=any:5",
                "class.weights=any:5,1:2"
            })
    void shouldTakeClassesThatTheModelCanHave(String settings) {
        Model model = new Model();
        model.configure(pairs(settings));
        assertThat(model.pipeline().settings().get(Settings.CLASS_WEIGHTS).given())
                .isNotEmpty();
    }

    @Test
    void shouldRefuseTheOtherNegativeLabelOnceItIsDecided() {
        Model model = new Model();
        process(model, Sample.dense(1, 1), Label.of(0), 1);
        assertThat(catchThrowableOfType(
                        IllegalArgumentException.class, () -> model.configure(Map.of("class.weights", "-1:5"))))
                .hasMessageStartingWith("class.weights must be for classes of the model, 0, 1, got '-1'");
        model.configure(Map.of("class.weights", "0:5"));

        Model other = new Model();
        process(other, Sample.dense(1, 1), Label.of(-1), 1);
        assertThat(catchThrowableOfType(
                        IllegalArgumentException.class, () -> other.configure(Map.of("class.weights", "0:5"))))
                .hasMessageStartingWith("class.weights must be for classes of the model, -1, 1, got '0'");
    }

    /** A model that already has such weights can be configured otherwise. */
    @Test
    void shouldChangeOtherSettingsBesideAFaultThatWasThere() {
        Model model = model("auto", "spam:5");
        process(model, Sample.dense(1, 1), Label.of(1), 1);
        model.configure(Map.of("eta", "0.5"));
        assertThat(model.pipeline().settings().get(Settings.ETA)).isEqualTo(0.5);
    }

    private static Map<String, String> pairs(String text) {
        Map<String, String> pairs = new HashMap<>();
        for (String pair : text.split(" ", -1)) {
            pairs.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        return pairs;
    }

    @Test
    void shouldFindTheClassOfAnIntThatStandsForAName() {
        Model model = new Model();
        model.configure(Map.of("labels", "false,true", "class.weights", "true:5", "bias", "false"));

        process(model, Sample.dense(1, 1), Label.of(1), 2);

        assertThat(model.pipeline().learner().weightNorm()).isEqualTo(10);
    }

    @Test
    void shouldRejectAWeightThatOverflows() {
        Model model = model("perceptron", "1:1e300");

        RejectedException refused = catchThrowableOfType(
                RejectedException.class, () -> process(model, Sample.dense(1, 1), Label.of(1), 1e300));

        assertThat(refused.reason()).isEqualTo(RejectReason.INVALID_WEIGHT);
        assertThat(refused)
                .hasMessage("the product of the weights of example and class must be a positive finite number, got"
                        + " Infinity");
        assertThat(model.counts().totals().examples()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"pa", "structured", "sequence"})
    void shouldBeRefusedWhereTheLearnerDoesNotUseThem(String algorithm) {
        assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> model(algorithm, "a:2")))
                .hasMessageStartingWith("class.weights must be empty with algorithm=" + algorithm);
    }

    /** 1 % of the examples are of the class +1, which overlaps with the others. */
    private static List<Sample> rare(Random random, int n) {
        double[] direction = RandomStreams.direction(random, 20);
        List<Sample> samples = new ArrayList<>();
        for (int k = 0; k < n; k++) {
            boolean isPositive = random.nextInt(100) == 0;
            double[] x = new double[20];
            for (int i = 0; i < x.length; i++) {
                x[i] = random.nextGaussian() + (isPositive ? 3 * direction[i] : 0);
            }
            samples.add(Sample.dense(isPositive ? 1 : -1, x));
        }
        return samples;
    }

    /**
     * Share of the examples of the class +1 whose scores are above those of 99 % of the other class, in the second
     * half.
     */
    private static double recall(Map<String, String> settings, List<Sample> samples) {
        Model model = new Model();
        model.configure(settings);
        List<Double> positive = new ArrayList<>();
        List<Double> negative = new ArrayList<>();
        for (int k = 0; k < samples.size(); k++) {
            Sample sample = samples.get(k);
            Outcome outcome = model.process(sample.example(), 0);
            if (k >= samples.size() / 2) {
                (sample.y > 0 ? positive : negative).add(outcome.predictedScore());
            }
        }
        negative.sort(Comparator.reverseOrder());
        double limit = negative.get(negative.size() / 100);
        return (double) positive.stream().filter(score -> score > limit).count() / positive.size();
    }

    @SeededTest
    void shouldFindMoreOfARareClass(long seed) {
        List<Sample> samples = rare(new Random(seed), 40_000);

        double plain = recall(Map.of(), samples);
        double uneven = recall(Map.of("h.positive", "50", "h.negative", "1"), samples);
        double unevenAverage = recall(Map.of("h.positive", "50", "h.negative", "1", "predict", "averaged"), samples);

        assertThat(uneven).as("seed %d", seed).isGreaterThan(plain + 0.05);
        assertThat(unevenAverage).as("seed %d", seed).isGreaterThan(plain + 0.2);
    }
}
