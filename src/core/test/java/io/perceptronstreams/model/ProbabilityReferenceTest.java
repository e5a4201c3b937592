package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.learner.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Probabilities, sets of labels and their sums against NumPy; {@code python3 src/test/python/probability.py} computes
 * the numbers.
 */
final class ProbabilityReferenceTest {
    private final Model model = new Model();
    private final Example example = new Example();

    /** One model and what it must give. */
    record Run(JsonNode expected) {
        @Override
        public String toString() {
            return expected.get("data").asText() + " " + expected.get("settings");
        }
    }

    static List<Run> runs() throws IOException {
        return new ObjectMapper()
                .readTree(
                        Path.of("src/test/resources/reference/probability.json").toFile())
                .valueStream()
                .map(Run::new)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldGiveTheNumbersOfTheReference(Run run) {
        JsonNode expected = run.expected;
        ExampleBuffer data = ReferenceStreams.named(expected.get("data").asText());
        Map<String, String> settings =
                new HashMap<>(Map.of("calibrate", "platt", "coverage", "0.8", "predict.scores", "true"));
        expected.get("settings")
                .properties()
                .forEach(each -> settings.put(each.getKey(), each.getValue().asText()));
        model.configure(settings);

        int noted = 0;
        for (int n = 0; n < data.size(); n++) {
            data.fill(n, example);
            Outcome outcome = model.process(example, 0);
            JsonNode shown = expected.get("shown").get(noted);
            if (shown != null && shown.get(0).asInt() == n) {
                check(outcome, shown);
                noted++;
            }
        }
        assertThat(noted).isEqualTo(expected.get("shown").size());
        checkSums(expected, data.size());
    }

    /** Number, probability of the predicted label and of all in millionths, and the set. */
    private static void check(Outcome outcome, JsonNode shown) {
        String where = "example " + shown.get(0);
        assertThat(outcome.millionths()).as(where).isCloseTo(shown.get(1).asInt(), within(2));
        for (int k = 0; k < outcome.scoreCount(); k++) {
            assertThat(outcome.probability(k) * 1e6)
                    .as(where)
                    .isCloseTo(shown.get(2).get(k).asDouble(), within(2.0));
        }
        assertThat(outcome.labelSet())
                .as(where)
                .extracting(Object::toString)
                .containsExactlyElementsOf(
                        shown.get(3).valueStream().map(JsonNode::asText).toList());
    }

    private void checkSums(JsonNode expected, int examples) {
        Counts totals = model.counts().totals();
        JsonNode sums = expected.get("sums");
        assertThat(totals.examples()).isEqualTo(examples);
        assertThat(totals.of(Counter.PROBABILITIES))
                .isEqualTo(totals.of(Counter.SETS))
                .isEqualTo(sums.get("labelled").asLong());
        assertThat(totals.of(Counter.COVERED)).isEqualTo(sums.get("covered").asLong());
        assertThat(totals.of(Counter.SET_LABELS)).isEqualTo(sums.get("labels").asLong());
        assertThat(totals.of(Counter.UNSURE)).isEqualTo(sums.get("unsure").asLong());
        // two millionths of each probability
        assertThat((double) totals.of(Counter.SQUARED_MILLIONTHS))
                .isCloseTo(sums.get("squares").asDouble(), within(2.0 * examples));
        assertThat((double) totals.of(Counter.LOG_LOSS_MILLIONTHS))
                .isCloseTo(sums.get("logs").asDouble(), within(4.0 * examples));
        assertThat(Reliability.expectedError(model.counts().reliability()))
                .isCloseTo(expected.get("expectedError").asDouble(), within(2e-6));
    }
}
