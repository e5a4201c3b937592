package io.perceptronstreams.topology;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** What comes of records, kept in its order until it is sent, or until it is much. */
final class Outputs {
    private static final int MOST_BYTES = 1 << 20;

    private final ProcessorContext<byte[], byte[]> context;
    private final List<Output> kept = new ArrayList<>();
    private long bytes;

    private record Output(Record<byte[], byte[]> record, String sink) {}

    Outputs(ProcessorContext<byte[], byte[]> context) {
        this.context = context;
    }

    /**
     * Takes what goes to a sink.
     *
     * @param sink name of the sink's node
     */
    void add(Record<byte[], byte[]> record, String sink) {
        kept.add(new Output(record, sink));
        bytes += record.value() == null ? 0 : record.value().length;
        if (bytes >= MOST_BYTES) {
            send();
        }
    }

    /** Sends all that was kept. */
    void send() {
        for (Output output : kept) {
            context.forward(output.record, output.sink);
        }
        clear();
    }

    /** Forgets all that was kept. */
    void clear() {
        kept.clear();
        bytes = 0;
    }
}
