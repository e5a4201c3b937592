package io.perceptronstreams.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.event.PredictionBatch;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.AnswerBudgets;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventAnswer.Outcome;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.LogLines;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events sent to the log and their answers, with simulated clients. */
final class LogGatewayTest {
    private static final int NEVER_MS = 60_000;
    private static final int SOON_MS = 200;
    private static final TopicPartition PREDICTIONS = new TopicPartition("perceptron-predictions", 0);
    private static final TopicPartition MODELS = new TopicPartition("perceptron-models", 0);
    private static final TopicPartition DEAD_LETTERS = new TopicPartition("perceptron-dead-letters", 0);

    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://gateway"));
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("latest");
    private final AtomicLong now = new AtomicLong();
    private MockProducer<byte[], byte[]> producer;
    private int examplePartitions;
    private CommandSigner signer = signer(Map.of());
    private LogGateway gateway;

    private static CommandSigner signer(Map<String, String> settings) {
        return new CommandSigner(EngineConfig.of(settings, Map.of(), null, Map.of()));
    }

    @AfterEach
    void close() {
        gateway.close();
        registry.close();
    }

    private void open(int timeoutMs, boolean isAcknowledging) {
        open(timeoutMs, isAcknowledging, () -> consumer);
    }

    private void open(int timeoutMs, boolean isAcknowledging, Supplier<Consumer<byte[], byte[]>> consumers) {
        String examples = Topic.EXAMPLES.name("perceptron");
        Cluster cluster = new Cluster(
                null,
                List.of(),
                IntStream.range(0, examplePartitions)
                        .mapToObj(each -> new PartitionInfo(examples, each, null, null, null))
                        .toList(),
                Set.of(),
                Set.of());
        producer = new MockProducer<>(
                cluster, isAcknowledging, null, new ByteArraySerializer(), new ByteArraySerializer());
        for (Topic topic : List.of(Topic.EXAMPLES, Topic.PREDICTIONS, Topic.MODELS, Topic.DEAD_LETTERS)) {
            String name = topic.name("perceptron");
            consumer.updatePartitions(name, List.of(new PartitionInfo(name, 0, null, null, null)));
            consumer.updateEndOffsets(Map.of(new TopicPartition(name, 0), 0L));
        }
        gateway = new LogGateway("perceptron", timeoutMs, producer, signer, consumers, registry, now::get);
        gateway.start();
    }

    private CompletableFuture<List<EventAnswer>> send(int count, boolean isWaiting) {
        return send(count, isWaiting, AnswerBudget.UNLIMITED);
    }

    private CompletableFuture<List<EventAnswer>> send(int count, boolean isWaiting, AnswerBudget budget) {
        return send(
                "[" + "{\"features\":[1]},".repeat(count - 1) + "{\"features\":[1]}]",
                Purpose.PREDICT,
                isWaiting,
                budget);
    }

    private CompletableFuture<List<EventAnswer>> send(
            String json, Purpose purpose, boolean isWaiting, AnswerBudget budget) {
        return gateway.send(
                "m",
                new JsonBatchReader()
                        .read(json.getBytes(StandardCharsets.UTF_8), purpose)
                        .events(),
                isWaiting,
                budget);
    }

    private List<ProducerRecord<byte[], byte[]>> sent(int count) {
        await().until(() -> producer.history().size() == count);
        return producer.history();
    }

    private void answer(TopicPartition partition, long offset, ProducerRecord<byte[], byte[]> example, String json) {
        answer(partition, offset, example, json.getBytes(StandardCharsets.UTF_8));
    }

    private void answer(TopicPartition partition, long offset, ProducerRecord<byte[], byte[]> example, byte[] value) {
        ConsumerRecord<byte[], byte[]> answer =
                Events.record(partition.topic(), partition.partition(), offset, 0, "m", value);
        example.headers().forEach(answer.headers()::add);
        consumer.addRecord(answer);
    }

    private static String prediction(String id) {
        return "{\"exampleId\":\"" + id + "\",\"label\":1,\"score\":0.5,\"updates\":1,\"examples\":2}";
    }

    private static String header(ProducerRecord<byte[], byte[]> record) {
        return new String(record.headers().lastHeader("perceptron-request").value(), StandardCharsets.UTF_8);
    }

