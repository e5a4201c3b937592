package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.cli.TopicWatcher;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Output of the commands that read topics. */
final class TopicReadersTest {
    private static final RecordMetadata SENT =
            new RecordMetadata(new TopicPartition("perceptron-examples", 7), 9007199254740993L, 0, 0, 0, 0);

    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://topic-tail"));
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void close() {
        consumer.close();
        registry.close();
    }

    @Test
    void shouldRefuseATopicThatIsNotThere() {
        assertThatExceptionOfType(StartupException.class)
                .isThrownBy(() -> TopicScan.open(consumer, "t"))
                .withMessage("topic t must exist, got none (perceptron topics create creates it)");
    }

    // Commands waited for ever where the broker was lost while they read.
    @Test
    void shouldEndWhereRecordsDoNotArrive() {
        TopicPartition partition = create("t", 2);
        TopicScan scan = TopicScan.open(consumer, "t").waiting(Duration.ZERO);

        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> scan.readAll(record -> {}))
                .withMessage("no record of t for 0 s");
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> scan.readLast(1, record -> {}));
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> scan.read(partition, 0, 2, record -> true));
    }

    /** The list had 9,995 of 10,000 refused labels, and would have had no more of a million. */
    @Test
    void shouldSayWhereThereAreMoreDeadLettersThanItCounts() {
        create("t", 3);
        TopicScan scan = TopicScan.open(consumer, "t").waiting(Duration.ZERO);
        for (long max = 2; max <= 3; max++) {
            consumer.schedulePollTask(() -> {
                for (long offset = 0; offset < 3; offset++) {
                    consumer.addRecord(Events.record("t", offset, "m", new byte[0]));
                }
            });
            StatusReader.Refused refused = StatusReader.Refused.of(scan, max);
            assertThat(refused.of("m")).isEqualTo(max == 2 ? "2+" : "3");
            assertThat(refused.of("other")).isEqualTo(max == 2 ? "0+" : "0");
        }
    }

    /** One partition had more, and all models had a + behind their number. */
    @Test
    void shouldSayItOfTheModelsOfThatPartition() {
        List<TopicPartition> both = List.of(new TopicPartition("t", 0), new TopicPartition("t", 1));
        consumer.updatePartitions(
                "t",
                both.stream()
                        .map(each -> new PartitionInfo("t", each.partition(), null, null, null))
                        .toList());
        consumer.updateBeginningOffsets(Map.of(both.get(0), 0L, both.get(1), 0L));
        consumer.updateEndOffsets(Map.of(both.get(0), 3L, both.get(1), 1L));
        TopicScan scan = TopicScan.open(consumer, "t").waiting(Duration.ZERO);
        consumer.schedulePollTask(() -> {
            for (long offset = 0; offset < 3; offset++) {
                consumer.addRecord(Events.record("t", 0, offset, 0, "m", new byte[0]));
            }
            consumer.addRecord(Events.record("t", 1, 0, 0, "d", new byte[0]));
        });
        // by murmur2 a and m are of partition 0, d of 1
        StatusReader.Refused refused = StatusReader.Refused.of(scan, 2);
        assertThat(List.of(refused.of("m"), refused.of("a"), refused.of("d"))).containsExactly("2+", "0+", "1");
    }

    @Test
    void shouldGoOnWhileRecordsArrive() {
        create("t", 2);
        TopicScan scan = TopicScan.open(consumer, "t").waiting(Duration.ZERO);
        consumer.setMaxPollRecords(1);
        consumer.schedulePollTask(() -> {
            consumer.addRecord(Events.record("t", 0, "m", new byte[0]));
            consumer.addRecord(Events.record("t", 1, "m", new byte[0]));
        });
        List<Long> offsets = new ArrayList<>();

        scan.readAll(record -> offsets.add(record.offset()));

        assertThat(offsets).containsExactly(0L, 1L);
    }

    @Test
    void shouldWatchPredictionsAsProgressiveLossAtPowersOfTwo() {
        byte[] right = prediction(true);
        byte[] wrong = prediction(false);

        watch(
                new TopicWatcher(Topic.PREDICTIONS, null, 5, false, false),
                Topic.PREDICTIONS,
                wrong,
                right,
                right,
                wrong,
                right,
                right);

        assertThat(rows())
                .containsExactly(
                        "examples labelled errors error rate since last score predicted",
                        "1 1 1 1.000000 1.000000 0.00200000 -1 (wrong)",
                        "2 2 1 0.500000 0.000000 0.00200000 -1",
                        "4 4 2 0.500000 0.500000 0.00200000 -1 (wrong)",
                        "5 5 2 0.400000 0.000000 0.00200000 -1");
    }

    @Test
    void shouldPrintHowSureAPredictionIs() {
        GenericRecord unsure = Events.filled(EventSchemas.schema("Prediction"));
        unsure.put("label", "no");
        unsure.put("probability", 0.897939);
        unsure.put("labelSet", List.of());
        unsure.put("decision", "yes");
        unsure.put("withheld", true);
        unsure.put("correct", false);
        byte[] both = value(unsure);
        unsure.put("labelSet", List.of("no"));
        unsure.put("decision", "no");
        unsure.put("withheld", false);
        unsure.put("correct", true);

        watch(new TopicWatcher(Topic.PREDICTIONS, null, 2, false, false), Topic.PREDICTIONS, both, value(unsure));

        assertThat(rows().get(1)).endsWith("no p=0.8979 unsure decision yes withheld (wrong)");
        assertThat(rows().get(2)).endsWith("no p=0.8979 decision no");
    }

    @Test
    void shouldEndAfterTheLimitInJsonToo() {
        watch(
                new TopicWatcher(Topic.PREDICTIONS, null, 2, true, false),
                Topic.PREDICTIONS,
                prediction(true),
                prediction(true),
                prediction(true));

        assertThat(out.toString().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"model\":\"m0\",") || line.startsWith("{\"model\":\"m1\","));
    }

    @Test
    void shouldPrintOnlyTheModelAskedFor() {
        watch(
                new TopicWatcher(Topic.PREDICTIONS, "m1", 1, true, false),
                Topic.PREDICTIONS,
                prediction(true),
                prediction(true),
                prediction(true));

        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .startsWith("{\"model\":\"m1\",\"partition\":0,\"offset\":1,");
    }

    @Test
    void shouldPrintTheEvidenceAfterEachMistake() {
        GenericRecord mistake = Events.filled(EventSchemas.schema("Mistake"));
        mistake.put("evidence", List.of());

        watch(new TopicWatcher(Topic.MISTAKES, null, 1, false, false).explained(), Topic.MISTAKES, value(mistake));

        assertThat(out.toString().lines()).hasSize(4).last().asString().contains(" margin, ");
    }

    @Test
    void shouldPrintMistakesOnATerminalAsRowsThatCannotMoveTheCursor() {
        GenericRecord mistake = Events.filled(EventSchemas.schema("Mistake"));
        mistake.put("exampleId", "e\u001b[2J");
        mistake.put("label", -1);
        mistake.put("predicted", null);
        mistake.put("mistakes", 3L);
        mistake.put("corrects", null);

        watch(new TopicWatcher(Topic.MISTAKES, null, 1, false, true), Topic.MISTAKES, value(mistake));

        assertThat(rows())
                .containsExactly(
                        "time (UTC) model example kind label predicted score mistakes",
                        "12:26:40.123 m0 e\uFFFD[2J mistake -1 - 0.0020000 3");

        mistake.put("corrects", 7L);
        watch(new TopicWatcher(Topic.MISTAKES, null, 1, false, true), Topic.MISTAKES, value(mistake));

        assertThat(rows()).last().asString().contains(" revised -1 ");
    }

    @Test
    void shouldPrintCountsOnATerminalAsRowsWithErrorRates() {
        GenericRecord count = Events.filled(EventSchemas.schema("MistakeCount"));
        count.put("windowStart", 1_600_000_000_000L);
        count.put("metrics", null);
        Map.of("examples", 40L, "labelled", 40L, "errors", 5L, "mistakes", 3L).forEach(count::put);
        Map.of("totalExamples", 200L, "totalLabelled", 40L, "totalErrors", 10L).forEach(count::put);

        watch(new TopicWatcher(Topic.COUNTS, null, 1, false, true), Topic.COUNTS, value(count));

        assertThat(rows())
                .containsExactly(
                        "from (UTC) model examples errors mistakes error majority same all examples error so far",
                        "12:26:40 m0 40 5 3 0.1250 - - 200 0.2500");
    }

    private List<String> rows() {
        return out.toString()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    @Test
    void shouldReadEventsWrittenAsJson() {
        String json = "{\"kind\":\"QUARANTINED\",\"message\":\"x\",\"partition\":1,\"offset\":2,\"updates\":3}";

        watch(
                new TopicWatcher(Topic.ALERTS, null, 1, true, false),
                Topic.ALERTS,
                json.getBytes(StandardCharsets.UTF_8));

        List<Schema.Field> fields = EventSchemas.schema(Topic.ALERTS).getFields();
        assertThat(out.toString().strip())
                .endsWith(
                        "\"kind\":\"QUARANTINED\",\"message\":\"x\",\"sourcePartition\":1,\"sourceOffset\":2,\"updates\":3,"
                                + fields.subList(5, fields.size()).stream()
                                        .map(field -> "\"" + field.name() + "\":null")
                                        .collect(Collectors.joining(","))
                                + "}");
    }

    @Test
    void shouldSkipWhatIsNoEventAndSayWhereItLies() {
        watch(
                new TopicWatcher(Topic.PREDICTIONS, null, 1, true, false),
                Topic.PREDICTIONS,
                new byte[] {9},
                prediction(true));

        assertThat(err.toString()).startsWith("perceptron: perceptron-predictions-0@0: value must ");
        assertThat(out.toString().lines()).hasSize(1);
    }

    // It went on at the end, without a word.
    @Test
    void shouldGoOnWithTheOldestRecordWhereTheNextOneWasDeleted() {
        TopicScan scan = scan("perceptron-predictions");
        consumer.updateBeginningOffsets(Map.of(new TopicPartition("perceptron-predictions", 0), 5L));
        consumer.schedulePollTask(
                () -> consumer.addRecord(Events.record("perceptron-predictions", 5, "m", prediction(true))));
        // the consumer of the test drops its records with the failure
        consumer.schedulePollTask(
                () -> consumer.addRecord(Events.record("perceptron-predictions", 6, "m", prediction(true))));

        run(
                new TopicWatcher(Topic.PREDICTIONS, null, 1, true, false),
                scan,
                EventReader.of(Topic.PREDICTIONS, registry));

        assertThat(out.toString().lines()).hasSize(1);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines("perceptron: perceptron-predictions-0@0 was deleted before it was read"
                        + " (continuing with the oldest record, 5)");
    }

    @Test
    void shouldKeepTheLastStatusOfEveryModel() {
        TopicScan scan = scan("perceptron-models");
        add(0, "b", value(status("FROZEN")));
        add(1, "a", value(status("LIVE")));
        add(2, "gone", value(status("LIVE")));
        add(3, "b", value(status("LIVE")));
        add(4, "gone", null);
        consumer.updateEndOffsets(Map.of(new TopicPartition("perceptron-models", 0), 5L));

        Map<String, StatusReader.Latest> latest =
                StatusReader.latest(scan, EventReader.of(ModelStatus.class, registry));

        assertThat(latest).containsOnlyKeys("a", "b");
        assertThat(latest.get("b").status().getState()).hasToString("LIVE");
    }

    @Test
    void shouldTakeTheStatusOfTheCommandsPlaceAsItsAnswer() {
        TopicScan scan = scan("perceptron-models");
        ModelStatus earlier = status("LIVE");
        earlier.setOffset(3L);
        add(0, "m", value(earlier));
        add(1, "m", value(status("FROZEN")));

        assertThat(await(scan))
                .singleElement()
                .satisfies(answer -> assertThat(answer.status().getState()).hasToString("FROZEN"));
    }

    @Test
    void shouldReportARefusalWithItsReason() {
        TopicScan scan = scan("perceptron-dead-letters");
        ConsumerRecord<byte[], byte[]> letter = Events.record("perceptron-dead-letters", 0, "m", null);
        Map.of(
                        "perceptron-reason", "INVALID_COMMAND",
                        "__streams.errors.message", "h must be >= 0, got -1",
                        "__streams.errors.topic", "perceptron-examples",
                        "__streams.errors.partition", "7",
                        "__streams.errors.offset", "9007199254740993")
                .forEach((name, value) -> letter.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        consumer.addRecord(letter);

        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> await(scan))
                .withMessage(
                        "command was refused: h must be >= 0, got -1 (INVALID_COMMAND, perceptron-examples-7@9007199254740993)");
    }

    @Test
    void shouldSayThatTheCommandIsInTheLogWhereNoEngineAnswers() {
        TopicScan scan = scan("perceptron-models");

        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> await(scan))
                .withMessageStartingWith(
                        "command is in the log at perceptron-examples-7@9007199254740993, but no engine has answered");
    }

    /** Watches values of the models m0, m1 and so on. */
    private void watch(TopicWatcher watcher, Topic topic, byte[]... values) {
        String name = topic.name("perceptron");
        TopicScan scan = scan(name);
        for (int i = 0; i < values.length; i++) {
            consumer.addRecord(Events.record(name, i, "m" + i, values[i]));
        }
        run(watcher, scan, EventReader.of(topic, registry));
    }

    private void run(TopicWatcher watch, TopicScan scan, EventReader<? extends IndexedRecord> events) {
        try (ShutdownSignal stop = new ShutdownSignal(() -> {})) {
            watch.run(scan, events, stop, new PrintWriter(out), new PrintWriter(err, true));
        }
    }

    private void add(long offset, String model, byte[] status) {
        consumer.addRecord(Events.record("perceptron-models", offset, model, status));
    }

    private TopicScan scan(String topic) {
        create(topic, 0);
        return TopicScan.open(consumer, topic);
    }

    private TopicPartition create(String topic, long end) {
        TopicPartition partition = new TopicPartition(topic, 0);
        consumer.updatePartitions(topic, List.of(new PartitionInfo(topic, 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(partition, 0L));
        consumer.updateEndOffsets(Map.of(partition, end));
        return partition;
    }

    private byte[] value(IndexedRecord event) {
        Schema schema = event.getSchema();
        return new EventWriter(schema, registry.register("s", schema)).write(event);
    }

    private byte[] prediction(boolean isCorrect) {
        GenericRecord prediction = Events.filled(EventSchemas.schema("Prediction"));
        prediction.put("label", -1);
        prediction.put("correct", isCorrect);
        List.of("probability", "labelSet", "decision").forEach(field -> prediction.put(field, null));
        return value(prediction);
    }

    private static ModelStatus status(String state) {
        ModelStatus status = Events.filled(ModelStatus.class);
        status.setState(ModelState.valueOf(state));
        return status;
    }

    private List<StatusReader.Latest> await(TopicScan scan) {
        return new CommandSender(EngineConfig.of(Map.of(), Map.of(), null, Map.of()))
                .await(scan, EventReader.of(ModelStatus.class, registry), List.of(SENT), "m"::equals, 0);
    }
}
