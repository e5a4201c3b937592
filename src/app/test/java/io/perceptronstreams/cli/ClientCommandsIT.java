package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client-side commands against a broker, without an engine. */
final class ClientCommandsIT {
    @TempDir
    static Path directory;

    private final SharedCluster cluster = new SharedCluster("client-commands");

    @Test
    void shouldCreateTopicsThatPassTheCheck() {
        SharedCluster cluster = new SharedCluster("created");
        cluster.failure(1, "topics check");
        assertThat(cluster.output().lines())
                .hasSize(8)
                .allMatch(line -> line.contains(" must exist, got no such topic ("));
        cluster.failure(1, "topics check --json");
        assertThat(cluster.output().lines())
                .hasSize(8)
                .anyMatch(line ->
                        line.startsWith("{\"topic\":\"created-examples\",\"faults\":[\"created-examples must exist,"));

        assertThat(cluster.output("topics create --partitions 2").lines())
                .hasSize(8)
                .allMatch(line -> line.endsWith(": created"));

        assertThat(cluster.output("topics check").lines()).hasSize(8).allMatch(line -> line.endsWith(": ok"));
        assertThat(cluster.output("topics check --json").lines())
                .hasSize(8)
                .allMatch(line -> line.endsWith(",\"faults\":[],\"notes\":[]}"));
        assertThat(cluster.output("config show --json"))
                .contains("{\"key\":\"topics.prefix\",\"value\":\"created\",\"origin\":\"command line\"}\n");

        assertThat(cluster.output("topics create").lines()).allMatch(line -> line.endsWith(": exists"));
    }

    // A producer's schema had a field of its own beside the features: only the log of the engine named it, once.
    @Test
    void shouldNameFieldsThatTheEngineIgnores() throws Exception {
        SharedCluster cluster = new SharedCluster("ignoring");
        cluster.output("topics create --partitions 2");
        Schema own = EventSchemas.schema("Example");
        List<Schema.Field> fields = new ArrayList<>();
        own.getFields().forEach(each -> fields.add(new Schema.Field(each, each.schema())));
        fields.add(new Schema.Field("amount", Schema.create(Schema.Type.DOUBLE)));
        GenericRecord example = Events.filled(Schema.createRecord("Example", null, own.getNamespace(), false, fields));
        send("ignoring-examples", "m", example);
        send("ignoring-examples", "m", example);

        String line =
                "ignoring-examples: fields \\[amount] of Example with schema id \\d+ are ignored: this version does not"
                        + " know them \\(values to learn from belong into features\\)";
        assertThat(cluster.output("topics check").lines())
                .hasSize(9)
                .last()
                .asString()
                .matches(line);
        assertThat(cluster.output("topics check --json").lines())
                .filteredOn(each -> each.contains("[amount]"))
                .singleElement()
                .asString()
                .startsWith("{\"topic\":\"ignoring-examples\",\"faults\":[],\"notes\":[\"ignoring-examples: fields ");
    }

    @Test
    void shouldProduceAFile() throws Exception {
        SharedCluster cluster = new SharedCluster("produced");
        Path file = Files.writeString(directory.resolve("f.libsvm"), "+1 1:0.5\n-1 2:1\n");
        assertThat(cluster.failure(1, "produce " + file + " --model m"))
                .isEqualTo(
                        "perceptron: topic produced-examples must exist, got none (perceptron topics create creates it)"
                                + System.lineSeparator());

        cluster.output("topics create");
        assertThat(cluster.output("produce " + file + " --model m --repeat 50 --json"))
                .startsWith("{\"model\":\"m\",\"topic\":\"produced-examples\",\"examples\":100,");
        assertThat(cluster.output()).contains(",\"refused\":null,\"waiting\":100,");
        assertThat(cluster.output("produce " + file + " --model m"))
                .contains("not known yet whether 2 of 2 examples are refused: no engine is running");
        assertThat(cluster.output("produce " + file + " --model m --timeout 0").lines())
                .hasSize(1);
    }