    /** The dead letter of one or more examples of several. */
    private void refuse(long offset, ProducerRecord<byte[], byte[]> record, Integer... examples) {
        ConsumerRecord<byte[], byte[]> letter =
                Events.record(DEAD_LETTERS.topic(), DEAD_LETTERS.partition(), offset, 0, "m", new byte[] {'{', '}'});
        record.headers().forEach(letter.headers()::add);
        letter.headers()
                .add("perceptron-reason", "INVALID_LABEL".getBytes(StandardCharsets.UTF_8))
                .add(
                        DeadLetter.BATCH_INDEX,
                        DeadLetter.toText(List.of(examples)).getBytes(StandardCharsets.UTF_8));
        consumer.addRecord(letter);
    }

    @Test
    void shouldGiveEachRequestItsOwnAnswer() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> first = send(1, true);
        sent(1);
        CompletableFuture<List<EventAnswer>> second = send(1, true);
        List<ProducerRecord<byte[], byte[]>> examples = sent(2);
        assertThat(examples)
                .extracting(LogGatewayTest::header)
                .doesNotHaveDuplicates()
                .allMatch(header -> header.matches("[0-9a-f]{32}-0"));
        assertThat(new String(examples.get(0).value(), StandardCharsets.UTF_8)).isEqualTo("{\"features\":[1]}");

        answer(PREDICTIONS, 0, examples.get(1), prediction("b"));
        assertThat(second.join().get(0).event()).startsWith("{\"exampleId\":\"b\",");
        assertThat(first).isNotDone();
        answer(DEAD_LETTERS, 0, examples.get(0), "{}");

