package io.perceptronstreams.topology;

import io.perceptronstreams.log.EventTime;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** Gives Kafka Streams the event time of the first record of an {@link InputBatch}. */
final class EventTimeExtractor implements TimestampExtractor {
    private final long aheadMs;

    /** @param aheadMs maximum time by which the timestamp in an example may be after the timestamp of its record */
    EventTimeExtractor(long aheadMs) {
        this.aheadMs = aheadMs;
    }

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        return EventTime.of(InputBatch.of(record).first(), aheadMs);
    }
}
