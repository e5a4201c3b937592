package io.perceptronstreams.topology;

import io.perceptronstreams.serde.JsonTimestamp;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * Extracts the event time: the timestamp in an example in JSON, otherwise that of the record. For an invalid one, returns 0 and passes it to the processor in a
 * header.
 *
 * <p>Kafka Streams drops records with a negative timestamp, and one far in the future would close all windows for ever.
 * Such records become dead letters.
 */
final class EventTimeExtractor implements TimestampExtractor {
    /** Header with the invalid timestamp, for the processor. */
    static final String REFUSED = "perceptron-refused-timestamp";

    /** First invalid timestamp, the year 2200: timestamps in microseconds, taken as milliseconds, are later. */
    static final long END = Instant.parse("2200-01-01T00:00:00Z").toEpochMilli();

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        return of(record);
    }

    /** Returns the event time of a record in ms; adds the header if its timestamp is invalid. */
    static long of(ConsumerRecord<?, ?> record) {
        if (record.headers().lastHeader(REFUSED) != null) {
            // sent by the producer, not by this class
            record.headers().remove(REFUSED);
        }
        String refused;
        try {
            long timestamp = JsonTimestamp.of((byte[]) record.value(), record.timestamp());
            if (timestamp >= 0 && timestamp < END) {
                return timestamp;
            }
            refused = Long.toString(timestamp);
        } catch (IllegalArgumentException e) {
            refused = e.getMessage();
        }
        record.headers().add(REFUSED, DeadLetterRecord.utf8(refused));
        return 0;
    }
}