        assertThat(first.join().get(0).outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(second.join().get(0).place()).isEqualTo(new EventAnswer.Place(0, 1, null));
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldSendTheExamplesOfARequestInOneRecord() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(4, true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        assertThat(new String(record.value(), StandardCharsets.UTF_8))
                .isEqualTo("[{\"features\":[1]},{\"features\":[1]},{\"features\":[1]},{\"features\":[1]}]");
        assertThat(gateway.waiting()).isEqualTo(4);

        // more than 512 KiB of predictions are several events; which example one is of is known at the last letter
        answer(PREDICTIONS, 0, record, "[" + prediction("a") + "," + prediction("c") + "]");
        answer(PREDICTIONS, 1, record, "[" + prediction("d") + "]");
        assertThat(result).isNotDone();
        refuse(0, record, 1);

        List<EventAnswer> answers = result.join();
        assertThat(answers)
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.PREDICTED, Outcome.REJECTED, Outcome.PREDICTED, Outcome.PREDICTED);
        assertThat(answers.get(0).event()).startsWith("{\"exampleId\":\"a\",");
        assertThat(answers.get(1).reason()).isEqualTo("INVALID_LABEL");
        assertThat(answers.get(2).event()).startsWith("{\"exampleId\":\"c\",");
        assertThat(answers.get(3).event()).startsWith("{\"exampleId\":\"d\",");
        assertThat(answers).extracting(answer -> answer.place().offset()).containsOnly(0L);
        assertThat(answers).extracting(answer -> answer.place().index()).containsExactly(0, 1, 2, 3);
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldReadPredictionsOfARecordThatComeOneByOne() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(2, true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        answer(PREDICTIONS, 0, record, prediction("a"));
        answer(PREDICTIONS, 1, record, prediction("b"));

        assertThat(result.join()).extracting(EventAnswer::outcome).containsOnly(Outcome.PREDICTED);
        assertThat(result.join().get(1).event()).startsWith("{\"exampleId\":\"b\",");
    }

    @Test
    void shouldRefuseAllExamplesOfARecordThatIsRefused() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(3, true);
        answer(DEAD_LETTERS, 0, sent(1).get(0), "[]");

        assertThat(result.join()).extracting(EventAnswer::outcome).containsOnly(Outcome.REJECTED);
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldSendWhatIsTooLargeForARecordInSeveral() {
        open(NEVER_MS, true);
        String large = "{\"id\":\"" + "x".repeat(200) + "\",\"features\":[" + "1,".repeat(100_000) + "1]}";
        CompletableFuture<List<EventAnswer>> result =
                send("[" + String.join(",", large, large, large) + "]", Purpose.PREDICT, true, AnswerBudget.UNLIMITED);
        List<ProducerRecord<byte[], byte[]>> records = sent(2);
        assertThat(records.get(0).value()).startsWith('[').hasSizeLessThan(512 * 1024);
        assertThat(records.get(1).value()).startsWith('{');
        assertThat(records).extracting(record -> header(record).substring(32)).containsExactly("-0", "-2");

        answer(PREDICTIONS, 0, records.get(1), prediction("c"));
        answer(PREDICTIONS, 1, records.get(0), "[" + prediction("a") + "," + prediction("b") + "]");
        assertThat(result.join())
                .extracting(EventAnswer::place)
                .containsExactly(
                        new EventAnswer.Place(0, 0, 0),
                        new EventAnswer.Place(0, 0, 1),
                        new EventAnswer.Place(0, 1, null));
        assertThat(result.join().get(2).event()).startsWith("{\"exampleId\":\"c\",");
    }

    @Test
    void shouldSendEachLabelInARecordOfItsOwn() {
        open(NEVER_MS, true);
        String labels = "[{\"exampleId\":\"a\",\"label\":1},{\"exampleId\":\"b\",\"label\":1}]";
        send(labels, Purpose.LABEL, false, AnswerBudget.UNLIMITED).join();

        assertThat(sent(2)).allSatisfy(record -> assertThat(record.value()).startsWith('{'));
    }

    private CompletableFuture<List<EventAnswer>> command(String model, String json, boolean isWaiting) {
        return gateway.send(
                model,
                new JsonBatchReader()
                        .read(json.getBytes(StandardCharsets.UTF_8), Purpose.COMMAND)
                        .events(),
                isWaiting,
                AnswerBudget.UNLIMITED);
    }

    /** A status, caused by a record. */
    private void status(long offset, ProducerRecord<byte[], byte[]> record, String key, String cause) {
        ModelStatus status = Events.filled(ModelStatus.class);
        status.put("cause", cause);
        ConsumerRecord<byte[], byte[]> answer = Events.record(
                MODELS.topic(), 0, offset, 0, key, EventJson.text(status).getBytes(StandardCharsets.UTF_8));
        record.headers().forEach(answer.headers()::add);
        consumer.addRecord(answer);
    }

    @Test
    void shouldAnswerACommandWithTheStatusThatItCauses() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = command("m", "{\"action\":\"CONFIGURE\"}", true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        assertThat(record.value()).isEqualTo("{\"action\":\"CONFIGURE\"}".getBytes(StandardCharsets.UTF_8));
        // it may be the first record after the time at which models are idle for too long, also this one
        status(0, record, "other", "EXPIRED");
        status(1, record, "m", "EXPIRED");
        status(2, record, "other", "IDLE");
        await().until(() -> consumer.position(MODELS) == 3);
        assertThat(result).isNotDone();
        status(3, record, "m", "CONFIGURE");

        EventAnswer answer = result.join().get(0);
        assertThat(answer.outcome()).isEqualTo(Outcome.EXECUTED);
        assertThat(answer.place()).isEqualTo(new EventAnswer.Place(0, 0, null));
        assertThat(answer.event()).contains("\"cause\":\"CONFIGURE\"").contains("\"sourceOffset\":");
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldNotTakeTheStatusAfterAnExampleForItsPrediction() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(1, true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        status(0, record, "m", "FIRST_EXAMPLE");
        answer(PREDICTIONS, 0, record, prediction("a"));

        assertThat(result.join().get(0).outcome()).isEqualTo(Outcome.PREDICTED);
    }

    @Test
    void shouldSayWhyACommandWasRefusedAndWithWhichCommandItIsNot() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = command("m", "{\"action\":\"CONFIGURE\"}", true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        ConsumerRecord<byte[], byte[]> letter =
                Events.record(DEAD_LETTERS.topic(), 0, 0, 0, "m", new byte[] {'{', '}'});
        record.headers().forEach(letter.headers()::add);
        letter.headers()
                .add("perceptron-reason", "INVALID_COMMAND".getBytes(StandardCharsets.UTF_8))
                .add(
                        "__streams.errors.message",
                        "algorithm must stay (reset with algorithm=pa)".getBytes(StandardCharsets.UTF_8));
        consumer.addRecord(letter);

        EventAnswer answer = result.join().get(0);
        assertThat(answer.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(answer.reason()).isEqualTo("INVALID_COMMAND");
        assertThat(answer.error()).isEqualTo("algorithm must stay (perceptron models reset m algorithm=pa --yes)");
    }

    @Test
    void shouldSignCommandsAndNothingElse() {
        String key = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=";
        signer = signer(Map.of("commands.key", key));
        open(NEVER_MS, true);
        command("m", "{\"action\":\"RESET\"}", false).join();
        command("m", "{\"action\":\"FREEZE\"}", false).join();
        send(1, false).join();

        List<CommandSignature> signatures = new ArrayList<>();
        List<ProducerRecord<byte[], byte[]>> records = sent(3);
        for (ProducerRecord<byte[], byte[]> record : records.subList(0, 2)) {
            CommandSignature signature = CommandSignature.decode(
                    record.headers().lastHeader(CommandSignature.HEADER).value());
            assertThat(signature.isOf(key, record.key(), null, record.value())).isTrue();
            signatures.add(signature);
        }
        assertThat(signatures.get(1).timeMicros())
                .isGreaterThan(signatures.get(0).timeMicros());
        assertThat(records.get(2).headers().lastHeader(CommandSignature.HEADER)).isNull();
    }

    @Test
    void shouldSendACommandForAllModelsToComeToEachPartition() {
        examplePartitions = 2;
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = command("*", "{\"action\":\"DEFAULTS\"}", true);
        List<ProducerRecord<byte[], byte[]>> records = sent(2);
        assertThat(records).extracting(ProducerRecord::partition).containsExactly(0, 1);
        assertThat(records).extracting(LogGatewayTest::header).doesNotHaveDuplicates();
        status(0, records.get(1), "*/1", "DEFAULTS");
        await().until(() -> consumer.position(MODELS) == 1);
        assertThat(result).isNotDone();
        status(1, records.get(0), "*/0", "DEFAULTS");

        assertThat(result.join()).extracting(EventAnswer::outcome).containsOnly(Outcome.EXECUTED);
        assertThat(result.join())
                .extracting(answer -> answer.place().partition())
                .containsExactly(0, 1);
    }

    @Test
    void shouldAnswerTheExamplesOfARecordOfWhichAnAnswerIsMissing() {
        open(2_000, true);
        CompletableFuture<List<EventAnswer>> result = send(3, true);
        refuse(0, sent(1).get(0), 2);

        assertThat(result.join())
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.UNANSWERED, Outcome.UNANSWERED, Outcome.REJECTED);
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldAnswerAllExamplesThatShareADeadLetter() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(4, true);
        ProducerRecord<byte[], byte[]> record = sent(1).get(0);
        refuse(0, record, 0);
        refuse(1, record, 1, 3);
        answer(PREDICTIONS, 0, record, "[" + prediction("c") + "]");

        assertThat(result.join())
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.REJECTED, Outcome.REJECTED, Outcome.PREDICTED, Outcome.REJECTED);
    }

    // The reader of answers took the object for one Prediction: a ClassCastException ended all requests that waited.
    @Test
    void shouldAnswerOtherRequestsBesideARecordOfSeveralPredictions() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> first = send(1, true);
        sent(1);
        CompletableFuture<List<EventAnswer>> second = send(1, true);
        List<ProducerRecord<byte[], byte[]>> examples = sent(2);
        Schema schema = EventSchemas.schema("PredictionBatch");
        Prediction prediction = Events.filled(Prediction.class);
        byte[] several = new EventWriter(schema, registry.register("several", schema))
                .write(new PredictionBatch(List.of(prediction, prediction)));

        answer(PREDICTIONS, 0, examples.get(0), several);
        answer(PREDICTIONS, 1, examples.get(1), prediction("b"));

        assertThat(second.join().get(0).outcome()).isEqualTo(Outcome.PREDICTED);
        assertThat(first).isDone();
    }

