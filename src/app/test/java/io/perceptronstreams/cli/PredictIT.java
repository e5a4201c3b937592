package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code perceptron predict} with a real engine. */
final class PredictIT {
    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("predict");

    @TempDir
    Path directory;

    private void learn(String model) throws Exception {
        Path examples = Files.writeString(
                directory.resolve("learn.jsonl"),
                "{\"label\":1,\"features\":{\"a\":1}}\n{\"label\":-1,\"features\":{\"b\":1}}\n");
        ENGINE.output("produce " + examples + " --model " + model);
    }

    @Test
    void shouldPrintThePredictionOfEachLineInItsOrder() throws Exception {
        learn("lines");
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < 1_200; k++) {
            text.append("{\"id\":\"")
                    .append(k)
                    .append("\",\"features\":{\"a\":")
                    .append(k)
                    .append("}}\n\n");
        }
        Path file = Files.writeString(directory.resolve("predict.jsonl"), text);

        ENGINE.output("predict lines " + file);

        List<JsonNode> answers = ENGINE.objects();
        assertThat(answers).hasSize(1_200);
        for (int k = 0; k < answers.size(); k++) {
            assertThat(answers.get(k).path("exampleId").asText()).isEqualTo(Integer.toString(k));
            // two updates: a and the bias by 1, b and the bias by -1
            assertThat(answers.get(k).path("score").doubleValue()).isEqualTo(k);
            assertThat(answers.get(k).path("updates").asLong()).isEqualTo(2);
        }
        // what the topic has
        JsonNode last = answers.get(1_199);
        ENGINE.output("watch predictions --model lines --from-beginning --limit 1202 --json");
        JsonNode inTopic = ENGINE.objects().get(1_201);
        for (String field : List.of("exampleId", "label", "score", "updates", "examples")) {
            assertThat(last.path(field)).as(field).isEqualTo(inTopic.path(field));
        }
    }

    /** The command ended with "Input length = 1" before the first prediction; from standard input it did not. */
    @Test
    void shouldReadAFileThatIsNotUtf8() throws Exception {
        learn("latin");
        String text = "{\"features\":{\"a\":1}}\n{\"features\":{\"\u00e4\":1}}\n";
        Path file = Files.writeString(directory.resolve("latin.jsonl"), text, StandardCharsets.ISO_8859_1);

        ENGINE.output("predict latin " + file);

        assertThat(ENGINE.objects()).hasSize(2);
    }

    @Test
    void shouldPrintAnErrorInPlaceOfAMissingPrediction() throws Exception {
        learn("faulty");
        Path file = Files.writeString(directory.resolve("predict.jsonl"), """
                {"features":{"a":1}}
                {"label":1,"features":{"a":1}}
                not JSON
                [{"features":{"a":1}}]
                {"features":{"a":2}}
                """);

        assertThat(ENGINE.failure(1, "predict faulty " + file))
                .isEqualTo(
                        "perceptron: all examples must get a prediction, got none for 3 of 5 (their lines have the error)"
                                + System.lineSeparator());
        List<JsonNode> answers = ENGINE.objects();
        assertThat(answers).extracting(answer -> answer.has("error")).containsExactly(false, true, true, true, false);
        assertThat(answers.get(1).path("error").asText()).contains("must have no label");
        assertThat(answers.get(0).path("score").doubleValue()).isEqualTo(1);
        assertThat(answers.get(4).path("score").doubleValue()).isEqualTo(2);
    }

    /** The score 2 is above the threshold 1.5 only; weights and versions stay. */
    @Test
    @Tag("full")
    void shouldPredictByAThresholdThatIsSetWhileTheEngineRuns() throws Exception {
        learn("threshold");
        Path file = Files.writeString(directory.resolve("predict.jsonl"), "{\"features\":{\"a\":2}}\n");

        for (String threshold : List.of("1.5", "2.5", "2", "0")) {
            ENGINE.output("models set threshold threshold=" + threshold);
            ENGINE.output("predict threshold " + file);

            JsonNode answer = ENGINE.objects().get(0);
            assertThat(answer.path("label").asInt()).as(threshold).isEqualTo(threshold.equals("2.5") ? -1 : 1);
            assertThat(answer.path("score").doubleValue()).isEqualTo(2);
            assertThat(answer.path("updates").asLong()).isEqualTo(2);
        }
        assertThat(ENGINE.failure(2, "models set threshold threshold=NaN"))
                .contains(
                        "threshold must be a finite number, or cost:FP:FN with positive numbers as in cost:1:20, got 'NaN'");
        assertThat(ENGINE.failure(1, "models set threshold class.weights=0:5"))
                .contains("class.weights must be for classes of the model, -1, 1, got '0'");
    }

    @Test
    void shouldNotCreateAModel() throws Exception {
        Path file = Files.writeString(directory.resolve("predict.jsonl"), "{\"features\":{\"a\":1}}\n");

        ENGINE.failure(1, "predict nobody " + file);

        assertThat(ENGINE.output()).isEmpty();
        assertThat(ENGINE.errors()).contains("model must exist, got 'nobody'");
        assertThat(ENGINE.run("predict", "no body", file.toString())).isEqualTo(2);
        ENGINE.failure(2, "predict m " + file + " --timeout 51");
        ENGINE.failure(2, "predict m " + file + " --via pigeon");
    }
}
