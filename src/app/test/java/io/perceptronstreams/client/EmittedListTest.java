package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EmittedStory;
import io.perceptronstreams.topology.EmittedStory.Joined;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of models and the verdict of a sent file are of what was emitted, whatever weights predict. */
final class EmittedListTest {
    @TempDir
    Path dir;

    @Test
    void shouldListWhatWasEmittedWhateverWeightsPredict() {
        try (EmittedStory story = new EmittedStory(dir, false)) {
            story.tell(EmittedListTest::check);
        }
    }

    private static void check(String step, EmittedStory story) {
        Joined joined = story.join();
        List<ModelStatus> statuses = story.events(Topic.MODELS, ModelStatus.class);
        ModelStatus status = statuses.get(statuses.size() - 1);
        StringWriter text = new StringWriter();
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("perceptron-models", 0, 0, null, null);
        StatusReader.list(
                new StatusReader.Selection(null, StatusReader.Order.NAME, 10),
                Map.of(EmittedStory.MODEL, new StatusReader.Latest(record, status)),
                new StatusReader.Refused(Map.of(), model -> false),
                false,
                new PrintWriter(text));
        String[] lines = text.toString().split("\n", -1);
        assertThat(lines[1].trim().split(" +"))
                .as("list after %s", step)
                .contains("" + joined.examples(), "" + joined.labelled(), "" + joined.errors());
        Verdict verdict = Verdict.of(status);
        assertThat(verdict.toText())
                .as("verdict after %s", step)
                .startsWith(percent(joined.errors(), joined.labelled()) + " % wrong; always ")
                .contains("same as last: " + percent(joined.sameErrors(), joined.labelled()) + " %");
        if (status.getOfWeights() == null) {
            assertThat(lines[0]).doesNotContain("of-weights");
            assertThat(verdict.toText()).doesNotContain("present weights");
        } else {
            assertThat(lines[1])
                    .contains(status.getOfWeights().getErrors() + "/"
                            + status.getOfWeights().getLabelled());
            assertThat(verdict.toText())
                    .endsWith("; present weights: "
                            + percent(
                                    status.getOfWeights().getErrors(),
                                    status.getOfWeights().getLabelled())
                            + " %");
        }
    }

    private static String percent(long part, long whole) {
        return new BigDecimal(100.0 * ((double) part / whole))
                .setScale(1, RoundingMode.HALF_UP)
                .toPlainString();
    }
}
