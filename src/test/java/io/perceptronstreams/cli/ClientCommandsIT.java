package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.Main;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.topology.TopicScan;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client-side commands against a broker, without an engine. */
final class ClientCommandsIT {
    private static final String REGISTRY = "mock://client-commands";

    @TempDir
    static Path directory;

    private static EmbeddedBroker broker;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.start(directory.resolve("broker"), 0);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void shouldCreateTopicsThatPassTheCheck() {
        assertThat(run("created", "topics", "check")).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(8)
                .allMatch(line -> line.contains(" must exist, got no such topic ("));
        assertThat(run("created", "topics", "check", "--json")).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(8)
                .anyMatch(line ->
                        line.startsWith("{\"topic\":\"created-examples\",\"faults\":[\"created-examples must exist,"));

        assertThat(run("created", "topics", "create", "--partitions", "2"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines()).hasSize(8).allMatch(line -> line.endsWith(": created"));

        assertThat(run("created", "topics", "check")).as(out.toString()).isZero();
        assertThat(out.toString().lines()).hasSize(8).allMatch(line -> line.endsWith(": ok"));
        assertThat(run("created", "topics", "check", "--json")).isZero();
        assertThat(out.toString().lines()).hasSize(8).allMatch(line -> line.endsWith(",\"faults\":[]}"));
        assertThat(run("created", "config", "show", "--json")).isZero();
        assertThat(out.toString())
                .contains("{\"key\":\"topics.prefix\",\"value\":\"created\",\"origin\":\"command line\"}\n");

        assertThat(run("created", "topics", "create")).isZero();
        assertThat(out.toString().lines()).allMatch(line -> line.endsWith(": exists"));
    }

    @Test
    void shouldProduceAFile() throws Exception {
        Path file = Files.writeString(directory.resolve("f.libsvm"), "+1 1:0.5\n-1 2:1\n");
        assertThat(run("produced", "produce", file.toString(), "--model", "m")).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo(
                        "perceptron: topic produced-examples must exist, got none (perceptron topics create creates it)"
                                + System.lineSeparator());

        run("produced", "topics", "create");
        assertThat(run("produced", "produce", file.toString(), "--model", "m", "--repeat", "50", "--json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).startsWith("{\"model\":\"m\",\"topic\":\"produced-examples\",\"examples\":100,");
        assertThat(out.toString()).contains(",\"refused\":null,\"waiting\":100,");
        assertThat(run("produced", "produce", file.toString(), "--model", "m")).isZero();
        assertThat(out.toString()).contains("not known yet whether 2 of 2 examples are refused: no engine is running");
        assertThat(run("produced", "produce", file.toString(), "--model", "m", "--timeout", "0"))
                .isZero();
        assertThat(out.toString().lines()).hasSize(1);
    }

    @Test
    void shouldSayThatNoEngineHasAnsweredACommand() {
        run("unanswered", "topics", "create");

        assertThat(run("unanswered", "models", "set", "m", "h=1", "eta=0.5", "--timeout", "0"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("command is in the log at unanswered-examples-", ", but no engine has answered within 0 s");

        assertThat(run("unanswered", "models", "freeze", "m", "--no-wait")).isZero();
        assertThat(out.toString()).startsWith("FREEZE for m is in the log at unanswered-examples-");
        assertThat(run("unanswered", "models", "freeze", "m", "--no-wait", "--json"))
                .isZero();
        assertThat(out.toString())
                .matches("\\{\"model\":\"m\",\"action\":\"FREEZE\",\"topic\":\"unanswered-examples\","
                        + "\"partition\":\\d,\"offset\":\\d}\\R");
    }

    @Test
    void shouldPrintThePositionOfWeightsAndDefaultsAsJson() throws Exception {
        run("positions", "topics", "create", "--partitions", "2");
        String topic = "\"topic\":\"positions-examples\",\"partition\":";
        assertThat(run("positions", "models", "defaults", "h=1", "--no-wait", "--json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "{\"model\":\"*\",\"action\":\"DEFAULTS\"," + topic + "0,\"offset\":0}",
                        "{\"model\":\"*\",\"action\":\"DEFAULTS\"," + topic + "1,\"offset\":0}");

        Path examples = Files.writeString(directory.resolve("positions.libsvm"), "+1 1:0.5\n-1 2:1\n");
        String weights = directory.resolve("positions.weights").toString();
        Main.run(
                new String[] {"fit", examples.toString(), "--output", weights},
                new PrintWriter(out),
                new PrintWriter(err));
        assertThat(run("positions", "weights", "import", "m", weights, "--no-wait", "--json", "--yes"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).startsWith("{\"model\":\"m\",\"action\":\"IMPORT\"," + topic);
        assertThat(run("positions", "weights", "import", "m", weights, "--comparator", "--no-wait", "--json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).startsWith("{\"model\":\"m\",\"action\":\"COMPARATOR\"," + topic);
    }

    @Test
    void shouldListAndShowModels() throws Exception {
        run("listed", "topics", "create");
        GenericRecord status = Events.filled(EventSchemas.schema("ModelStatus"));
        send("listed-models", "b", status);
        send("listed-models", "a", status);

        assertThat(run("listed", "models", "list", "--json")).as(err.toString()).isZero();
        assertThat(out.toString().lines().map(line -> line.substring(0, 12)))
                .containsExactly("{\"model\":\"a\"", "{\"model\":\"b\"");
        assertThat(run("listed", "models", "list", "--sort", "errors", "--limit", "1", "--json"))
                .isZero();
        assertThat(out.toString().lines()).hasSize(1);
        assertThat(run("listed", "models", "list", "--state", "deleted", "--json"))
                .isZero();
        assertThat(out.toString()).isEmpty();
        // it said "0 mistakes of nosuch" and ended with 0
        assertThat(run("listed", "mistakes", "top", "nosuch")).isEqualTo(1);
        assertThat(err.toString()).contains("model must exist, got 'nosuch' (perceptron models list shows all)");
        assertThat(run("listed", "mistakes", "top", "b")).isZero();
        assertThat(run("listed", "models", "show", "b")).isZero();
        assertThat(out.toString()).contains("model: b", "state: LIVE");
        assertThat(run("listed", "models", "show", "c")).isEqualTo(1);
        assertThat(err.toString()).contains("model must exist, got 'c' (perceptron models list shows all)");
    }

    @Test
    void shouldWatchFromTheBeginningToTheLimit() throws Exception {
        run("watched", "topics", "create");
        for (String model : List.of("a", "b", "c", "b")) {
            send("watched-predictions", model, Events.filled(EventSchemas.schema("Prediction")));
        }

        assertThat(run("watched", "watch", "predictions", "--from-beginning", "--json", "--limit", "2", "--model", "b"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"model\":\"b\","));
    }

    /** With Kafka's default it goes on at the end. */
    @Test
    void shouldGoOnWithTheOldestRecordWhereTheNextOneWasDeleted() throws Exception {
        run("deleted", "topics", "create", "--partitions", "1");
        EngineConfig config =
                EngineConfig.of(Map.of("bootstrap.servers", broker.bootstrapServers()), Map.of(), null, Map.of());
        List<String> gaps = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        try (TopicScan tail = TopicScan.open(config, "deleted-alerts").reportingGaps(gaps::add);
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
                        "deleted-alerts-0@0 was deleted before it was read (going on with the oldest record, 1)");
    }

    @Test
    void shouldShowWeightsOrSayHowToPublishThem() throws Exception {
        run("weighed", "topics", "create");
        assertThat(run("weighed", "weights", "show", "m")).isEqualTo(1);
        assertThat(err.toString()).contains("(perceptron models snapshot m publishes them)");

        GenericRecord chunk = Events.filled(EventSchemas.schema("WeightsSnapshot"));
        chunk.put("chunk", 0);
        chunk.put("chunks", 1);
        ((GenericRecord) ((List<?>) chunk.get("vectors")).get(0)).put("name", "");
        send("weighed-weights", "m", chunk);

        assertThat(run("weighed", "weights", "show", "m", "--json"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().strip())
                .isEqualTo(
                        "{\"model\":\"m\",\"epoch\":9007199254740993,\"updates\":9007199254740993,\"examples\":9007199254740993,"
                                + "\"labelled\":9007199254740993,\"mistakes\":9007199254740993,\"bias\":0.002,\"weights\":{\"7\":0.002},"
                                + "\"averagedBias\":0.002,\"averaged\":{\"7\":0.002},\"names\":{\"7\":\"é\\\"x\"}}");
    }

    private static void send(String topic, String key, GenericRecord event) throws Exception {
        try (SchemaRegistry registry = SchemaRegistry.of(Map.of("schema.registry.url", REGISTRY));
                Producer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            byte[] value = new EventWriter(event.getSchema(), registry.register(topic + "-value", event.getSchema()))
                    .write(event);
            producer.send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value))
                    .get();
        }
    }

    private int run(String prefix, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--bootstrap", broker.bootstrapServers(), "--registry", REGISTRY, "-D", "topics.prefix=" + prefix));
        return Main.run(all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
    }
}
