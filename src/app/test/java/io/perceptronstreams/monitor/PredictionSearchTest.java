package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.topology.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Predictions that are searched where the records of their partition are large. */
final class PredictionSearchTest {
    private static final int LARGE = 512 * 1024;
    private static final TopicPartition PARTITION = new TopicPartition("perceptron-predictions", 0);
    private static final SchemaRegistry REGISTRY = SchemaRegistries.of(Map.of("schema.registry.url", "mock://search"));
    private static final byte[] OTHERS = new byte[LARGE];

    /** A partition whose records are made when they are read, two by a poll. */
    private static final class Log extends MockConsumer<byte[], byte[]> {
        private final long end;
        private final LongPredicate isOfModel;
        private final LongFunction<byte[]> values;
        private long bytes;

        Log(long end, LongPredicate isOfModel, LongFunction<byte[]> values) {
            super("none");
            this.end = end;
            this.isOfModel = isOfModel;
            this.values = values;
            updatePartitions(PARTITION.topic(), List.of(new PartitionInfo(PARTITION.topic(), 0, null, null, null)));
            updateBeginningOffsets(Map.of(PARTITION, 0L));
            updateEndOffsets(Map.of(PARTITION, end));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            long first = position(PARTITION);
            for (long offset = first; offset < Math.min(end, first + 2); offset++) {
                byte[] value = values.apply(offset);
                bytes += value.length;
                String key = isOfModel.test(offset) ? "m" : "other";
                addRecord(new ConsumerRecord<>(
                        PARTITION.topic(), 0, offset, key.getBytes(StandardCharsets.UTF_8), value));
            }
            return super.poll(timeout);
        }
    }

    private static PredictionSearch.Found find(Log log, String id, int limit) {
        return new PredictionSearch(TestServer.config("http.lookback.records=20000"), () -> log, REGISTRY)
                .find("m", id, limit);
    }

    private static byte[] prediction(long offset) {
        try {
            return EventJson.MAPPER.writeValueAsBytes(Event.json(Fabricated.event(
                    Prediction.class,
                    Map.of("exampleId", "e" + offset % 7, "label", 1, "score", 0.5, "correct", true))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The limit was looked at after 2,000 records only, which may have 1 GB. */
    @Test
    void shouldEndAtItsLimitOfBytesWithinThePieceThatItReads() {
        Log log = new Log(4_000, offset -> false, offset -> OTHERS);

        PredictionSearch.Found found = find(log, "nobody", 50);

        assertThat(log.bytes).isBetween(128L << 20, 140L << 20);
        assertThat(found.searched()).isBetween(220L, 260L);
        assertThat(found.events()).isEmpty();
    }

    @Test
    void shouldFindTheNewestAmongLargeRecords() {
        // large ones from offset 500 to 600, small ones elsewhere
        LongFunction<byte[]> values =
                offset -> offset % 3 > 0 ? prediction(offset) : offset / 100 == 5 ? OTHERS : new byte[9];
        Log log = new Log(3_000, offset -> offset % 3 > 0, values);

        PredictionSearch.Found found = find(log, "e1", 1_000);

        List<Long> expected = LongStream.rangeClosed(1, 3_000)
                .map(k -> 3_000 - k)
                .filter(offset -> offset % 3 > 0 && offset % 7 == 1)
                .boxed()
                .toList();
        assertThat(found.events()).extracting(Event::offset).containsExactlyElementsOf(expected);
        assertThat(found.searched()).isEqualTo(3_000);
        assertThat(find(new Log(3_000, offset -> offset % 3 > 0, values), null, 5)
                        .events())
                .extracting(Event::offset)
                .containsExactly(2_999L, 2_998L, 2_996L, 2_995L, 2_993L);
    }

    @Test
    void shouldKeepTheMessageOfAFailureForTheLog() {
        PredictionSearch search = new PredictionSearch(
                TestServer.config(),
                () -> {
                    throw new KafkaException("no answer of https://u:canary@host.internal:9092/?token=canary");
                },
                REGISTRY);

        try (LogLines log = new LogLines(PredictionSearch.class)) {
            assertThatExceptionOfType(RefusedException.class)
                    .isThrownBy(() -> search.find("m", null, 1))
                    .withMessage(
                            "predictions must be readable, got KafkaException, whose message is in the log of the server");
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("got KafkaException: no answer of https://…@host.internal:9092/?…")
                    .doesNotContain("canary");
        }
    }
}
