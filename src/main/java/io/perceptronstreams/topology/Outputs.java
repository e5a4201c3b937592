package io.perceptronstreams.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Outputs of the records of an {@link InputBatch}, gathered by sink and forwarded as one {@link OutputBatch} for each.
 *
 * <p>Outputs of a topic keep their order; that between topics no reader sees, because a producer sends each partition for itself.
 * Of a batch whose processing fails, no output is forwarded but those that were too large to be kept.
 */
final class Outputs {
    /** Bytes after which the outputs are forwarded: a snapshot may have thousands of chunks. */
    static final int MAX_BYTES = 1024 * 1024;

    private final ProcessorContext<byte[], byte[]> context;
    private final Map<String, List<Record<byte[], byte[]>>> bySink = new LinkedHashMap<>();
    private int bytes;

    Outputs(ProcessorContext<byte[], byte[]> context) {
        this.context = context;
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
