package io.perceptronstreams.client;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.serde.EventWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sends examples of one model and counts those that the broker has acknowledged. Thread-safe. */
public final class ExampleSender {
    /** Maximum size of a record of several examples. */
    private static final int MAX_BYTES = 900_000;

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;
    private final EventWriter writer;
    private final EventWriter labelWriter;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong acknowledgedLabels = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final SentPositions positions = new SentPositions();
    private volatile boolean isLabelled;
    private final Callback callback = callback(acknowledged, 1);
    private final Callback labelCallback = callback(acknowledgedLabels, 1);

    // Examples of the next record, if records have several, and their size.
    private final int size;
    private final EventWriter batchWriter;
    private final List<byte[]> gathered = new ArrayList<>();
    private int gatheredBytes;
    private Long gatheredTime;

    // True if they were there at the last call of sendOld.
    private boolean isOld;

    /**
     * Creates a sender of examples and labels.
     *
     * @param labelWriter null if no label is sent without its example
     */
    public ExampleSender(
            Producer<byte[], byte[]> producer, String topic, byte[] key, EventWriter writer, EventWriter labelWriter) {
        this(producer, topic, key, writer, labelWriter, 1, null);
    }

    /**
     * Creates a sender of several examples in one record.
     *
     * @param size maximum number of examples of a record
     * @param batchWriter null if records have one example
     */
    public ExampleSender(
            Producer<byte[], byte[]> producer,
            String topic,
            byte[] key,
            EventWriter writer,
            EventWriter labelWriter,
            int size,
            EventWriter batchWriter) {
        this.size = size;
        this.batchWriter = batchWriter;
        this.labelWriter = labelWriter;
        this.producer = producer;
        this.topic = topic;
        this.key = key;
        this.writer = writer;
    }

    private Callback callback(AtomicLong count, int examples) {
        return (metadata, exception) -> {
            if (exception == null) {
                positions.add(metadata.partition(), metadata.offset(), examples);
                count.addAndGet(examples);
            } else {
                failure.compareAndSet(null, exception);
            }
        };
    }

    /** Sends a label without its example, like {@link #send(Example, Long)}. */
    synchronized void sendLabel(Label label, Long timestamp) {
        checkFailure();
        isLabelled = true;
        // the callback receives the outcome
        var unused = producer.send(
                new ProducerRecord<>(topic, null, timestamp, key, labelWriter.write(label)), labelCallback);
    }

    /**
     * Sends one example asynchronously, to the partition of murmur2 of the key.
     *
     * @throws CommandFailedException if this or an earlier example was rejected
     */
    public void send(Example example) {
        send(example, null);
    }

    /**
     * Like {@link #send(Example)}, with an event time in ms; null: the time of sending.
     *
     * <p>If records have several examples, it is sent with those after it that have the same time, as far as they fit into a
     * record; at the latest by {@link #sendGathered} or {@link #finish}.
     */
    public synchronized void send(Example example, Long timestamp) {
        checkFailure();
        isLabelled |= example.getLabel() != null;
        byte[] value = writer.write(example);
        if (batchWriter != null) {
            gather(value, timestamp);
            return;
        }
        // the callback receives the outcome
        var unused = producer.send(new ProducerRecord<>(topic, null, timestamp, key, value), callback);
    }

    private void gather(byte[] value, Long timestamp) {
        if (!Objects.equals(timestamp, gatheredTime) || gatheredBytes + value.length > MAX_BYTES) {
            sendGathered();
        }
        gatheredTime = timestamp;
        gathered.add(value);
        gatheredBytes += value.length;
        if (gathered.size() >= size) {
            sendGathered();
        }
    }

    /** Sends the examples that wait for others. */
    synchronized void sendGathered() {
        isOld = false;
        if (!gathered.isEmpty()) {
            // the callback receives the outcome
            var unused = producer.send(
                    new ProducerRecord<>(topic, null, gatheredTime, key, batchWriter.writeArray(gathered)),
                    callback(acknowledged, gathered.size()));
            gathered.clear();
            gatheredBytes = 0;
        }
    }

    /** Sends the examples that wait for others if the first of them was there at the last call. */
    synchronized void sendOld() {
        if (isOld) {
            sendGathered();
        }
        isOld = !gathered.isEmpty();
    }

    /** Waits for all acknowledgements and returns their number. */
    public long finish() {
        sendGathered();
        producer.flush();
        checkFailure();
        return acknowledged.get();
    }

    /** Returns true if a label was sent, with its example or alone. */
    boolean isLabelled() {
        return isLabelled;
    }

    /** Positions of the examples that were acknowledged. */
    SentPositions positions() {
        return positions;
    }

    /** Number of examples acknowledged so far. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** Number of labels acknowledged so far. */
    long acknowledgedLabels() {
        return acknowledgedLabels.get();
    }

    private void checkFailure() {
        Exception exception = failure.get();
        if (exception != null) {
            throw new CommandFailedException(
                    topic + " must accept every example, got " + exception.getMessage() + " after " + acknowledged.get()
                            + " examples",
                    exception);
        }
    }
}
