package io.perceptronstreams.topology;

import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * Event time is the record's timestamp; where that is unusable, 0 and a header that tells the processor what it was.
 *
 * <p>Kafka Streams drops records of negative time with a log line, and no record may be lost. A time far in the future would
 * close all windows for good. Such records become dead letters.
 */
final class EventTimeExtractor implements TimestampExtractor {
    /** Carries the refused timestamp to the processor. */
    static final String REFUSED = "perceptron-refused-timestamp";

    /** The year 2200: later than any clock that is merely wrong by its unit of seconds or milliseconds would hit by chance. */
    static final long END = Instant.parse("2200-01-01T00:00:00Z").toEpochMilli();

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        return of(record);
    }

    /** The event time of a record in ms; adds the header where its timestamp is unusable. */
    static long of(ConsumerRecord<?, ?> record) {
        if (record.headers().lastHeader(REFUSED) != null) {
            // one that came with the record is not ours
            record.headers().remove(REFUSED);
        }
        long timestamp = record.timestamp();
        if (timestamp >= 0 && timestamp < END) {
            return timestamp;
        }
        record.headers().add(REFUSED, DeadLetterRecord.utf8(Long.toString(timestamp)));
        return 0;
    }
}