    /** Eight requests for many scores took all memory. */
    @Test
    void shouldLeaveOutPredictionsForWhichTheBudgetIsTooSmall() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(3, true, AnswerBudgets.of(8_500));
        // 2,000 characters, counted three times
        String large = prediction("x".repeat(2_000));
        answer(PREDICTIONS, 0, sent(1).get(0), "[" + String.join(",", large, prediction("b"), large) + "]");

        List<EventAnswer> answers = result.join();
        assertThat(answers)
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.PREDICTED, Outcome.PREDICTED, Outcome.OMITTED);
        assertThat(answers.get(2).place().index()).isEqualTo(2);
        assertThat(answers.get(2).error())
                .contains("an answer must have at most 8500 bytes")
                .contains("ask for fewer examples")
                .contains("do not send it again");
    }

    @Test
    void shouldOnlyWaitForTheAcknowledgementIfNotAskedForPredictions() {
        open(NEVER_MS, true);

        assertThat(send(2, false).join()).extracting(EventAnswer::outcome).containsOnly(Outcome.ACKNOWLEDGED);
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldNotClaimAnAnswerThatIsNotThereInTime() {
        open(SOON_MS, true);

        EventAnswer answer = send(1, true).join().get(0);

        assertThat(answer.outcome()).isEqualTo(Outcome.UNANSWERED);
        assertThat(answer.place().offset()).isZero();
        assertThat(answer.error()).contains("do not send it again");
        assertThat(gateway.waiting()).isZero();
    }

    @Test
    void shouldSayThatAnEventMayBeInTheLogIfItIsNotAcknowledged() {
        open(SOON_MS, false);

        EventAnswer answer = send(1, true).join().get(0);

        assertThat(answer.outcome()).isEqualTo(Outcome.NOT_ACKNOWLEDGED);
        assertThat(answer.error()).contains("it may be in the log nevertheless");
        assertThat(producer.history()).hasSize(1);
    }

    @Test
    void shouldLogTheFaultOfTheBrokerAndNameItsKindToTheClient() {
        open(NEVER_MS, false);
        try (LogLines log = new LogLines(LogGateway.class)) {
            CompletableFuture<List<EventAnswer>> result = send(1, true);
            sent(1);
            assertThat(producer.errorNext(new KafkaException("the disk is full")))
                    .isTrue();

            assertThat(result.join().get(0).outcome()).isEqualTo(Outcome.NOT_ACKNOWLEDGED);
            assertThat(result.join().get(0).error())
                    .contains("got KafkaException, whose message is in the log of the server")
                    .doesNotContain("disk");
            assertThat(log.lines()).singleElement().asString().contains("got KafkaException: the disk is full");
        }
    }

    // It said that the event may be in the log, and to send it again.
    @Test
    void shouldSayThatARecordIsTooLargeForTheBrokers() {
        open(NEVER_MS, false);
        CompletableFuture<List<EventAnswer>> result = send(1, false);
        sent(1);
        assertThat(producer.errorNext(new RecordTooLargeException("larger than 100")))
                .isTrue();

        EventAnswer answer = result.join().get(0);
        assertThat(answer.outcome()).isEqualTo(Outcome.TOO_LARGE);
        assertThat(answer.outcome().status()).isEqualTo(413);
        assertThat(answer.error())
                .matches(
                        "event must fit into a record of the examples topic, got \\d+ bytes \\(it is not in the log: cut it,"
                                + " or raise max.message.bytes of the topic and producer.max.request.size of this program\\)");
    }

    @Test
    void shouldSendNothingBeforeTheAnswersCanBeRead() {
        AtomicInteger attempts = new AtomicInteger();
        open(SOON_MS, true, () -> {
            attempts.incrementAndGet();
            throw new KafkaException("no broker listens");
        });

        EventAnswer answer = send(1, true).join().get(0);
        assertThat(answer.outcome()).isEqualTo(Outcome.NOT_ACKNOWLEDGED);
        assertThat(answer.error()).contains("nothing was sent");
        await().until(() -> attempts.get() > 1);
        // now at once
        assertThat(send(1, true).join().get(0).error()).contains("got KafkaException, whose message");
        assertThat(producer.history()).isEmpty();
    }

    @Test
    void shouldNotReadWithoutRequestsAndStartAtTheEndWithTheNext() {
        open(NEVER_MS, true);
        send(1, false).join();
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        send(1, false).join();
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertThat(gateway.isReading()).isTrue();

        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        await().until(() -> !gateway.isReading());
        consumer.updateEndOffsets(Map.of(PREDICTIONS, 1_000L));

        CompletableFuture<List<EventAnswer>> result = send(1, true);
        ProducerRecord<byte[], byte[]> example = sent(3).get(2);
        assertThat(consumer.position(PREDICTIONS)).isEqualTo(1_000);
        answer(PREDICTIONS, 1_000, example, prediction("a"));
        assertThat(result.join().get(0).outcome()).isEqualTo(Outcome.PREDICTED);
    }

    @Test
    void shouldPositionTheConsumerAgainAfterAFault() {
        AtomicInteger attempts = new AtomicInteger();
        open(NEVER_MS, true, () -> {
            if (attempts.incrementAndGet() == 1) {
                throw new KafkaException("no broker listens");
            }
            return consumer;
        });
        await().until(() -> attempts.get() > 1);

        await().until(() -> send(1, false).join().get(0).outcome() == Outcome.ACKNOWLEDGED);
    }
}
