package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.RecentScores;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcomes;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Metrics against src/test/python/metrics.py, which computes them from the labels and scores themselves. */
class ClassMetricsTest {
    private static final double TOLERANCE = 1e-12;

    private final Pipeline pipeline = Pipeline.of(Settings.DEFAULTS);
    private final EpochCounts counts = new EpochCounts(pipeline, 0);

    static Stream<JsonNode> cases() throws IOException {
        JsonNode all = new ObjectMapper()
                .readTree(Path.of("src/test/resources/reference/metrics.json").toFile());
        return StreamSupport.stream(all.spliterator(), false);
    }

    private static Label label(JsonNode node) {
        return node.isNull()
                ? null
                : node.isInt() ? new Label.Int(node.intValue()) : new Label.ClassName(node.asText());
    }

    private void add(Label truth, Label emitted, double score, long time, Settings settings) {
        Example example = new Example();
        example.setLabel(truth);
        Map<String, String> all = new HashMap<>(settings.toMap());
        all.put("algorithm", truth instanceof Label.Int ? "perceptron" : "multiclass");
        if (!(truth instanceof Label.Int)) {
            all.put("auc.window", "0");
        }
        pipeline.configure(Settings.DEFAULTS.with(all), new Counts());
        counts.add(example, true, Outcomes.of(truth, emitted, score), null, time, ModelListener.NONE);
    }

    private static Settings settings(int aucWindow) {
        return Settings.DEFAULTS.with(Map.of("auc.window", "" + aucWindow, "window.ms", "100"));
    }

