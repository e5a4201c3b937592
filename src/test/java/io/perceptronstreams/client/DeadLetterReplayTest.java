package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transactions of a replay. */
final class DeadLetterReplayTest {
    private static final String TOPIC = "perceptron-dead-letters";
    private static final TopicPartition LETTERS = new TopicPartition(TOPIC, 0);
    private static final ReplaySelection LABELS =
            new ReplaySelection(new DeadLetterSelection(RejectReason.INVALID_LABEL, null, null), 3, false);

    private final AtomicLong nanos = new AtomicLong();
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @AfterEach
    void close() {
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
        assertThat(committed().metadata()).startsWith("v1;9,INVALID_LABEL,");
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
        MockConsumer<byte[], byte[]> consumer = consumer(letters, each);
        try (DeadLetterLog log = new DeadLetterLog(consumer, TOPIC)) {
            EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
            return new DeadLetterReplay(config, log, selection, Long.MAX_VALUE)
                    .run(producer, DeadLetterReplay.BATCH, nanos::get, () -> false);
        }
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
        ConsumerRecord<byte[], byte[]> letter = new ConsumerRecord<>(TOPIC, 0, offset, bytes("m"), bytes("v" + offset));
        DeadLetter.addTo(letter.headers(), new RejectedException(reason, "no"), "perceptron-examples", 0, offset);
        return letter;
    }

    /** A dead letter of a record too large for it, which no topic has any more. */
    private static ConsumerRecord<byte[], byte[]> omitted(int offset) {
        ConsumerRecord<byte[], byte[]> letter = new ConsumerRecord<>(TOPIC, 0, offset, null, null);
        letter.headers().add(DeadLetter.OMITTED, bytes("9"));
        DeadLetter.addTo(
                letter.headers(),
                new RejectedException(RejectReason.MODEL_FULL, "no"),
                "perceptron-examples",
                0,
                offset);
        return letter;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
