package io.perceptronstreams.sending;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.serde.EventWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The examples of a file as records, kept while the file is checked, so that it need not be read again to send them.
 *
 * <p>They take about the bytes of the records. If these become too many, none is kept: {@link #isComplete} is false.
 */
final class KeptExamples {
    /** Of a share of the heap, so that a small one has room for the producer's buffers. */
    private static final int HEAP_SHARE = 4;

    private static final long MAX_BYTES = 256 << 20;

    /** Headers of an array and of a time, and their references. */
    private static final int OBJECT_BYTES = 48;

    private final EventWriter writer;
    private final long maxBytes;
    private final List<byte[]> values = new ArrayList<>();
    private final List<Long> timestamps = new ArrayList<>();
    private final BitSet labelled = new BitSet();
    private long bytes;
    private List<String> twoLabels;

    KeptExamples(EventWriter writer) {
        this(writer, Math.min(MAX_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
    }

    /** @param maxBytes maximum number of bytes to keep */
    KeptExamples(EventWriter writer, long maxBytes) {
        this.writer = writer;
        this.maxBytes = maxBytes;
    }

    /** @param timestamp event time in ms; null for none */
    void add(Example example, Long timestamp) {
        if (!fits()) {
            return;
        }
        byte[] value = writer.write(example);
        bytes += value.length + OBJECT_BYTES;
        if (!fits()) {
            values.clear();
            timestamps.clear();
            return;
        }
        labelled.set(values.size(), example.getLabel() != null);
        values.add(value);
        timestamps.add(timestamp);
    }

    /** Marks the end of the file, of which these are the declared labels. */
    void complete(List<String> labels) {
        twoLabels = labels;
    }

    /** Returns true if all examples of a file are there. */
    boolean isComplete() {
        return twoLabels != null && fits();
    }

    private boolean fits() {
        return bytes <= maxBytes;
    }

    List<String> twoLabels() {
        return twoLabels;
    }

    int size() {
        return values.size();
    }

    /** Sends the example at a position, from 0, and forgets it. */
    void send(int position, ExampleSender sender) {
        sender.send(values.set(position, null), labelled.get(position), timestamps.get(position));
    }
}
