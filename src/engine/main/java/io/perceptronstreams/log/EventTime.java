package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.JsonTimestamp;
import io.perceptronstreams.store.InputPosition.Decisions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/**
 * The time of an event: the timestamp in an example in JSON, otherwise the timestamp of the record. An invalid one is
 * passed to the dispatcher in a header; such records become dead letters, because Kafka Streams drops those with a
 * negative timestamp, and one far in the future would close all windows and let all models expire. One in seconds is of
 * January 1970: retention would delete its outputs.
 */
public final class EventTime {
    /** Header with the invalid timestamp, for the dispatcher. */
    public static final String REFUSED = "perceptron-refused-timestamp";

    private EventTime() {}

    /**
     * Adds the header to a record with an invalid timestamp, and returns the event time in ms. The event time of a
     * record with an invalid timestamp in JSON is its own timestamp, or 0 if that is invalid; the event time of a
     * record of several examples is the latest of theirs.
     *
     * @param aheadMs maximum time by which the timestamp in an example may be after the timestamp of its record
     */
    public static long of(ConsumerRecord<?, ?> record, long aheadMs) {
        Headers headers = record.headers();
        if (headers.lastHeader(REFUSED) != null) {
            // sent by the producer, or added by an earlier call
            headers.remove(REFUSED);
        }
        byte[] value = (byte[]) record.value();
        long own = record.timestamp();
        try {
            if (ExampleList.isArray(value) && JsonTimestamp.isValid(own)) {
                return ExampleList.latest(value, own, timestamp -> checked(timestamp, own, aheadMs));
            }
            return checked(JsonTimestamp.of(value, own), own, aheadMs);
        } catch (IllegalArgumentException e) {
            headers.add(REFUSED, Utils.utf8(e.getMessage()));
            return JsonTimestamp.isValid(own) ? own : 0;
        }
    }

    /**
     * Returns the event time of one example of a record.
     *
     * @param own timestamp of the record
     * @throws RejectedException if it is invalid
     */
    static long of(ExampleList examples, int k, long own, long aheadMs) {
        try {
            return checked(examples.timestamp(k, own), own, aheadMs);
        } catch (IllegalArgumentException e) {
            throw invalid(e.getMessage(), aheadMs);
        }
    }

    /**
     * Creates the exception for an invalid timestamp.
     *
     * @param refused the timestamp
     */
    static RejectedException invalid(String refused, long aheadMs) {
        return new RejectedException(
                RejectReason.INVALID_TIMESTAMP,
                "timestamp must be in ms since 1970 (in JSON also as in 2026-01-31T12:00:00Z), before the year 2200 and "
                        + ahead(aheadMs) + " that of the record, got " + refused);
    }

    private static String ahead(long aheadMs) {
        if (aheadMs == Decisions.DEFAULT_AHEAD_MS) {
            return "at most an hour after";
        }
        return aheadMs == 0 ? "no later than" : "at most " + aheadMs + " ms after";
    }

    private static long checked(long timestamp, long own, long aheadMs) {
        // without a valid one of the record, nothing limits a time in JSON
        boolean isAhead = !JsonTimestamp.isValid(own) || timestamp > own + aheadMs;
        if (JsonTimestamp.isValid(timestamp) && !isAhead) {
            return timestamp;
        }
        throw new IllegalArgumentException(JsonTimestamp.shown(timestamp)
                + (isAhead && timestamp != own ? " in a record of " + JsonTimestamp.shown(own) : ""));
    }
}
