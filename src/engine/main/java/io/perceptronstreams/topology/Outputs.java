package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.log.DeadLetterRecord;
import io.perceptronstreams.log.RecordCopy;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Outputs of the records of an {@link InputBatch}, gathered by sink and forwarded as one {@link OutputBatch} for each.
 * An event has key, time and headers of the current input record.
 *
 * <p>Outputs of a topic keep their order; that between topics no reader sees, because a producer sends each partition
 * for itself. Of a batch whose processing fails, no output is forwarded but those that were too large to be kept.
 */
public final class Outputs {
    /** Bytes after which the outputs are forwarded: a snapshot may have thousands of chunks. */
    static final int MAX_BYTES = 1024 * 1024;

    /** Limit of copied headers: the largest output, a Mistake, must still fit into a record. */
    static final int MAX_HEADER_BYTES = 64 * 1024;

    private final ProcessorContext<byte[], byte[]> context;
    private final String topic;
    private final int maxRecordBytes;
    private final Map<String, List<Record<byte[], byte[]>>> bySink = new LinkedHashMap<>();
    private int bytes;
    private ConsumerRecord<byte[], byte[]> input;
    private long timestamp;

    Outputs(ProcessorContext<byte[], byte[]> context, EngineConfig config, int maxRecordBytes) {
        this.context = context;
        this.topic = config.topic(Topic.EXAMPLES);
        this.maxRecordBytes = maxRecordBytes;
    }

    /**
     * Sets the current input record.
     *
     * @param eventTime the timestamp of the record in the log may be another one
     */
    void begin(ConsumerRecord<byte[], byte[]> current, long eventTime) {
        input = current;
        timestamp = eventTime;
    }

    /** Sets the event time, of one of several examples of the current input record. */
    void at(long eventTime) {
        timestamp = eventTime;
    }

    ConsumerRecord<byte[], byte[]> input() {
        return input;
    }

    long timestamp() {
        return timestamp;
    }

    /** An input record of the partition without headers, which are not kept. */
    ConsumerRecord<byte[], byte[]> withoutHeaders(long offset, byte[] key, byte[] value) {
        return new ConsumerRecord<>(topic, context.taskId().partition(), offset, key, value);
    }

    /** Adds an event. */
    void send(Topic to, byte[] value) {
        send(to, input.key(), value);
    }

    /** Adds an event with another key. */
    void send(Topic to, byte[] key, byte[] value) {
        add(new Record<>(key, value, timestamp, headers(MAX_HEADER_BYTES)), to.suffix());
    }

    /** Headers of the current input record, or {@link RecordCopy#omitted} ones if they are too large. */
    Headers headers(int maxBytes) {
        Headers headers = input.headers();
        // hot path: without headers this array is a constant
        long size = headers.toArray().length == 0 ? 0 : RecordCopy.bytes(headers);
        return size <= maxBytes ? headers : RecordCopy.omitted(headers, size);
    }

    /** Adds the dead letter of a record. */
    void deadLetter(ConsumerRecord<byte[], byte[]> refused, long time, RejectedException why) {
        add(DeadLetterRecord.of(refused, time, why, maxRecordBytes), Topic.DEAD_LETTERS.suffix());
    }

    /** Adds an output; its key, value and headers must not be changed any more. */
    void add(Record<byte[], byte[]> output, String sink) {
        bySink.computeIfAbsent(sink, any -> new ArrayList<>()).add(output);
        bytes += output.value() == null ? 0 : output.value().length;
        // hot path: without headers this array is a constant
        bytes += output.headers().toArray().length == 0 ? 0 : (int) RecordCopy.bytes(output.headers());
        if (bytes > MAX_BYTES) {
            flush();
        }
    }

    /** Forwards the outputs since the last call. */
    void flush() {
        bySink.forEach((sink, outputs) -> context.forward(OutputBatch.of(outputs), sink));
        bySink.clear();
        bytes = 0;
    }
}
