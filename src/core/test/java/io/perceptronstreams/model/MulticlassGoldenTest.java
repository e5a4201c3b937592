package io.perceptronstreams.model;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.SparseRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every multiclass result in the {@link ReferenceResults}. */
final class MulticlassGoldenTest {
    @TestFactory
    Stream<DynamicTest> shouldGiveTheReferenceNumbers() throws IOException {
        return ReferenceResults.tests(
                9,
                entry -> List.of("multiclass-perceptron", "one-vs-rest-perceptron")
                        .contains(entry.algorithm()),
                entry -> {
                    List<Sample> train = entry.trainSamples();
                    List<Sample> test = entry.testSamples();
                    SoftAssertions.assertSoftly(soft -> check(soft, entry, train, test));
                },
                "digits");
    }

    private static void check(
            SoftAssertions soft, ReferenceResults.Entry entry, List<Sample> train, List<Sample> test) {
        if (entry.algorithm().equals("one-vs-rest-perceptron")) {
            checkOneVersusRest(soft, entry.json(), train, test);
        } else {
            for (String which : List.of("last", "averaged_c1", "averaged_c0")) {
                new Run(entry.json(), train, which).check(soft, test);
            }
        }
    }

    private static boolean hasBias(JsonNode entry) {
        return entry.get("bias").asBoolean();
    }

    /** One model over all epochs of one entry. */
    private static final class Run {
        private final JsonNode entry;
        private final JsonNode expected;
        private final List<Sample> train;
        private final String which;
        private final Model model = new Model();
        private final Example example = new Example();
        private final List<Long> updatesByEpoch = new ArrayList<>();
        private final StringBuilder updatePositions = new StringBuilder();

        Run(JsonNode entry, List<Sample> train, String which) {
            this.entry = entry;
            this.expected = entry.get("result");
            this.train = train;
            this.which = which;
            Map<String, String> settings = GoldenSettings.of(entry, which);
            settings.put("predict.scores", "true");
            model.configure(settings);
        }

        void check(SoftAssertions soft, List<Sample> test) {
            int epochs = entry.at("/params/epochs").asInt();
            for (int epoch = 0; epoch < epochs; epoch++) {
                long before = model.counts().totals().updates();
                for (int n = 0; n < train.size(); n++) {
                    learn(soft, epoch, n);
                }
                updatesByEpoch.add(model.counts().totals().updates() - before);
            }
            checkTotals(soft);
            List<String> order = new ArrayList<>();
            expected.get("class_order").forEach(name -> order.add(name.asText()));
            soft.assertThat(model.pipeline().learner().state().names()).isEqualTo(order);
            for (int c = 0; c < order.size(); c++) {
                WeightSummary w = summary(c, false);
                w.check(soft, "w of " + order.get(c), expected.get("weights").get(c), 0);
                if (model.pipeline().settings().get(Settings.SURVIVAL_START) == 1) {
                    summary(c, true)
                            .check(
                                    soft,
                                    "sum of " + order.get(c),
                                    expected.get("weights_sum_c1").get(c),
                                    0);
                }
            }
            checkErrors(soft, "train_errors", train);
            if (!test.isEmpty()) {
                checkErrors(soft, "test_errors", test);
            }
        }

        private void learn(SoftAssertions soft, int epoch, int n) {
            train.get(n).fill(example);
            Outcome outcome = model.process(example, 0);
            if (outcome.isUpdated()) {
                updatePositions.append(model.counts().totals().examples() - 1).append('\n');
            }
            JsonNode steps = entry.get("steps");
            if (steps != null && which.equals("last")) {
                checkStep(soft, steps.get(epoch * train.size() + n), outcome);
            }
            for (int k = 1; k <= 10 && epoch == 0; k++) {
                if (train.size() * k / 10 == n + 1) {
                    String percent = "/" + 10 * k + "%";
                    soft.assertThat(List.of(
                                    model.counts().totals().updates(),
                                    model.counts().totals().mistakes()))
                            .as("updates and mistakes after %s", percent)
                            .containsExactly(
                                    expected.at("/first_epoch/updates" + percent)
                                            .asLong(),
                                    expected.at("/first_epoch/mistakes" + percent)
                                            .asLong());
                }
            }
        }

