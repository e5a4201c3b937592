package io.perceptronstreams.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Generation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transactions of a replay. */
final class DeadLetterReplayTest {
    private static final String TOPIC = "perceptron-dead-letters";
    private static final TopicPartition LETTERS = new TopicPartition(TOPIC, 0);
    private static final ReplaySelection LABELS =
            new ReplaySelection(new DeadLetterSelection(RejectReason.INVALID_LABEL, null, null), 3, false, false);

    private final AtomicLong nanos = new AtomicLong();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://replay"));

    @AfterEach
    void close() {
        registry.close();
        producer.close();
    }

    // Reading on took more than 15 s: the broker aborted the transaction, and each further replay ended the same way.
    @Test
    void shouldCommitBeforeTheTransactionExpiresAlthoughNoFurtherLetterMatches() {
        List<ConsumerRecord<byte[], byte[]>> letters = IntStream.range(0, 20)
                .mapToObj(k -> letter(k, k == 3 ? RejectReason.INVALID_LABEL : RejectReason.MODEL_FULL))
                .toList();

        // 1 s for each letter: the transaction begins at offset 3
        DeadLetterReplay.Result result = replay(letters, LABELS, Duration.ofSeconds(1));

        assertThat(result.sent()).isEqualTo(1);
        assertThat(producer.commitCount()).isEqualTo(1);
        assertThat(committed().offset()).isZero();
        // offsets 4 to 8 are 1 to 5 s later
        assertThat(committed().metadata()).startsWith("v2;9,INVALID_LABEL,");
        assertThat(ReplayPosition.of(committed()).start(LABELS, 0)).isEqualTo(9);
    }

    // Each replay reported the same lost records again.
    @Test
    void shouldReportLostRecordsOnceAlthoughThereIsNothingToSend() {
        List<ConsumerRecord<byte[], byte[]>> letters = List.of(omitted(0), omitted(1));

        DeadLetterReplay.Result result = replay(letters, ReplaySelection.ALL, Duration.ZERO);

        assertThat(result).isEqualTo(new DeadLetterReplay.Result(0, 2));
        assertThat(committed().offset()).isEqualTo(2);
    }

    private OffsetAndMetadata committed() {
        List<Map<String, Map<TopicPartition, OffsetAndMetadata>>> history = producer.consumerGroupOffsetsHistory();
        return history.get(history.size() - 1).values().iterator().next().get(LETTERS);
    }

    private DeadLetterReplay.Result replay(
            List<ConsumerRecord<byte[], byte[]>> letters, ReplaySelection selection, Duration each) {
        return with(
                letters,
                selection,
                each,
                replay -> replay.run(producer, DeadLetterReplay.BATCH, nanos::get, () -> false));
    }

    private <T> T with(
            List<ConsumerRecord<byte[], byte[]>> letters,
            ReplaySelection selection,
            Duration each,
            Function<DeadLetterReplay, T> action) {
        MockConsumer<byte[], byte[]> consumer = consumer(letters, each);
        try (DeadLetterLog log = new DeadLetterLog(consumer, TOPIC)) {
            EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
            return action.apply(new DeadLetterReplay(config, log, registry, selection, Long.MAX_VALUE));
        }
    }

