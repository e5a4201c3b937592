package io.perceptronstreams.client;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.serde.EventWriter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sends examples of one model and counts those that the broker has acknowledged. */
public final class ExampleSender {
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
    private final Callback callback = callback(acknowledged);
    private final Callback labelCallback = callback(acknowledgedLabels);

    /**
     * Creates a sender of examples and labels.
     *
     * @param labelWriter null if no label is sent without its example
     */
    public ExampleSender(
            Producer<byte[], byte[]> producer, String topic, byte[] key, EventWriter writer, EventWriter labelWriter) {
        this.labelWriter = labelWriter;
        this.producer = producer;
        this.topic = topic;
        this.key = key;
        this.writer = writer;
    }

    private Callback callback(AtomicLong count) {
        return (metadata, exception) -> {
            if (exception == null) {
                positions.add(metadata.partition(), metadata.offset());
                count.incrementAndGet();
            } else {
                failure.compareAndSet(null, exception);
            }
        };
    }

    /** Sends a label without its example, like {@link #send(Example, Long)}. */
    void sendLabel(Label label, Long timestamp) {
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

    /** Like {@link #send(Example)}, with an event time in ms; null: the time of sending. */
    public void send(Example example, Long timestamp) {
        checkFailure();
        isLabelled |= example.getLabel() != null;
        // the callback receives the outcome
        var unused = producer.send(new ProducerRecord<>(topic, null, timestamp, key, writer.write(example)), callback);
    }

    /** Waits for all acknowledgements and returns their number. */
    public long finish() {
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
