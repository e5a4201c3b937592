package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.topology.BadRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Events of a model whose topic grows while they are read. */
class ModelLogTest {
    private static final TopicPartition PLACE = new TopicPartition("perceptron-predictions", 0);

    @Test
    void shouldReadEventsWhoseTransactionEndsAfterTheReadHasBegun() {
        try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none")) {
            consumer.updatePartitions(
                    PLACE.topic(), List.of(new PartitionInfo(PLACE.topic(), 0, Node.noNode(), null, null)));
            consumer.updateBeginningOffsets(Map.of(PLACE, 0L));
            consumer.updateEndOffsets(Map.of(PLACE, 1L));
            try (TopicScan scan = new TopicScan(consumer, List.of(PLACE.topic())).toEnd();
                    ModelLog.Sent sent = new ModelLog.Sent(scan, PLACE, BadRecord.utf8("m"), null)) {
                add(consumer, 0);
                List<Long> offsets = new ArrayList<>();
                offsets.add(sent.next().offset());
                consumer.updateEndOffsets(Map.of(PLACE, 3L));
                add(consumer, 1);
                add(consumer, 2);
                sent.forEachRemaining(each -> offsets.add(each.offset()));

                assertThat(offsets).containsExactly(0L, 1L, 2L);
            }
        }
    }

    private static void add(MockConsumer<byte[], byte[]> consumer, long offset) {
        consumer.addRecord(new ConsumerRecord<>(PLACE.topic(), 0, offset, BadRecord.utf8("m"), BadRecord.utf8("{}")));
    }
}