        private void checkStep(SoftAssertions soft, JsonNode step, Outcome outcome) {
            String what = "epoch " + step.get("epoch") + ", example " + step.get("example");
            JsonNode prediction = step.get("prediction");
            soft.assertThat(String.valueOf(outcome.predicted())).as(what).isEqualTo(prediction.asText());
            soft.assertThat(outcome.kind() == Outcome.Kind.MISTAKE)
                    .as(what)
                    .isEqualTo(step.get("mistake").asBoolean());
            soft.assertThat(outcome.isUpdated())
                    .as(what)
                    .isEqualTo(step.get("update").asBoolean());
            Map<String, Double> scores = new TreeMap<>();
            for (int k = 0; k < outcome.scoreCount(); k++) {
                scores.put(outcome.scoredLabel(k).toString(), outcome.score(k));
            }
            Map<String, Double> expectedScores = new TreeMap<>();
            step.get("scores")
                    .properties()
                    .forEach(score ->
                            expectedScores.put(score.getKey(), score.getValue().asDouble()));
            soft.assertThat(scores).as(what).isEqualTo(expectedScores);
            step.get("w_after").properties().forEach(after -> {
                int c = model.pipeline().learner().state().names().indexOf(after.getKey());
                for (int k = 0; k < after.getValue().size(); k++) {
                    soft.assertThat(summary(c, false).features().getOrDefault(k + 1, 0.0))
                            .as(what)
                            .isEqualTo(after.getValue().get(k).asDouble());
                }
            });
        }

        private void checkTotals(SoftAssertions soft) {
            soft.assertThat(model.counts().totals().updates())
                    .isEqualTo(expected.get("updates").asLong());
            soft.assertThat(model.counts().totals().mistakes())
                    .isEqualTo(expected.get("mistakes").asLong());
            soft.assertThat(updatesByEpoch).isEqualTo(ReferenceResults.longs(expected.get("updates_by_epoch")));
            soft.assertThat(WeightSummary.sha256(updatePositions.toString()))
                    .isEqualTo(expected.get("update_positions_sha256").asText());
        }

        private void checkErrors(SoftAssertions soft, String field, List<Sample> samples) {
            model.freeze(true);
            long before = model.counts().totals().errors();
            for (Sample sample : samples) {
                sample.fill(example);
                model.process(example, 0);
            }
            model.freeze(false);
            soft.assertThat(model.counts().totals().errors() - before)
                    .as("%s, %s", field, which)
                    .isEqualTo(expected.get(field).get(which).asLong());
        }

        /** The weights of one class, or C·w - a. */
        private WeightSummary summary(int c, boolean isSum) {
            double survivals = model.pipeline().learner().state().numbers().get(0);
            TreeMap<Integer, Double> features = new TreeMap<>();
            SparseRows rows = (SparseRows) model.pipeline().learner().blocks().get(0);
            rows.forEach((index, row) -> {
                double value = value(row, c, isSum, survivals);
                if (value != 0) {
                    features.put(index, value);
                }
            });
            double[] bias = ((SparseRows) model.pipeline().learner().blocks().get(1)).find(0);
            return new WeightSummary(features, bias == null ? 0 : value(bias, c, isSum, survivals));
        }

        private static double value(double[] row, int c, boolean isSum, double survivals) {
            if (c >= SparseRows.columns(row)) {
                return 0;
            }
            return isSum ? survivals * row[c] - row[SparseRows.columns(row) + c] : row[c];
        }
    }

    /** Ten two-class models, each with +1 for its class. */
    private static void checkOneVersusRest(SoftAssertions soft, JsonNode entry, List<Sample> train, List<Sample> test) {
        JsonNode expected = entry.get("result");
        List<Model> models = new ArrayList<>();
        for (int c = 0; c < expected.get("weights").size(); c++) {
            Model model = new Model();
            model.configure(Map.of("bias", Boolean.toString(hasBias(entry))));
            Example example = new Example();
            for (Sample sample : train) {
                sample.fill(example);
                example.setLabel(sample.y == c ? Label.PLUS_ONE : Label.MINUS_ONE);
                model.process(example, 0);
            }
            soft.assertThat(model.counts().totals().updates())
                    .isEqualTo(expected.get("updates_by_class").get(c).asLong());
            WeightSummary.ofWeights(model.pipeline().learner())
                    .check(soft, "w of " + c, expected.get("weights").get(c), 0);
            models.add(model);
        }
        for (String which : List.of("last", "averaged_c1")) {
            models.forEach(model -> model.configure(Map.of("predict", which.replace("_c1", ""))));
            soft.assertThat(errors(models, train))
                    .isEqualTo(expected.at("/train_errors/" + which).asLong());
            soft.assertThat(errors(models, test))
                    .isEqualTo(expected.at("/test_errors/" + which).asLong());
        }
    }

    private static long errors(List<Model> models, List<Sample> samples) {
        long errors = 0;
        Example example = new Example();
        for (Sample sample : samples) {
            int best = -1;
            double largest = Double.NEGATIVE_INFINITY;
            for (int c = 0; c < models.size(); c++) {
                sample.fill(example);
                example.setLabel(null);
                double score = models.get(c).process(example, 0).predictedScore();
                if (score > largest) {
                    largest = score;
                    best = c;
                }
            }
            errors += best == sample.y ? 0 : 1;
        }
        return errors;
    }
}
