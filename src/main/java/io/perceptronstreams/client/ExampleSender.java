package io.perceptronstreams.client;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.ExampleBatch;
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

/** Sends examples of one model and counts those that the broker has acknowledged. */
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

    // Examples of the next record, if records have several.
    private final int size;
    private final EventWriter batchWriter;
    private final List<Example> gathered = new ArrayList<>();
    private Long gatheredTime;

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

    /**
     * Like {@link #send(Example)}, with an event time in ms; null: the time of sending.
     *
     * <p>If records have several examples, it is sent with those after it that have the same time, at the latest by {@link #finish}.
     */
    public void send(Example example, Long timestamp) {
        checkFailure();
        isLabelled |= example.getLabel() != null;
        if (batchWriter != null) {
            if (!Objects.equals(timestamp, gatheredTime)) {
                sendGathered();
            }
            gatheredTime = timestamp;
            gathered.add(example);
            if (gathered.size() >= size) {
                sendGathered();
            }
            return;
        }
        // the callback receives the outcome
        var unused = producer.send(new ProducerRecord<>(topic, null, timestamp, key, writer.write(example)), callback);
    }

    private void sendGathered() {
        if (!gathered.isEmpty()) {
            sendSeveral(List.copyOf(gathered));
            gathered.clear();
        }
    }

    /** Sends examples as one record, or as several where it would be too large for the brokers' default limit. */
    private void sendSeveral(List<Example> examples) {
        byte[] value = batchWriter.write(new ExampleBatch(examples));
        int count = examples.size();
        if (value.length > MAX_BYTES && count > 1) {
            sendSeveral(examples.subList(0, count / 2));
            sendSeveral(examples.subList(count / 2, count));
            return;
        }
        // the callback receives the outcome
        var unused = producer.send(
                new ProducerRecord<>(topic, null, gatheredTime, key, value), callback(acknowledged, count));
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
