package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every linear two-class result in the {@link ReferenceResults}.
 */
final class GoldenTest {
    private static final Set<String> TWO_CLASS = Set.of("perceptron", "margin-open", "margin-closed", "hinge");

    /** 18 tiny ones, 11 each for breast-cancer and sms-spam. */
    @TestFactory
    Stream<DynamicTest> shouldGiveTheReferenceNumbers() throws IOException {
        return ReferenceResults.tests(
                40,
                entry -> TWO_CLASS.contains(entry.algorithm()),
                entry -> {
                    List<Sample> train = entry.trainSamples();
                    List<Sample> test = entry.testSamples();
                    SoftAssertions.assertSoftly(soft -> check(soft, entry.json(), train, test));
                },
                "breast-cancer",
                "sms-spam");
    }

    private static void check(SoftAssertions soft, JsonNode entry, List<Sample> train, List<Sample> test) {
        JsonNode expected = entry.get("result");
        GoldenRun last = run(entry, train, "last");
        GoldenRun c1 = run(entry, train, "averaged_c1");
        GoldenRun c0 = run(entry, train, "averaged_c0");
        checkCounts(soft, expected, last);
        checkOnline(soft, expected, "last", last, train.size());
        checkOnline(soft, expected, "averaged_c1", c1, train.size());
        checkOnline(soft, expected, "averaged_c0", c0, train.size());
        checkPositions(soft, expected, last);
        checkPositions(soft, expected, c1);
        checkPositions(soft, expected, c0);
        WeightSummary.ofWeights(last.model.pipeline().learner()).check(soft, "w", expected.get("weights"), 0);
        WeightSummary.ofSum(c1.model.pipeline().learner()).check(soft, "c1", expected.get("weights_sum_c1"), 1e-9);
        WeightSummary.ofSum(c0.model.pipeline().learner()).check(soft, "c0", expected.get("weights_sum_c0"), 1e-9);
        checkSteps(soft, entry, last);
        checkSeparation(soft, expected.get("separation"), last, train);
        checkVoted(soft, entry, train, test);
        for (Map.Entry<String, GoldenRun> run :
                Map.of("last", last, "averaged_c1", c1, "averaged_c0", c0).entrySet()) {
            checkErrors(soft, expected.get("train_errors"), run.getKey(), run.getValue(), train);
            if (!test.isEmpty()) {
                checkErrors(soft, expected.get("test_errors"), run.getKey(), run.getValue(), test);
            }
        }
    }

