package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.Sample;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every kernel perceptron in the {@link ReferenceResults}. */
final class KernelGoldenTest {
    private static final List<String> WAYS = List.of("last", "averaged_c1", "averaged_c0", "voted_c1", "voted_c0");

    /** 9 tiny ones and 8 of breast-cancer. */
    @TestFactory
    Stream<DynamicTest> shouldGiveTheReferenceNumbers() throws IOException {
        return ReferenceResults.tests(
                17,
                entry -> entry.algorithm().equals("kernel-perceptron"),
                entry -> {
                    List<Sample> train = entry.trainSamples();
                    List<Sample> test = entry.testSamples();
                    SoftAssertions.assertSoftly(soft -> check(soft, entry.json(), train, test));
                },
                "breast-cancer");
    }

    private static void check(SoftAssertions soft, JsonNode entry, List<Sample> train, List<Sample> test) {
        JsonNode expected = entry.get("result");
        for (String way : WAYS) {
            GoldenRun run = new GoldenRun(GoldenSettings.of(entry, way), false)
                    .train(train, entry.get("params").get("epochs").asInt(), false);
            soft.assertThat(run.model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
            checkLearning(soft, expected, run, train);
            checkErrors(soft, expected, way, run, train, test);
            if (way.equals("last")) {
                checkTenths(soft, expected.get("first_epoch"), run, train.size());
                checkScores(soft, expected.get("train_errors").get("first_scores_last"), run, train);
                if (!test.isEmpty()) {
                    checkScores(soft, expected.get("test_errors").get("first_scores_last"), run, test);
                }
            }
        }
        checkEveryScore(soft, entry, train);
    }

    private static void checkLearning(SoftAssertions soft, JsonNode expected, GoldenRun run, List<Sample> train) {
        Counts totals = run.model.counts().totals();
        soft.assertThat(totals.updates())
                .as("updates")
                .isEqualTo(expected.get("updates").asLong());
        soft.assertThat(totals.mistakes())
                .as("mistakes")
                .isEqualTo(expected.get("mistakes").asLong());
        soft.assertThat(run.updatesByEpoch)
                .as("updates by epoch")
                .isEqualTo(ReferenceResults.longs(expected.get("updates_by_epoch")));
        soft.assertThat(run.updatePositionsSha256())
                .as("update positions")
                .isEqualTo(expected.get("update_positions_sha256").asText());
        int n = train.size();
        soft.assertThat(run.updatePositions.stream()
                        .map(position -> position % n)
                        .distinct()
                        .count())
                .as("support vectors")
                .isEqualTo(expected.get("support_vectors").asLong());
        double sum = run.updatePositions.stream()
                .mapToInt(position -> train.get((int) (position % n)).y)
                .sum();
        soft.assertThat(sum)
                .as("sum of coefficients")
                .isEqualTo(expected.get("sum_of_coefficients").asDouble());
        double squaredNorm = expected.get("squared_norm_of_w").asDouble();
        double norm = run.model.pipeline().learner().weightNorm();
        // the square of a root of a whole number is that number but for the last bits
        soft.assertThat(norm * norm).as("|w|^2").isCloseTo(squaredNorm, within(1e-9 * squaredNorm));
    }

    private static void checkErrors(
            SoftAssertions soft, JsonNode expected, String way, GoldenRun run, List<Sample> train, List<Sample> test) {
        soft.assertThat(run.model.counts().totals().errors())
                .as("errors online, %s", way)
                .isEqualTo(expected.get("errors_online").get(way).asLong());
        soft.assertThat(run.errors(train).wrong())
                .as("errors on the training part, %s", way)
                .isEqualTo(expected.get("train_errors").get(way).asLong());
        if (!test.isEmpty()) {
            soft.assertThat(run.errors(test).wrong())
                    .as("errors on the test part, %s", way)
                    .isEqualTo(expected.get("test_errors").get(way).asLong());
        }
    }

    private static void checkTenths(SoftAssertions soft, JsonNode expected, GoldenRun run, int n) {
        for (int k = 1; k <= 10; k++) {
            long[] counts = run.firstEpoch.get(n * k / 10);
            String percent = 10 * k + "%";
            soft.assertThat(List.of(counts[0], counts[2]))
                    .as("updates and errors after %s", percent)
                    .containsExactly(
                            expected.get("updates").get(percent).asLong(),
                            expected.get("errors_online_last").get(percent).asLong());
        }
    }

    /** Whole numbers to the last bit, others to 1e-9. */
    private static void checkScores(SoftAssertions soft, JsonNode expected, GoldenRun run, List<Sample> samples) {
        run.model.freeze(true);
        for (int k = 0; k < expected.size(); k++) {
            double score = run.model.process(samples.get(k).example(), 0).score();
            close(soft, "score of row " + k, score, expected.get(k).asDouble());
        }
        run.model.freeze(false);
    }

    private static void close(SoftAssertions soft, String what, double found, double expected) {
        boolean isWhole = expected == Math.rint(expected);
        soft.assertThat(found).as(what).isCloseTo(expected, within(isWhole ? 0 : 1e-9 * Math.abs(expected)));
    }

    /**
     * Every score before its update: all of them for the tiny sets, for others the smallest and the number of zeros.
     */
    private static void checkEveryScore(SoftAssertions soft, JsonNode entry, List<Sample> train) {
        JsonNode expected = entry.get("result");
        Model model = new Model();
        model.configure(GoldenSettings.of(entry, "last"));
        JsonNode seen = expected.path("scores_seen");
        Example example = new Example();
        double smallest = Double.POSITIVE_INFINITY;
        long zeros = 0;
        int n = 0;
        for (int epoch = 0; epoch < entry.get("params").get("epochs").asInt(); epoch++) {
            for (Sample sample : train) {
                sample.fill(example);
                double score = model.process(example, 0).score();
                zeros += score == 0 ? 1 : 0;
                smallest = score == 0 ? smallest : Math.min(smallest, Math.abs(score));
                if (n < seen.size()) {
                    close(soft, "score " + n, score, seen.get(n).asDouble());
                }
                n++;
            }
        }
        soft.assertThat(zeros)
                .as("scores of 0")
                .isEqualTo(expected.get("exact_zero_scores").asLong());
        close(
                soft,
                "smallest score",
                smallest,
                expected.get("smallest_nonzero_abs_score").asDouble());
    }
}
