package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import io.perceptronstreams.topology.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code perceptron verify} on the topics of an engine that runs. */
final class VerifyIT {
    @RegisterExtension
    static final EngineOnCluster CLUSTER = new EngineOnCluster("verify");

    @TempDir
    Path directory;

    private void produce(String model, int seed) throws IOException {
        StringBuilder lines = new StringBuilder("label,x,y\n");
        Random random = new Random(seed);
        for (int k = 0; k < 300; k++) {
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            lines.append(x + 0.5 * y + 0.2 * random.nextGaussian() > 0 ? 1 : -1);
            lines.append(',').append(x).append(',').append(y).append('\n');
        }
        Path file = Files.writeString(directory.resolve("two.csv"), lines);
        CLUSTER.output("produce " + file + " --model " + model + " --timeout 60");
    }

    @Test
    void shouldFindAllEventsEqualAndNameOneThatIsForged() throws Exception {
        CLUSTER.output("models set proven algorithm=pa-i window.examples=50 --timeout 60");
        produce("proven", 1);

        assertThat(CLUSTER.output("verify proven"))
                .containsPattern(
                        "(?m)^reproduced proven at verify-examples-\\d@\\d+: epoch 0, version \\d+, 300 examples, 300"
                                + " labelled, \\d+ errors, \\d+ mistakes$")
                .containsPattern("(?m)^300 predictions, \\d+ mistakes, 6 counts: all equal\\.$");

        sendPrediction("proven");
        assertThat(CLUSTER.failure(1, "verify proven"))
                .containsPattern(
                        "the event at verify-predictions-\\d@\\d+ must be that of a record of the log, got one of none");
        // a run that ends early was logged as an interrupt of its consumer
        try (LogLines log = new LogLines()) {
            produce("proven", 2);
            assertThat(CLUSTER.failure(1, "verify proven")).contains("must be that of the record");
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().equals("model-log")));
            assertThat(log.lines()).noneMatch(line -> line.contains("Interrupt") || line.contains("close"));
        }
        assertThat(CLUSTER.failure(1, "verify nobody")).contains("model must exist, got 'nobody'");
    }

    @Test
    void shouldExplainAPredictionAndNameOneThatIsForged() throws Exception {
        CLUSTER.send(
                "explained",
                "{\"id\":\"a\",\"label\":1,\"features\":{\"x\":1}}",
                "{\"id\":\"b\",\"label\":-1,\"features\":{\"x\":2,\"y\":1}}");
        CLUSTER.output("models set explained algorithm=perceptron --timeout 60");
        assertThat(CLUSTER.output("explain explained b --limit 1"))
                .containsPattern("(?m)^explained at verify-examples-\\d@\\d+: example 'b', epoch 0, version 1$")
                .containsPattern("(?m)^predicted 1, score 3.0, label -1: wrong, the weights were updated$")
                .containsPattern("(?m)^equal to the prediction at verify-predictions-\\d@\\d+$")
                .containsPattern("(?m)^ +-1 +bias$")
                .containsPattern("(?m)^ +-2 +67 %  2 \\* 1 +x$")
                .containsPattern("(?m)^ +-3 +margin, 3 after the update$");

        CLUSTER.output("explain explained a --json");
        JsonNode first = CLUSTER.objects().get(0);
        assertThat(first.get("place").asText()).startsWith("verify-examples-");
        assertThat(first.get("exampleId").asText()).isEqualTo("a");
        assertThat(first.get("sent").asText()).startsWith("verify-predictions-");
        assertThat(first.get("evidence").isNull()).isTrue();

        sendPrediction("forged");
        CLUSTER.send("forged", "{\"id\":\"x\",\"label\":1,\"features\":[1]}");
        CLUSTER.output("models set forged algorithm=perceptron --timeout 60");
        assertThat(CLUSTER.output("explain forged x")).contains("equal to the prediction at ");
        assertThat(CLUSTER.failure(1, "explain forged y")).contains("got none with the id 'y'");
        assertThat(CLUSTER.failure(1, "explain nobody y")).contains("model must exist, got 'nobody'");
    }

    @Test
    @Tag("full")
    void shouldSayThatTheLogIsCut() throws Exception {
        produce("cut", 2);
        CLUSTER.output("versions tag cut v1 --timeout 60");
        try (Admin admin = Admin.create(CLUSTER.config().admin())) {
            for (int partition = 0; partition < 2; partition++) {
                TopicPartition examples = new TopicPartition(CLUSTER.topic(Topic.EXAMPLES), partition);
                admin.deleteRecords(Map.of(examples, RecordsToDelete.beforeOffset(-1)))
                        .all()
                        .get();
            }
        }
        // a table of zeros was printed, with exit code 0
        assertThat(CLUSTER.failure(1, "what-if cut --set h=1 --allow-unreproduced"))
                .containsPattern(
                        "^perceptron: verify-examples-\\d must have all records of cut, got \\d+ as its first offset");
        assertThat(CLUSTER.failure(1, "verify cut")).contains("must have all records of cut, got ");
        produce("cut", 3);

        assertThat(CLUSTER.failure(1, "verify cut"))
                .containsPattern(
                        "verify-examples-\\d must have all records of cut, got \\d+ as its first offset, before which they"
                                + " were deleted \\(perceptron verify cut --from-tag v1 starts from a named snapshot\\)");
        assertThat(CLUSTER.output("verify cut --from-tag v1"))
                .containsPattern("(?m)^reproduced cut at verify-examples-\\d@\\d+: epoch 0, version \\d+, 600 examples")
                .containsPattern("(?m)^300 predictions, \\d+ mistakes since cut@v1 at offset \\d+: all equal\\.$")
                .containsPattern(
                        "(?m)^not compared: events up to offset \\d+; counts; of the status, which a named snapshot"
                                + " lacks: rerouted, ");
        // a table of a part of the log was printed, with exit code 0
        for (String command : List.of("verify cut", "explain cut cut-3:300", "what-if cut --set h=1")) {
            CLUSTER.run(command);
            assertThat(CLUSTER.errors())
                    .containsPattern(
                            "^perceptron: verify-examples-\\d begins at offset [1-9]\\d*: the records before it were"
                                    + " deleted; cut can be repeated only if it had none there \\(--from-tag v1 starts ");
        }
        assertThat(CLUSTER.failure(1, "what-if cut --set h=1"))
                .containsPattern(
                        "(?m)^perceptron: cut must be reproduced by its log, got: verify-examples-\\d must have all"
                                + " records of cut, .*--from-tag v1 .*; --allow-unreproduced compares what is there$");
        assertThat(CLUSTER.output()).isEmpty();
        assertThat(CLUSTER.output("what-if cut --set h=1 --allow-unreproduced"))
                .containsPattern("(?m)^not reproduced: .*\\(--from-tag v1 starts from a named snapshot\\)$");
        assertThat(CLUSTER.output("what-if cut --set h=1 --from-tag v1"))
                .containsPattern("(?m)^reproduced cut at .*, from cut@v1 at offset \\d+$")
                .containsPattern("(?m)^not compared: of the status, ")
                .containsPattern("(?m)^as it was +300 ");
        assertThat(CLUSTER.failure(2, "what-if cut --set algorithm=arow --from-tag v1"))
                .contains("a candidate must be able to go on with the weights of cut@v1, but algorithm must stay ");
        assertThat(CLUSTER.failure(1, "what-if cut --set h=1 --from-tag v2"))
                .contains(
                        "a named snapshot must exist, got none of 'cut@v2' (perceptron versions list cut lists them)");
        CLUSTER.output("versions untag cut v1 --yes --timeout 60");
        assertThat(CLUSTER.failure(1, "verify cut --from-tag v1"))
                .contains(
                        "a named snapshot must exist, got none of 'cut@v1' (perceptron versions list cut lists them)");
        assertThat(CLUSTER.failure(1, "verify cut"))
                .contains(
                        " (a named snapshot made from now on lets later runs start from it: perceptron versions tag cut NAME)");
    }

    @Test
    @Tag("full")
    void shouldNameADifferenceThatACutLogDoesNotExplain() throws Exception {
        produce("before", 4);
        try (Admin admin = Admin.create(CLUSTER.config().admin())) {
            for (int partition = 0; partition < 2; partition++) {
                TopicPartition examples = new TopicPartition(CLUSTER.topic(Topic.EXAMPLES), partition);
                admin.deleteRecords(Map.of(examples, RecordsToDelete.beforeOffset(-1)))
                        .all()
                        .get();
            }
        }
        // models of both partitions; the one of the record that was deleted first is none of them
        for (String model : List.of("after1", "after2", "after3")) {
            sendPrediction(model);
            produce(model, 5);
        }
        assertThat(List.of("after1", "after2", "after3"))
                .allSatisfy(model -> assertThat(CLUSTER.failure(1, "verify " + model))
                        .contains("must be that of the record verify-examples-"));
        assertThat(CLUSTER.failure(1, "verify after1") + CLUSTER.failure(1, "verify after2"))
                .contains("must have all records of ")
                .contains("If the model had no records before, this is a difference: the event at");
    }

    private static void sendPrediction(String model) throws Exception {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(CLUSTER.config(Map.of()))) {
            String forged =
                    "{\"exampleId\":\"x\",\"label\":1,\"score\":1.5,\"updates\":3,\"examples\":301,\"epoch\":0}";
            producer.send(new ProducerRecord<>(CLUSTER.topic(Topic.PREDICTIONS), utf8(model), utf8(forged)))
                    .get();
        }
    }

    @Test
    void shouldSayThatNothingWasCompared() {
        CLUSTER.output("models set silent algorithm=pa-i --timeout 60");
        assertThat(CLUSTER.output("verify silent"))
                .contains("0 predictions, 0 mistakes, 0 counts: nothing to compare, the topics have no events of these"
                        + " records.");
    }

    @Test
    @Tag("full")
    void shouldFindEventsInATopicWithMorePartitionsThanTheExamples() throws Exception {
        SharedCluster wide = new SharedCluster("verify-wide");
        EngineConfig config = wide.config(Map.of("topics.partitions", "2"));
        EngineRunner engine = SharedCluster.startEngine(config);
        try {
            try (Admin admin = Admin.create(config.admin())) {
                admin.createPartitions(Map.of(wide.topic(Topic.PREDICTIONS), NewPartitions.increaseTo(7)))
                        .all()
                        .get();
            }
            for (int model = 0; model < 5; model++) {
                wide.output("models set m" + model + " algorithm=pa-i --timeout 60");
                wide.send("m" + model, "{\"label\":1,\"features\":[1]}", "{\"label\":-1,\"features\":[1]}");
                wide.output("models set m" + model + " algorithm=pa-i --timeout 60");
                assertThat(wide.output("verify m" + model)).contains("2 predictions, 2 mistakes, 0 counts: all equal.");
            }
        } finally {
            engine.close();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