    // a replay without options deleted a model: its DELETE had been refused before the model existed
    @Test
    void shouldSendNoCommandsAndWeightsUnlessTheyAreAskedFor() {
        List<ConsumerRecord<byte[], byte[]>> letters = List.of(
                letter(0, RejectReason.INVALID_COMMAND, bytes("{\"action\":\"DELETE\"}")),
                letter(1, RejectReason.INVALID_LABEL, bytes("{\"features\":{\"action\":1}}")),
                letter(2, RejectReason.MISROUTED, bytes("{\"action\":\"RESET\"}")),
                letter(3, RejectReason.TOO_MANY_MODELS, command("CONFIGURE")),
                letter(4, RejectReason.MODEL_QUARANTINED, command("FREEZE")),
                letter(5, RejectReason.MODEL_QUARANTINED, command("FREEZE")),
                letter(6, RejectReason.MALFORMED_AVRO, truncated(command("DELETE"))),
                letter(7, RejectReason.MALFORMED_JSON, bytes("{\"settings\":{\"a\":[1]},\"action\":\"DELETE\"")),
                letter(8, RejectReason.MALFORMED_JSON, bytes("{\"vectors\":[]}")),
                letter(9, RejectReason.INVALID_WEIGHTS, bytes("x")),
                letter(10, RejectReason.UNKNOWN_SCHEMA, new byte[] {0, 9, 9, 9, 9, 9}),
                letter(11, RejectReason.LABEL_WITHOUT_EXAMPLE, bytes("{\"exampleId\":\"a\",\"label\":1}")));
        ReplaySelection named = new ReplaySelection(DeadLetterSelection.ALL, 3, false, true);

        assertThat(replay(letters, ReplaySelection.ALL, Duration.ZERO).sent()).isEqualTo(3);
        assertThat(producer.history().stream().map(each -> offset(each.headers())))
                .containsExactly("1", "10", "11");
        DeadLetterReplay.Plan plan = with(letters, ReplaySelection.ALL, Duration.ZERO, DeadLetterReplay::plan);
        assertThat(plan.count()).isEqualTo(3);
        assertThat(plan.commands()).isEmpty();
        Map<String, Long> commands = Map.of(
                "DELETE of m", 1L,
                "RESET of m", 1L,
                "CONFIGURE of m", 1L,
                "FREEZE of m", 2L,
                "unreadable command of m", 4L);
        assertThat(plan.withoutCommands()).isEqualTo(commands);

        plan = with(letters, named, Duration.ZERO, DeadLetterReplay::plan);
        assertThat(plan.count()).isEqualTo(12);
        assertThat(plan.commands()).isEqualTo(commands);
        assertThat(plan.withoutCommands()).isEmpty();
    }

