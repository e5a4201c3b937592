package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.event.PredictionBatch;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.AnswerBudgets;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventAnswer.Outcome;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
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
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events sent to the log and their answers, with simulated clients. */
final class LogGatewayTest {
    private static final int NEVER_MS = 60_000;
    private static final int SOON_MS = 200;
    private static final TopicPartition PREDICTIONS = new TopicPartition("perceptron-predictions", 0);
    private static final TopicPartition DEAD_LETTERS = new TopicPartition("perceptron-dead-letters", 0);

    private final SchemaRegistry registry = SchemaRegistry.of(Map.of("schema.registry.url", "mock://gateway"));
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("latest");
    private final AtomicLong now = new AtomicLong();
    private MockProducer<byte[], byte[]> producer;
    private LogGateway gateway;

    @AfterEach
    void close() {
        gateway.close();
        registry.close();
    }

    private void open(int timeoutMs, boolean isAcknowledging) {
        open(timeoutMs, isAcknowledging, () -> consumer);
    }

    private void open(int timeoutMs, boolean isAcknowledging, Supplier<Consumer<byte[], byte[]>> consumers) {
        producer = new MockProducer<>(
                Cluster.empty(), isAcknowledging, null, new ByteArraySerializer(), new ByteArraySerializer());
        for (Topic topic : List.of(Topic.EXAMPLES, Topic.PREDICTIONS, Topic.DEAD_LETTERS)) {
            String name = topic.name("perceptron");
            consumer.updatePartitions(name, List.of(new PartitionInfo(name, 0, null, null, null)));
            consumer.updateEndOffsets(Map.of(new TopicPartition(name, 0), 0L));
        }
        gateway = new LogGateway("perceptron", timeoutMs, producer, consumers, registry, now::get);
        gateway.start();
    }

    private CompletableFuture<List<EventAnswer>> send(int count, boolean isWaiting) {
        return send(count, isWaiting, AnswerBudget.UNLIMITED);
    }

    private CompletableFuture<List<EventAnswer>> send(int count, boolean isWaiting, AnswerBudget budget) {
        String json = "[" + "{\"features\":[1]},".repeat(count - 1) + "{\"features\":[1]}]";
        return gateway.send(
                "m",
                new JsonBatchReader()
                        .read(json.getBytes(StandardCharsets.UTF_8), Purpose.PREDICT)
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

    @Test
    void shouldGiveEachEventItsOwnAnswer() {
        open(NEVER_MS, true);
        CompletableFuture<List<EventAnswer>> result = send(3, true);
        List<ProducerRecord<byte[], byte[]>> examples = sent(3);
        assertThat(examples)
                .extracting(example -> new String(
                        example.headers().lastHeader("perceptron-request").value(), StandardCharsets.UTF_8))
                .doesNotHaveDuplicates()
                .allMatch(header -> header.matches("[0-9a-f]{32}-[012]"));

        answer(PREDICTIONS, 0, examples.get(2), prediction("c"));
        answer(DEAD_LETTERS, 0, examples.get(1), "{}");
        assertThat(result).isNotDone();
        answer(PREDICTIONS, 1, examples.get(0), prediction("a"));

        List<EventAnswer> answers = result.join();
        assertThat(answers)
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.PREDICTED, Outcome.REJECTED, Outcome.PREDICTED);
        assertThat(answers.get(0).prediction()).startsWith("{\"exampleId\":\"a\",");
        assertThat(answers.get(2).prediction()).startsWith("{\"exampleId\":\"c\",");
        assertThat(answers).extracting(answer -> answer.place().offset()).containsExactly(0L, 1L, 2L);
        assertThat(gateway.waiting()).isZero();
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
        CompletableFuture<List<EventAnswer>> result = send(3, true, AnswerBudgets.of(8_000));
        List<ProducerRecord<byte[], byte[]>> examples = sent(3);
        for (int k = 0; k < 3; k++) {
            // 2,000 characters, counted three times
            String name = k == 1 ? "b" : "x".repeat(2_000);
            answer(PREDICTIONS, k, examples.get(k), prediction(name));
        }

        List<EventAnswer> answers = result.join();
        assertThat(answers)
                .extracting(EventAnswer::outcome)
                .containsExactly(Outcome.PREDICTED, Outcome.PREDICTED, Outcome.OMITTED);
        assertThat(answers.get(2).place().offset()).isEqualTo(2);
        assertThat(answers.get(2).error())
                .contains("an answer must have at most 8000 bytes")
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
    void shouldNameTheFaultOfTheBroker() {
        open(NEVER_MS, false);
        CompletableFuture<List<EventAnswer>> result = send(1, true);
        sent(1);
        assertThat(producer.errorNext(new KafkaException("the disk is full"))).isTrue();

        assertThat(result.join().get(0).outcome()).isEqualTo(Outcome.NOT_ACKNOWLEDGED);
        assertThat(result.join().get(0).error()).contains("the disk is full");
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
        assertThat(send(1, true).join().get(0).error()).contains("no broker listens");
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
