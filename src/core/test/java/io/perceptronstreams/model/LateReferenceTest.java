package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Labels that come a fixed number of examples late; {@code python3 src/test/python/late_labels.py} computes the
 * numbers.
 */
class LateReferenceTest {
    private final Model model = new Model();
    private final Example example = new Example();

    /** One model and what it must give. */
    record Run(JsonNode expected) {
        @Override
        public String toString() {
            return expected.get("data").asText() + " " + expected.get("settings") + " " + expected.get("delay");
        }
    }

    static List<Run> runs() throws IOException {
        List<Run> runs = new ArrayList<>();
        new ObjectMapper()
                .readTree(
                        Path.of("src/test/resources/reference/late-labels.json").toFile())
                .forEach(expected -> runs.add(new Run(expected)));
        return runs;
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldGiveTheNumbersOfTheReference(Run run) {
        ExampleBuffer data = ReferenceStreams.named(run.expected.get("data").asText());
        Map<String, String> settings = new HashMap<>();
        run.expected
                .get("settings")
                .properties()
                .forEach(each -> settings.put(each.getKey(), each.getValue().asText()));
        settings.putIfAbsent("algorithm", settings.containsKey("classes") ? "multiclass" : "perceptron");
        model.configure(settings);

        int delay = run.expected.get("delay").asInt();
        Deque<Waiting> pending = new ArrayDeque<>();
        List<Integer> mistakes = new ArrayList<>();
        for (int n = 0; n < data.size() + delay; n++) {
            if (n < data.size()) {
                data.fill(n, example);
                example.setLabel(null);
                model.process(example, 0);
                InputRecord record = new InputRecord(null, n, 0, 0, false);
                pending.add(model.waiting(example, null, record, model.current().version()));
            }
            if (n >= delay) {
                data.fill(n - delay, example);
                Label label = example.label();
                assertThat(label).isNotNull();
                Outcome outcome = model.use(example, 0, pending.remove(), null);
                if (outcome.kind() == Outcome.Kind.MISTAKE) {
                    mistakes.add(n - delay);
                }
            }
        }

        List<Integer> expected = new ArrayList<>();
        run.expected.get("mistakes").forEach(number -> expected.add(number.asInt()));
        assertThat(mistakes).isEqualTo(expected);
        assertThat(model.counts().totals().errors())
                .isEqualTo(run.expected.get("errors").asLong());
        assertThat(model.counts().totals().updates())
                .isEqualTo(run.expected.get("updates").asLong());
        assertThat(model.counts().totals().examples()).isEqualTo(data.size());
        close(model.counts().totals().hingeLoss(), run.expected.get("hingeLoss").asDouble());
        close(model.pipeline().learner().weightNorm(), run.expected.get("norm").asDouble());
        close(model.pipeline().learner().radius(), run.expected.get("radius").asDouble());
    }

    private static void close(double actual, double expected) {
        assertThat(actual).isCloseTo(expected, within(1e-9 * Math.max(1, Math.abs(expected))));
    }
}
