package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.relearn.Explanation;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Explanations of predictions of the past beside the evidence that the engine has sent with its mistakes. */
class ExplanationTest {
    private static final int EXAMPLES = 20;
    private static final int TERMS = 2;

    @TempDir
    Path dir;

    private KillableTask task(String settings, String kind) {
        KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any);
        task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"explain\":" + TERMS + "," + settings + "}}");
        Random random = new Random(5);
        for (int k = 0; k < EXAMPLES; k++) {
            task.add("m", example(k, kind, random));
        }
        task.start();
        task.stepToEnd();
        task.commitCheckpoint();
        return task;
    }

    /** Every fifth one has no label. */
    private static String example(int k, String kind, Random random) {
        double x = random.nextGaussian();
        double y = random.nextGaussian();
        boolean isTrue = x + 0.5 * y + 0.3 * random.nextGaussian() > 0;
        String label;
        String features;
        if (kind.equals("tags")) {
            features = "{\"tokens\":[[\"w=" + (isTrue ? "a" : "b") + "\",\"v=" + k % 3 + "\"],[\"w=" + k % 4 + "\"]]}";
            label = "[\"" + (isTrue ? "A" : "B") + "\",\"" + (k % 4 < 2 ? "A" : "C") + "\"]";
        } else if (kind.equals("candidates")) {
            features = "{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":" + x
                    + "}},{\"output\":\"b\",\"features\":{\"g\":" + y + ",\"f\":1}}]}";
            label = isTrue ? "\"a\"" : "\"b\"";
        } else {
            features = kind.equals("names") ? "{\"x\":" + x + ",\"y\":" + y + "}" : "[" + x + "," + y + ",0.5]";
            label = kind.equals("classes") ? "\"" + (isTrue ? "a" : y > 0 ? "b" : "c") + "\"" : isTrue ? "1" : "-1";
        }
        return "{\"id\":\"e" + k + "\"," + (k % 5 == 4 ? "" : "\"label\":" + label + ",") + "\"features\":" + features
                + "}";
    }

    private static Explanation.Explained explained(KillableTask task, String example, int terms) {
        try (Explanation run =
                new Explanation(VerificationTest.input(task, "m", 0), task.registry, example, terms, Changes.NONE)) {
            task.records.forEach(run::learn);
            return run.explained();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm:perceptron,predict:averaged,scale:standard | numbers",
                "algorithm:perceptron,kernel:rbf(g=0.5) | numbers",
                "algorithm:multiclass | classes",
                "algorithm:structured | candidates",
                "algorithm:sequence | tags"
            })
    void shouldHaveTheEvidenceThatWasSentAndThatOfOtherPredictions(String settings, String kind) {
        requireEvidence(settings, kind);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm:perceptron | numbers",
                "algorithm:perceptron,h:1 | names",
                "algorithm:pa-i,scale:unit-norm | names",
                "algorithm:alma | numbers",
                "algorithm:arow | numbers",
                "algorithm:romma | numbers",
                "algorithm:sgd,loss:logistic | numbers",
                "algorithm:multiclass-pa | classes",
                "algorithm:softmax,rate:adagrad | classes",
                "algorithm:auto | numbers"
            })
    void shouldHaveTheEvidenceOfOtherLearners(String settings, String kind) {
        requireEvidence(settings, kind);
    }

    private void requireEvidence(String settings, String kind) {
        String json = "\"" + settings.replace(":", "\":\"").replace(",", "\",\"") + "\"";
        try (KillableTask task = task(json, kind)) {
            Map<String, Mistake> mistakes = new HashMap<>();
            EventReader<Mistake> mistakeReader = EventReader.of(Mistake.class, task.registry);
            for (SentRecord each : task.committed(Topic.MISTAKES)) {
                Mistake mistake = mistakeReader.read(each.value());
                mistakes.put(mistake.getExampleId(), mistake);
            }
            List<Prediction> predictions = new ArrayList<>();
            EventReader<Prediction> reader = EventReader.of(Prediction.class, task.registry);
            task.committed(Topic.PREDICTIONS).forEach(each -> predictions.add(reader.read(each.value())));
            assertThat(predictions).hasSize(EXAMPLES);
            assertThat(mistakes).isNotEmpty();

            int others = 0;
            for (Prediction prediction : predictions) {
                String id = prediction.getExampleId();
                Explanation.Explained explained = explained(task, id, TERMS);
                assertThat(explained.prediction()).isEqualTo(prediction);
                assertThat(explained.place())
                        .isEqualTo("perceptron-examples-0@" + (1 + Integer.parseInt(id.substring(1))));
                Mistake sent = mistakes.get(id);
                Mistake evidence = explained.evidence();
                if (evidence == null) {
                    assertThat(sent == null || sent.getEvidence().isEmpty())
                            .as(id)
                            .isTrue();
                    continue;
                }
                requireSum(evidence);
                if (sent != null) {
                    assertThat(evidence.getEvidence()).as(id).isEqualTo(sent.getEvidence());
                    assertThat(evidence.getEvidenceBias()).isEqualTo(sent.getEvidenceBias());
                    assertThat(evidence.getEvidenceRest()).isEqualTo(sent.getEvidenceRest());
                    assertThat(evidence.getMarginAfter()).isEqualTo(sent.getMarginAfter());
                    assertThat(explained.isUpdated()).isTrue();
                    continue;
                }
                others++;
                if (explained.label() != null && !explained.isUpdated()) {
                    assertThat(evidence.getMargin()).as(id).isNotNegative();
                    assertThat(evidence.getMarginAfter()).isNull();
                }
            }
            assertThat(others).isPositive();
        }
    }

    private static void requireSum(Mistake evidence) {
        double sum = evidence.getEvidenceBias();
        for (Evidence term : evidence.getEvidence()) {
            sum += term.getContribution();
        }
        sum += evidence.getEvidenceRest();
        assertThat(sum).isCloseTo(evidence.getMargin(), Offset.offset(1e-12 * (1 + Math.abs(sum))));
    }

    @Test
    void shouldExplainTheLastExampleOfAnIdOrThatOfAPlace() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any)) {
            task.add("m", "{\"id\":\"a\",\"label\":1,\"features\":[1,0]}");
            task.add("other", "{\"id\":\"a\",\"label\":1,\"features\":[7]}");
            task.add("m", "{\"label\":-1,\"features\":[1,2]}");
            task.add("m", "{\"id\":\"a\",\"features\":[1,3]}");
            task.add("m", "{\"id\":\"b\",\"features\":[\"x\"]}");
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();

            // w = (1, 0), bias 1 after the first example; (0, -2), bias 0 after the second one
            Explanation.Explained second = explained(task, "0@2", 9);
            assertThat(second.prediction().getExampleId()).isEqualTo("0@2");
            assertThat(second.evidence().getMargin()).isEqualTo(-2);
            assertThat(second.evidence().getEvidence())
                    .singleElement()
                    .satisfies(term -> assertThat(term.getContribution()).isEqualTo(-1));
            // y·(w·x + b) = -(0·1 - 2·2 + 0)
            assertThat(second.evidence().getMarginAfter()).isEqualTo(4);

            Explanation.Explained last = explained(task, "a", 9);
            assertThat(last.place()).isEqualTo("perceptron-examples-0@3");
            assertThat(last.label()).isNull();
            // of the predicted label -1: -(0·1 - 2·3 + 0)
            assertThat(last.evidence().getMargin()).isEqualTo(6);
            assertThat(last.evidence().getMarginAfter()).isNull();

            assertThatThrownBy(() -> explained(task, "c", 9))
                    .isInstanceOf(CommandFailedException.class)
                    .hasMessage("the example must be a record of m, got none with the id 'c'");
            assertThatThrownBy(() -> explained(task, "0@1", 9))
                    .hasMessage("the example must be a record of m, got none at perceptron-examples-0@1");
            assertThatThrownBy(() -> explained(task, "1@1", 9))
                    .hasMessage("the example must be on partition 0, where m is, got 1@1");
        }
    }

    // An example of a record of several was passed over, and an older one of the id explained.
    @Test
    void shouldExplainAnExampleOfARecordOfSeveral() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any)) {
            task.add("m", "{\"id\":\"a\",\"label\":1,\"features\":[1,0]}");
            task.add(
                    "m",
                    "[{\"label\":-1,\"features\":[1,2]},{\"id\":\"b\",\"features\":[\"x\"]},"
                            + "{\"id\":\"a\",\"label\":1,\"features\":[1,3]},{\"id\":\"c\",\"label\":1,\"features\":[0,0]}]");
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();

            // as records of their own: w = (1, 0), bias 1; (0, -2), bias 0; (1, 1), bias 1
            Explanation.Explained first = explained(task, "0@1#0", 9);
            assertThat(first.prediction().getExampleId()).isEqualTo("0@1#0");
            assertThat(first.place()).isEqualTo("perceptron-examples-0@1#0");
            assertThat(first.evidence().getMargin()).isEqualTo(-2);
            assertThat(first.evidence().getMarginAfter()).isEqualTo(4);

            Explanation.Explained third = explained(task, "a", 9);
            assertThat(third.place()).isEqualTo("perceptron-examples-0@1#2");
            // 0·1 - 2·3 + 0, and then 1·1 + 1·3 + 1
            assertThat(third.evidence().getMargin()).isEqualTo(-6);
            assertThat(third.evidence().getMarginAfter()).isEqualTo(5);
            assertThat(third.isUpdated()).isTrue();
            assertThat(explained(task, "c", 9).prediction().getScore()).isEqualTo(1);

            assertThatThrownBy(() -> explained(task, "0@1", 9))
                    .hasMessage(
                            "the record perceptron-examples-0@1 has several examples, whose places are 0@1#0 and so on");
            assertThatThrownBy(() -> explained(task, "0@0#0", 9))
                    .hasMessage("the example must be a record of m, got none at perceptron-examples-0@0#0");
            assertThatThrownBy(() -> explained(task, "0@1#1", 9))
                    .hasMessageStartingWith("perceptron-examples-0@1#1 was refused: ");
        }
    }
}
