package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InputPollTest {
    private static final TopicPartition ZERO = new TopicPartition("examples", 0);
    private static final TopicPartition ONE = new TopicPartition("examples", 1);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

    @BeforeEach
    void start() {
        consumer.assign(List.of(ZERO, ONE));
        consumer.updateBeginningOffsets(Map.of(ZERO, 0L, ONE, 0L));
    }

    /** Adds a record with a value of this size; null with -1. */
    private void add(TopicPartition place, long offset, int size) {
        consumer.addRecord(new ConsumerRecord<>(
                place.topic(),
                place.partition(),
                offset,
                1_000 + offset,
                TimestampType.CREATE_TIME,
                1,
                size,
                new byte[] {'m'},
                size < 0 ? null : new byte[size],
                new RecordHeaders().add("h", new byte[] {(byte) offset}),
                Optional.of(3)));
    }

    private ConsumerRecords<byte[], byte[]> poll(int maxRecords) {
        return InputPoll.batches(consumer.poll(Duration.ZERO), partition -> new BatchSize(maxRecords));
    }

    private static List<List<Long>> offsets(List<ConsumerRecord<byte[], byte[]>> batches) {
        List<List<Long>> all = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> head : batches) {
            List<Long> offsets = new ArrayList<>();
            InputBatch.in(head.headers()).records().forEach(each -> offsets.add(each.offset()));
            assertThat(head.offset()).isEqualTo(offsets.get(0));
            all.add(offsets);
        }
        return all;
    }

    @Test
    void shouldReturnOneRecordForABatchOfEachPartition() {
        for (long offset : List.of(0L, 1L, 4L, 5L, 6L)) {
            add(ZERO, offset, 10);
        }
        add(ONE, 0, 10);

        ConsumerRecords<byte[], byte[]> polled = poll(2);
        assertThat(offsets(polled.records(ZERO))).containsExactly(List.of(0L, 1L), List.of(4L, 5L), List.of(6L));
        assertThat(offsets(polled.records(ONE))).containsExactly(List.of(0L));
        ConsumerRecord<byte[], byte[]> head = polled.records(ZERO).get(1);
        assertThat(head.leaderEpoch()).contains(3);
        assertThat(head.timestamp()).isEqualTo(1_004);
        assertThat(head.serializedValueSize()).isEqualTo(22);
    }

    /** From which Kafka Streams goes on after the last batch. */
    @Test
    void shouldKeepTheNextOffsets() {
        add(ZERO, 0, 10);
        add(ZERO, 1, 10);
        assertThat(poll(256).nextOffsets().get(ZERO))
                .extracting(OffsetAndMetadata::offset)
                .isEqualTo(2L);
        assertThat(consumer.position(ZERO)).isEqualTo(2);
    }

    @Test
    void shouldPassOnTheRecordsThemselves() {
        add(ZERO, 0, -1);
        add(ZERO, 1, 10);
        ConsumerRecord<byte[], byte[]> head = poll(256).records(ZERO).get(0);
        InputBatch batch = InputBatch.in(head.headers());
        assertThat(batch.first().value()).isNull();
        assertThat(batch.first().headers().toArray()).hasSize(1);
        assertThat(batch.last().timestamp()).isEqualTo(1_001);
        assertThat(InputBatch.of(head)).isSameAs(batch);
    }

    @Test
    void shouldBoundTheBytesOfABatch() {
        int half = InputBatch.MAX_BYTES / 2;
        for (int size : List.of(half, half - 2, 1, 2 * half, 2 * half, -1)) {
            add(ZERO, consumer.position(ZERO) + records++, size);
        }
        assertThat(offsets(poll(256).records(ZERO)))
                .containsExactly(List.of(0L, 1L), List.of(2L), List.of(3L), List.of(4L), List.of(5L));
    }

    private int records;

    @Test
    void shouldReturnNothingOfAnEmptyPoll() {
        assertThat(poll(256).isEmpty()).isTrue();
    }

    @Test
    void shouldLeaveOutPausedPartitions() {
        add(ZERO, 0, 10);
        add(ONE, 0, 10);
        consumer.pause(List.of(ZERO));
        assertThat(poll(256).partitions()).containsExactly(ONE);
        consumer.resume(List.of(ZERO));
        assertThat(offsets(poll(256).records(ZERO))).containsExactly(List.of(0L));
    }

    @Test
    void shouldMakeABatchOfARecordThatStandsForNone() {
        ConsumerRecord<byte[], byte[]> single = new ConsumerRecord<>("examples", 0, 5, new byte[] {1}, new byte[] {2});
        single.headers().add("h", new byte[] {3});
        InputBatch batch = InputBatch.of(single);
        assertThat(InputBatch.in(single.headers())).isSameAs(batch);
        assertThat(batch.records()).hasSize(1);
        assertThat(batch.last().offset()).isEqualTo(5);
        assertThat(batch.last().headers().toArray()).hasSize(1);
    }
}