    private static void requireEqual(ClassMetrics actual, JsonNode expected) {
        assertThat(actual.kappa()).isCloseTo(expected.get("kappa").asDouble(), within(TOLERANCE));
        assertThat(actual.balancedAccuracy())
                .isCloseTo(expected.get("balancedAccuracy").asDouble(), within(TOLERANCE));
        assertThat(actual.macroF1()).isCloseTo(expected.get("macroF1").asDouble(), within(TOLERANCE));
        assertThat(actual.majorityErrors())
                .isEqualTo(expected.get("majorityErrors").asLong());
        assertThat(actual.sameErrors()).isEqualTo(expected.get("sameErrors").asLong());
        assertThat(actual.kappaMajority())
                .isCloseTo(expected.get("kappaMajority").asDouble(), within(TOLERANCE));
        assertThat(actual.kappaSame()).isCloseTo(expected.get("kappaSame").asDouble(), within(TOLERANCE));
        assertThat(actual.auc()).isCloseTo(expected.get("auc").asDouble(Double.NaN), within(TOLERANCE));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldEqualTheReference(JsonNode expected) {
        Settings settings = settings(expected.get("aucWindow").asInt());
        for (int k = 0; k < expected.get("truth").size(); k++) {
            double score = expected.get("scores").path(k).asDouble();
            add(
                    label(expected.get("truth").get(k)),
                    label(expected.get("emitted").get(k)),
                    score,
                    0,
                    settings);
        }

        requireEqual(counts.metrics(), expected);

        // one window has all examples: it must agree with the epoch
        Observed observed = new Observed();
        counts.add(Counts.Counter.LATE, 100, observed);
        CountingWindow.Closed closed = observed.closed();
        requireEqual(closed.atEnd().metrics(), expected);
        requireEqual(closed.atEnd().totalMetrics(), expected);
    }

    @SeededTest
    void shouldCountLabelsWithoutARow(long seed) {
        Random random = new Random(seed);
        Settings settings = settings(0);
        List<Label> truths = new ArrayList<>();
        List<Label> predictions = new ArrayList<>();
        long same = 0;
        long right = 0;
        for (int k = 0; k < 2000; k++) {
            Label truth = new Label.ClassName("c" + random.nextInt(60));
            Label emitted = k == 0 ? null : truths.get(random.nextInt(truths.size()));
            same += k > 0 && truth.equals(truths.get(k - 1)) ? 1 : 0;
            right += truth.equals(emitted) ? 1 : 0;
            truths.add(truth);
            predictions.add(emitted);
            add(truth, emitted, 0, 0, settings);
        }
        ClassMetrics metrics = counts.metrics();
        assertThat(metrics.hasOther()).isTrue();
        assertThat(metrics.labels()).hasSize(ConfusionMatrix.MAX_LABELS);
        assertThat(metrics.compared()).isEqualTo(2000);
        assertThat(metrics.comparedErrors()).isEqualTo(2000 - right);
        assertThat(metrics.sameErrors()).isEqualTo(2000 - same);
        for (int row = 0; row < metrics.labels().size(); row++) {
            Label label = new Label.ClassName(metrics.labels().get(row));
            assertThat(metrics.seen(row))
                    .isEqualTo(truths.stream().filter(label::equals).count());
            assertThat(metrics.predicted(row))
                    .isEqualTo(predictions.stream().filter(label::equals).count());
        }
    }

    /** An example that comes before the first label of a model is predicted by no learner. */
    @ParameterizedTest
    @CsvSource({"1, 2", "-1, 1"})
    void shouldKnowTheClassOfALateLabelWithoutAPrediction(int label, int place) {
        add(new Label.Int(label), null, 0, 0, settings(0));
        assertThat(counts.metrics().seen(place - 1)).isEqualTo(1);
        assertThat(counts.metrics().compared()).isEqualTo(1);
        assertThat(counts.confusion().examples()).isZero();
    }

    @Test
    void shouldHaveNoMetricsWithoutLabels() {
        assertThat(counts.metrics().isEmpty()).isTrue();
        add(Label.PLUS_ONE, Label.PLUS_ONE, 1, 0, settings(5));
        ClassMetrics metrics = counts.metrics();
        assertThat(metrics.isEmpty()).isFalse();
        assertThat(metrics.auc()).isNaN();
        assertThat(metrics.kappa()).isNaN();
        // the first label cannot be known
        assertThat(metrics.majorityErrors()).isEqualTo(1);
        assertThat(metrics.kappaSame()).isEqualTo(1);
    }

    /** Of a: one right, one taken for b; c is neither seen nor predicted. */
    @Test
    void shouldLeaveClassesThatDidNotOccurOutOfTheMeans() {
        // no errors of baselines, no label without a row; then seen, predicted and correct of each
        long[] sums = {0, 0, 0, 0, 0, 2, 1, 1, 0, 1, 0, 0, 0, 0};
        ClassMetrics metrics = new ClassMetrics(List.of("a", "b", "c"), sums, Double.NaN);

        assertThat(metrics.precision(0)).isEqualTo(1);
        assertThat(metrics.precision(1)).isZero();
        assertThat(metrics.balancedAccuracy()).isEqualTo(0.5);
        // (2/3 + 0)/2
        assertThat(metrics.macroF1()).isCloseTo(1.0 / 3, within(TOLERANCE));
        assertThat(metrics.hasOther()).isFalse();
        sums[2] = 1;
        assertThat(metrics.hasOther()).isTrue();
    }

    /**
     * Of 100 classes 78 % were right, and kappa was 0.600 instead of 0.778: all without a row were taken for one class.
     */
    @Test
    void shouldHaveNoKappaOfClassesThatAreNotCountedApart() {
        Settings settings = settings(0);
        for (int k = 0; k < 32; k++) {
            add(new Label.ClassName("c" + k), new Label.ClassName("c" + k), 1, 0, settings);
        }
        add(new Label.ClassName("c32"), new Label.ClassName("c0"), 1, 0, settings);
        // p = 32/33; q = (1·2 + 31·1·1 + 1·0)/33² = 1/33
        assertThat(counts.metrics().kappa()).isCloseTo(31.0 / 32, within(TOLERANCE));

        add(new Label.ClassName("c33"), new Label.ClassName("c32"), 1, 0, settings);
        assertThat(counts.metrics().kappa()).isNaN();
        // the mean of the first 32, of which all were right
        assertThat(counts.metrics().balancedAccuracy()).isEqualTo(1);
    }

    @Test
    void shouldKeepTheLastScoresWhereTheWindowChanges() {
        for (int k = 0; k < 10; k++) {
            add(k % 3 == 0 ? Label.PLUS_ONE : new Label.Int(-1), Label.PLUS_ONE, k, 0, settings(7));
        }
        add(Label.PLUS_ONE, Label.PLUS_ONE, 10, 0, settings(4));
        RecentScores scores = counts.classes().scores();
        assertThat(scores.size()).isEqualTo(4);
        assertThat(List.of(scores.score(0), scores.score(1), scores.score(2), scores.score(3)))
                .containsExactly(7.0, 8.0, 9.0, 10.0);
        assertThat(List.of(scores.isPositive(0), scores.isPositive(1), scores.isPositive(2), scores.isPositive(3)))
                .containsExactly(false, false, true, true);
        add(Label.PLUS_ONE, Label.PLUS_ONE, 11, 0, settings(6));
        assertThat(scores.size()).isEqualTo(5);
        assertThat(scores.score(4)).isEqualTo(11);
    }
}
