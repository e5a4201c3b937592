package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Committed records of one partition, from its start to its end at the time of opening. */
public final class TopicLog implements Iterator<ConsumerRecord<byte[], byte[]>>, AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Queue<ConsumerRecord<byte[], byte[]>> fetched = new ArrayDeque<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final long end;

    TopicLog(String bootstrapServers, String topic, int partition) {
        this(bootstrapServers, topic, partition, 0);
    }

    /** As {@link #TopicLog(String, String, int)}, but from an offset on. */
    TopicLog(String bootstrapServers, String topic, int number, long from) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        partition = new TopicPartition(topic, number);
        consumer.assign(List.of(partition));
        consumer.seek(partition, from);
        end = consumer.endOffsets(List.of(partition)).get(partition);
    }

    /** All records of a partition. */
    public static List<ConsumerRecord<byte[], byte[]>> all(String bootstrapServers, String topic, int partition) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (TopicLog log = new TopicLog(bootstrapServers, topic, partition)) {
            log.forEachRemaining(records::add);
        }
        return records;
    }

    @Override
    public boolean hasNext() {
        while (fetched.isEmpty() && consumer.position(partition) < end) {
            consumer.poll(POLL).forEach(fetched::add);
        }
        return !fetched.isEmpty();
    }

    @Override
    public ConsumerRecord<byte[], byte[]> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return fetched.remove();
    }

    /** The next record, which stays the next one. */
    ConsumerRecord<byte[], byte[]> peek() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return fetched.element();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