    // A label of many tags ended the command; which one it was, and whether the others were sent, was not said.
    @Test
    void shouldSendTheOtherLabelsWhereOneIsTooLargeForTheBrokers() throws Exception {
        SharedCluster cluster = new SharedCluster("narrow");
        cluster.output("topics create --partitions 1");
        try (Admin admin = Admin.create(cluster.config(Map.of()).admin())) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, "narrow-examples"),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", "2000"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        Path file = Files.writeString(
                directory.resolve("narrow.conllu"), sentence("s1", 3) + sentence("s2", 2_000) + sentence("s3", 3));

        for (String kind : List.of("--labels-only", "--batch 1")) {
            String errors = cluster.failure(1, "produce " + file + " --model m --timeout 0 " + kind);
            assertThat(cluster.output())
                    .startsWith("sent " + (kind.equals("--batch 1") ? "2 examples" : "0 examples and 2 labels"));
            assertThat(errors)
                    .matches(
                            "perceptron: records must fit into narrow-examples, got 1 too large, and sent the others; the first"
                                    + " is 's2' of \\d+ bytes: .* \\(cut it; or raise max.message.bytes of the topic and"
                                    + " -D producer.max.request.size\\)\\R");
        }
    }

    private static String sentence(String id, int tokens) {
        StringBuilder lines = new StringBuilder("# sent_id = " + id + "\n");
        for (int k = 1; k <= tokens; k++) {
            lines.append(k).append("\tw\tw\tNOUN\t_\t_\t0\t_\t_\t_\n");
        }
        return lines.append('\n').toString();
    }

    @Test
    void shouldSayThatNoEngineHasAnsweredACommand() {
        SharedCluster cluster = new SharedCluster("unanswered");
        cluster.output("topics create");

        assertThat(cluster.failure(1, "models set m h=1 eta=0.5 --timeout 0"))
                .contains("command is in the log at unanswered-examples-", ", but no engine has answered within 0 s");

        assertThat(cluster.output("models freeze m --no-wait"))
                .startsWith("FREEZE for m is in the log at unanswered-examples-");
        assertThat(cluster.output("models freeze m --no-wait --json"))
                .matches("\\{\"model\":\"m\",\"action\":\"FREEZE\",\"topic\":\"unanswered-examples\","
                        + "\"partition\":\\d,\"offset\":\\d}\\R");
    }

    @Test
    void shouldPrintThePositionOfWeightsAndDefaultsAsJson() throws Exception {
        SharedCluster cluster = new SharedCluster("positions");
        cluster.output("topics create --partitions 2");
        String topic = "\"topic\":\"positions-examples\",\"partition\":";
        assertThat(cluster.output("models defaults h=1 --no-wait --json").lines())
                .containsExactly(
                        "{\"model\":\"*\",\"action\":\"DEFAULTS\"," + topic + "0,\"offset\":0}",
                        "{\"model\":\"*\",\"action\":\"DEFAULTS\"," + topic + "1,\"offset\":0}");

        Path examples = Files.writeString(directory.resolve("positions.libsvm"), "+1 1:0.5\n-1 2:1\n");
        String weights = directory.resolve("positions.weights").toString();
        cluster.runAlone("fit", examples.toString(), "--output", weights);
        assertThat(cluster.output("weights import m " + weights + " --no-wait --json --yes"))
                .startsWith("{\"model\":\"m\",\"action\":\"IMPORT\"," + topic);
        assertThat(cluster.output("weights import m " + weights + " --comparator --no-wait --json"))
                .startsWith("{\"model\":\"m\",\"action\":\"COMPARATOR\"," + topic);
    }

    @Test
    void shouldListAndShowModels() throws Exception {
        SharedCluster cluster = new SharedCluster("listed");
        cluster.output("topics create");
        GenericRecord status = Events.filled(EventSchemas.schema("ModelStatus"));
        send("listed-models", "b", status);
        send("listed-models", "a", status);

        assertThat(cluster.output("models list --json").lines().map(line -> line.substring(0, 12)))
                .containsExactly("{\"model\":\"a\"", "{\"model\":\"b\"");
        assertThat(cluster.output("models list --sort errors --limit 1 --json").lines())
                .hasSize(1);
        assertThat(cluster.output("models list --state deleted --json")).isEmpty();
        // it said "0 mistakes of nosuch" and ended with 0
        assertThat(cluster.failure(1, "mistakes top nosuch"))
                .contains("model must exist, got 'nosuch' (perceptron models list shows all)");
        cluster.output("mistakes top b");
        assertThat(cluster.output("models show b")).contains("model: b", "state: LIVE");
        assertThat(cluster.failure(1, "models show c"))
                .contains("model must exist, got 'c' (perceptron models list shows all)");
    }

    @Test
    void shouldWatchFromTheBeginningToTheLimit() throws Exception {
        SharedCluster cluster = new SharedCluster("watched");
        cluster.output("topics create");
        for (String model : List.of("a", "b", "c", "b")) {
            send("watched-predictions", model, Events.filled(EventSchemas.schema("Prediction")));
        }

        assertThat(cluster.output("watch predictions --from-beginning --json --limit 2 --model b")
                        .lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"model\":\"b\","));
    }

    /** With Kafka's default it goes on at the end. */
    @Test
    void shouldGoOnWithTheOldestRecordWhereTheNextOneWasDeleted() throws Exception {
        SharedCluster cluster = new SharedCluster("deleted");
        cluster.output("topics create --partitions 1");
        EngineConfig config = cluster.config(Map.of());
        List<String> gaps = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        try (TopicScan tail = TopicScan.open(config, "deleted-alerts").reportingGaps(gap -> gaps.add(gap.toString()));
                Admin admin = Admin.create(config.admin())) {
            for (int k = 0; k < 3; k++) {
                send("deleted-alerts", "m", Events.filled(EventSchemas.schema("Alert")));
            }
            admin.deleteRecords(Map.of(new TopicPartition("deleted-alerts", 0), RecordsToDelete.beforeOffset(1)))
                    .all()
                    .get();

            await().until(() -> {
                tail.poll().forEach(record -> offsets.add(record.offset()));
                return offsets.size() == 2;
            });
        }
        assertThat(offsets).containsExactly(1L, 2L);
        assertThat(gaps)
                .containsExactly(
                        "deleted-alerts-0@0 was deleted before it was read (continuing with the oldest record, 1)");
    }

    @Test
    void shouldShowWeightsOrSayHowToPublishThem() throws Exception {
        SharedCluster cluster = new SharedCluster("weighed");
        cluster.output("topics create");
        // a snapshot of it would only become a dead letter
        assertThat(cluster.failure(1, "weights show m"))
                .contains("model must exist, got 'm'")
                .doesNotContain("snapshot");
        assertThat(cluster.failure(1, "weights show m@v1")).contains("model must exist, got 'm'");
        send("weighed-models", "m", Events.filled(EventSchemas.schema("ModelStatus")));
        assertThat(cluster.failure(1, "weights show m")).contains("(perceptron models snapshot m publishes them)");

        GenericRecord chunk = Events.filled(EventSchemas.schema("WeightsSnapshot"));
        chunk.put("chunk", 0);
        chunk.put("chunks", 1);
        ((GenericRecord) ((List<?>) chunk.get("vectors")).get(0)).put("name", "");
        send("weighed-weights", "m", chunk);

        assertThat(cluster.output("weights show m --json").strip())
                .isEqualTo(
                        "{\"model\":\"m\",\"epoch\":9007199254740993,\"updates\":9007199254740993,\"examples\":9007199254740993,"
                                + "\"labelled\":9007199254740993,\"mistakes\":9007199254740993,\"bias\":0.002,\"weights\":{\"7\":0.002},"
                                + "\"averagedBias\":0.002,\"averaged\":{\"7\":0.002},\"names\":{\"7\":\"é\\\"x\"}}");
    }

    private void send(String topic, String key, GenericRecord event) throws Exception {
        try (SchemaRegistry registry =
                        SchemaRegistries.of(cluster.config(Map.of()).registry());
                Producer<byte[], byte[]> producer = KafkaClients.producer(cluster.config(Map.of()))) {
            byte[] value = new EventWriter(event.getSchema(), registry.register(topic + "-value", event.getSchema()))
                    .write(event);
            producer.send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value))
                    .get();
        }
    }
}
