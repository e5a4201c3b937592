package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Labels that are sent apart from their examples, by the commands of a user to a running engine. */
final class LateLabelsIT {
    private static final int EXAMPLES = 200;

    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("late-labels");

    @Test
    void shouldSendLabelsAfterTheirExamples() throws IOException {
        configure("after", "await.labels.ms=3600000");

        assertThat(ENGINE.output("produce " + labelled("after.csv")
                        + " --model after --id-column id --labels-after 7ex --timeout 60"))
                .startsWith("sent 200 examples and 200 labels of after")
                .contains(", none refused");
        JsonNode status = status("after");
        assertThat(status.get("late").asLong()).isEqualTo(EXAMPLES);
        assertThat(status.get("pending").asLong()).isZero();
        assertThat(status.get("labelled").asLong()).isEqualTo(EXAMPLES);
        assertThat(status.get("updates").asLong()).isPositive();
    }

    @Test
    @Tag("full")
    void shouldSendLabelsOnly() throws IOException {
        configure("only", "await.labels.ms=3600000");
        ENGINE.output(
                "produce " + unlabelled("only.csv") + " --model only --label-column none --id-column id --timeout 60");
        assertThat(status("only").get("pending").asLong()).isEqualTo(EXAMPLES);

        assertThat(ENGINE.output("produce " + labelled("labels.csv")
                        + " --model only --id-column id --labels-only --timeout 60"))
                .startsWith("sent 0 examples and 200 labels of only");
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            assertThat(status("only").get("late").asLong()).isEqualTo(EXAMPLES);
            assertThat(status("only").get("pending").asLong()).isZero();
        });
    }

    // Ids that match nothing were not noticed: the labels wait in event time, which no later label moves.
    @Test
    void shouldSayThatLabelsWaitForTheirExamples() throws IOException {
        configure("early", "await.labels.ms=3600000");

        assertThat(ENGINE.output("produce " + labelled("early.csv")
                        + " --model early --id-column id --labels-only --timeout 60"))
                .contains(
                        "\n200 labels wait for examples with their ids, which have not come: for await.examples.ms=120000 of"
                                + " event time,");
        assertThat(ENGINE.output("models show early")).contains("\npending: 0\npendingLabels: 200\n");
        assertThat(ENGINE.output("produce " + unlabelled("early-examples.csv")
                        + " --model early --label-column none --id-column id --timeout 60"))
                .doesNotContain("labels wait");
        assertThat(status("early").get("pendingLabels").asLong()).isZero();
    }

    @Test
    void shouldExpireWhatWaitsInASilentModel() throws IOException {
        configure("silent", "await.labels.ms=1");
        ENGINE.output("produce " + unlabelled("silent.csv")
                + " --model silent --label-column none --id-column id --timeout 60");
        // the time of the command is later than that of the last example, which waits alone
        ENGINE.output("labels expire silent --timeout 60");

        JsonNode status = lastStatus("silent");
        assertThat(status.get("cause").asText()).isEqualTo("TICK");
        assertThat(status.get("pending").asLong()).isZero();
        assertThat(status.get("unlabelled").asLong()).isEqualTo(EXAMPLES);
    }

    @Test
    void shouldRefuseDelaysThatMakeNoSense() throws IOException {
        String file = labelled("refused.csv");
        assertThat(ENGINE.failure(2, "produce " + file + " --model m --labels-after 7"))
                .contains("--labels-after must be a number of ms or examples");
        assertThat(ENGINE.failure(2, "produce " + file + " --model m --labels-after 7ex --labels-only"))
                .contains("--labels-after must not be used with --labels-only");
    }

    private static void configure(String model, String setting) {
        ENGINE.output("models set " + model + " algorithm=perceptron " + setting + " --timeout 60");
    }

    private static JsonNode status(String model) throws IOException {
        // a status that contains all records before it
        ENGINE.output("models snapshot " + model + " --timeout 60");
        return lastStatus(model);
    }

    private static JsonNode lastStatus(String model) throws IOException {
        ENGINE.output("models list --json");
        for (JsonNode status : ENGINE.objects()) {
            if (status.get("model").asText().equals(model)) {
                return status;
            }
        }
        throw new AssertionError("no status of " + model + " in " + ENGINE.output());
    }

    private static String labelled(String name) throws IOException {
        return file(name, "id,label,x,y\n", "e%d,%d,%d,%d\n");
    }

    private static String unlabelled(String name) throws IOException {
        return file(name, "id,x,y\n", "e%1$d,%3$d,%4$d\n");
    }

    private static String file(String name, String header, String row) throws IOException {
        StringBuilder rows = new StringBuilder(header);
        for (int k = 0; k < EXAMPLES; k++) {
            int x = k % 13 - 6;
            int y = k % 7 - 3;
            rows.append(String.format(row, k, x + 2 * y > 0 ? 1 : -1, x, y));
        }
        return Files.writeString(directory.resolve(name), rows).toString();
    }
}