    // a chunk of weights, or a command with long settings, may be too large for the dead-letter topic
    @Test
    void shouldTellCommandsThatAreOnlyInTheExamples() {
        List<ConsumerRecord<byte[], byte[]>> letters = List.of(omitted(0));
        MockConsumer<byte[], byte[]> consumer = consumer(letters, Duration.ZERO);
        TopicPartition examples = new TopicPartition("perceptron-examples", 0);
        consumer.updatePartitions(examples.topic(), List.of(new PartitionInfo(examples.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(examples, 0L));
        consumer.updateEndOffsets(Map.of(examples, 1L));
        consumer.schedulePollTask(() -> consumer.addRecord(
                new ConsumerRecord<>(examples.topic(), 0, 0, bytes("large"), bytes("{\"action\":\"RESET\"}"))));
        try (DeadLetterLog log = new DeadLetterLog(consumer, TOPIC)) {
            EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
            DeadLetterReplay.Plan plan =
                    new DeadLetterReplay(config, log, registry, ReplaySelection.ALL, Long.MAX_VALUE).plan();

            assertThat(plan.withoutCommands()).isEqualTo(Map.of("RESET of large", 1L));
            assertThat(plan.count()).isZero();
        }
    }

    // some examples of a record, with the record's headers, may be too large for the dead-letter topic
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1   | {"features":[2]}
            0,2 | [{"features":[1]},{"features":[3]}]
            """)
    void shouldSendTheExamplesOfARecordThatAreOnlyInTheExamples(String numbers, String value) {
        ConsumerRecord<byte[], byte[]> letter = omitted(0);
        letter.headers().add(DeadLetter.BATCH_INDEX, bytes(numbers));
        MockConsumer<byte[], byte[]> consumer = consumer(List.of(letter), Duration.ZERO);
        TopicPartition examples = new TopicPartition("perceptron-examples", 0);
        consumer.updatePartitions(examples.topic(), List.of(new PartitionInfo(examples.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(examples, 0L));
        consumer.updateEndOffsets(Map.of(examples, 1L));
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                examples.topic(),
                0,
                0,
                bytes("m"),
                bytes("[{\"features\":[1]}, {\"features\":[2]}, {\"features\":[3]}]"));
        addWhenAssigned(consumer, record);
        try (DeadLetterLog log = new DeadLetterLog(consumer, TOPIC)) {
            EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
            new DeadLetterReplay(config, log, registry, ReplaySelection.ALL, Long.MAX_VALUE)
                    .run(producer, DeadLetterReplay.BATCH, nanos::get, () -> false);

            assertThat(producer.history()).hasSize(1);
            assertThat(new String(producer.history().get(0).value(), StandardCharsets.UTF_8))
                    .isEqualTo(value);
        }
    }

    // offsets of a later generation are counted from a base, which the topic does not know
    @Test
    void shouldReadTheExamplesOfALaterGenerationAtTheirOffsetInTheTopic() {
        Generation generation = Generation.of("perceptron-gen2");
        ConsumerRecord<byte[], byte[]> letter = omitted(generation.prefix() + "-examples", 0, generation.offset(7));
        MockConsumer<byte[], byte[]> consumer = consumer(List.of(letter), Duration.ZERO);
        TopicPartition examples = new TopicPartition("perceptron-gen2-examples", 0);
        consumer.updatePartitions(examples.topic(), List.of(new PartitionInfo(examples.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(examples, 0L));
        consumer.updateEndOffsets(Map.of(examples, 8L));
        addWhenAssigned(consumer, new ConsumerRecord<>(examples.topic(), 0, 7, bytes("m"), bytes("large")));
        try (DeadLetterLog log = new DeadLetterLog(consumer, TOPIC)) {
            EngineConfig config =
                    EngineConfig.of(Map.of("topics.prefix", generation.prefix()), Map.of(), null, Map.of());
            DeadLetterReplay.Result result = new DeadLetterReplay(
                            config, log, registry, ReplaySelection.ALL, Long.MAX_VALUE)
                    .run(producer, DeadLetterReplay.BATCH, nanos::get, () -> false);

            assertThat(result).isEqualTo(new DeadLetterReplay.Result(1, 0));
            assertThat(producer.history())
                    .extracting(each -> new String(each.value(), StandardCharsets.UTF_8))
                    .containsExactly("large");
        }
    }

    /** Read twice: to see whether it is a command, and to send it. */
    private static void addWhenAssigned(MockConsumer<byte[], byte[]> consumer, ConsumerRecord<byte[], byte[]> record) {
        consumer.schedulePollTask(new Runnable() {
            @Override
            public void run() {
                if (consumer.assignment().contains(new TopicPartition(record.topic(), record.partition()))) {
                    consumer.addRecord(record);
                }
                consumer.schedulePollTask(this);
            }
        });
    }

    private byte[] command(String action) {
        Schema schema = EventSchemas.schema("ModelCommand");
        return new EventWriter(schema, registry.register("commands", schema))
                .write(CommandSender.command(action, Map.of("h", "1")));
    }

    private static byte[] truncated(byte[] value) {
        return Arrays.copyOf(value, value.length - 1);
    }

    /** Offset of the dead letter that a record was. */
    private static String offset(Headers headers) {
        String place = new String(headers.lastHeader(DeadLetter.REPLAY_OF).value(), StandardCharsets.UTF_8);
        return place.substring(place.indexOf('@') + 1);
    }

    /** A topic whose reading takes a time for each record. */
    private MockConsumer<byte[], byte[]> consumer(List<ConsumerRecord<byte[], byte[]>> letters, Duration each) {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest") {
            @Override
            public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                nanos.addAndGet(each.toNanos());
                return super.poll(timeout);
            }
        };
        consumer.updatePartitions(TOPIC, List.of(new PartitionInfo(TOPIC, 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(LETTERS, 0L));
        consumer.updateEndOffsets(Map.of(LETTERS, (long) letters.size()));
        consumer.setMaxPollRecords(1);
        consumer.schedulePollTask(() -> letters.forEach(consumer::addRecord));
        return consumer;
    }

    private static ConsumerRecord<byte[], byte[]> letter(int offset, RejectReason reason) {
        return letter(offset, reason, bytes("v" + offset));
    }

    private static ConsumerRecord<byte[], byte[]> letter(int offset, RejectReason reason, byte[] value) {
        ConsumerRecord<byte[], byte[]> letter = new ConsumerRecord<>(TOPIC, 0, offset, bytes("m"), value);
        DeadLetter.addTo(letter.headers(), new RejectedException(reason, "no"), "perceptron-examples", 0, offset);
        return letter;
    }

    /** A dead letter of a record too large for it, which no topic has any more. */
    private static ConsumerRecord<byte[], byte[]> omitted(int offset) {
        return omitted("perceptron-examples", offset, offset);
    }

    private static ConsumerRecord<byte[], byte[]> omitted(String examples, int offset, long sourceOffset) {
        ConsumerRecord<byte[], byte[]> letter = new ConsumerRecord<>(TOPIC, 0, offset, null, null);
        letter.headers().add(DeadLetter.OMITTED, bytes("9"));
        DeadLetter.addTo(
                letter.headers(), new RejectedException(RejectReason.MODEL_FULL, "no"), examples, 0, sourceOffset);
        return letter;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