    /** Votes add products in the order of the updates, not of the features: not comparable where the order decides. */
    private static void checkVoted(SoftAssertions soft, JsonNode entry, List<Sample> train, List<Sample> test) {
        JsonNode expected = entry.get("result");
        if (entry.path("order_sensitive").asBoolean()
                || !expected.path("errors_online").has("voted_c1")) {
            return;
        }
        for (String which : List.of("voted_c0", "voted_c1")) {
            GoldenRun run = run(entry, train, which);
            soft.assertThat(run.model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
            checkOnline(soft, expected, which, run, train.size());
            checkPositions(soft, expected, run);
            checkErrors(soft, expected.get("train_errors"), which, run, train);
            if (!test.isEmpty()) {
                checkErrors(soft, expected.get("test_errors"), which, run, test);
            }
        }
    }

    private static GoldenRun run(JsonNode entry, List<Sample> train, String which) {
        JsonNode params = entry.get("params");
        return new GoldenRun(GoldenSettings.of(entry, which), entry.has("steps"))
                .train(
                        train,
                        params.get("epochs").asInt(),
                        params.path("until_clean").asBoolean());
    }

    private static void checkCounts(SoftAssertions soft, JsonNode expected, GoldenRun run) {
        Counts totals = run.model.counts().totals();
        soft.assertThat(totals.updates())
                .as("updates")
                .isEqualTo(expected.get("updates").asLong());
        soft.assertThat(totals.mistakes())
                .as("mistakes")
                .isEqualTo(expected.get("mistakes").asLong());
        soft.assertThat(totals.marginMistakes())
                .as("margin mistakes")
                .isEqualTo(expected.get("margin_mistakes").asLong());
        soft.assertThat(totals.labelled())
                .as("examples seen")
                .isEqualTo(expected.get("examples_seen").asLong());
        soft.assertThat(totals.hingeLoss())
                .as("hinge loss")
                .isEqualTo(expected.get("hinge_loss").asDouble());
        soft.assertThat(run.model.pipeline().learner().radius())
                .as("radius")
                .isEqualTo(expected.get("radius").asDouble());
        soft.assertThat(run.ties)
                .as("ties")
                .isEqualTo(expected.get("exact_ties").asLong());
        soft.assertThat(run.updatesByEpoch)
                .as("updates by epoch")
                .isEqualTo(ReferenceResults.longs(expected.get("updates_by_epoch")));
    }

    private static void checkOnline(SoftAssertions soft, JsonNode expected, String which, GoldenRun run, int n) {
        soft.assertThat(run.model.counts().totals().errors())
                .as("errors online, %s", which)
                .isEqualTo(expected.get("errors_online").get(which).asLong());
        JsonNode first = expected.get("first_epoch");
        for (int k = 1; k <= 10; k++) {
            long[] counts = run.firstEpoch.get(n * k / 10);
            String percent = 10 * k + "%";
            soft.assertThat(counts)
                    .as("updates, mistakes, errors of %s after %s", which, percent)
                    .containsExactly(
                            first.get("updates").get(percent).asLong(),
                            first.get("mistakes").get(percent).asLong(),
                            first.get("errors_online_" + which).get(percent).asLong());
        }
    }

    private static void checkPositions(SoftAssertions soft, JsonNode expected, GoldenRun run) {
        List<Long> first = ReferenceResults.longs(expected.get("first_update_positions"));
        soft.assertThat(run.updatePositions).as("first update positions").startsWith(first.toArray(Long[]::new));
        soft.assertThat(run.updatePositionsSha256())
                .as("update positions")
                .isEqualTo(expected.get("update_positions_sha256").asText());
    }

    private static void close(SoftAssertions soft, String what, double found, JsonNode expected, double slack) {
        soft.assertThat(found).as(what).isCloseTo(expected.asDouble(), within(slack));
    }

    private static void checkSteps(SoftAssertions soft, JsonNode entry, GoldenRun run) {
        boolean hasBias = entry.path("bias").asBoolean();
        int n = 0;
        for (JsonNode expected : entry.path("steps")) {
            GoldenRun.Step step = run.steps.get(n++);
            String what = "step " + n;
            soft.assertThat(step.u()).as(what).isEqualTo(expected.get("u").asDouble());
            soft.assertThat(step.prediction())
                    .as(what)
                    .isEqualTo(expected.get("prediction").asInt());
            soft.assertThat(step.isMistake())
                    .as(what)
                    .isEqualTo(expected.get("mistake").asBoolean());
            soft.assertThat(step.isUpdate())
                    .as(what)
                    .isEqualTo(expected.get("update").asBoolean());
            JsonNode after = expected.get("w_after");
            List<Double> weights = new ArrayList<>();
            for (int index = 1; index <= after.size() - (hasBias ? 1 : 0); index++) {
                weights.add(step.weights().features().getOrDefault(index, 0.0));
            }
            if (hasBias) {
                weights.add(step.weights().bias());
            }
            soft.assertThat(weights).as(what).isEqualTo(doubles(after));
        }
        // the reference lists no steps after the first pass without an update
        soft.assertThat(run.steps.size()).as("steps").isGreaterThanOrEqualTo(n);
    }

    private static void checkSeparation(SoftAssertions soft, JsonNode expected, GoldenRun run, List<Sample> train) {
        double smallest = run.errors(train).smallestMargin();
        if (expected.isNull()) {
            soft.assertThat(smallest).as("smallest y·u").isLessThanOrEqualTo(0);
            return;
        }
        double margin = smallest / run.model.pipeline().learner().weightNorm();
        double radius = run.model.pipeline().learner().radius();
        double bound = Math.pow(radius / margin, 2);
        double expectedBound = expected.get("update_bound").asDouble();
        close(soft, "separating margin", margin, expected.get("margin"), 1e-12);
        close(soft, "radius", radius, expected.get("radius"), 0);
        soft.assertThat(bound).as("bound").isCloseTo(expectedBound, within(1e-12 * expectedBound));
    }

    private static void checkErrors(
            SoftAssertions soft, JsonNode expected, String which, GoldenRun run, List<Sample> samples) {
        GoldenRun.Errors errors = run.errors(samples);
        soft.assertThat(List.of(errors.n(), errors.wrong(), errors.zeroScores()))
                .as("examples, errors and zero scores of the final %s", which)
                .containsExactly(
                        expected.get("n").asLong(),
                        expected.get(which).asLong(),
                        expected.get("zero_scores").get(which).asLong());
    }

    private static List<Double> doubles(JsonNode array) {
        List<Double> list = new ArrayList<>();
        array.forEach(element -> list.add(element.asDouble()));
        return list;
    }
}
