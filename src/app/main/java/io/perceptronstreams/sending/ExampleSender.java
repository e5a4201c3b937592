package io.perceptronstreams.sending;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Generation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * Sends examples to one model, or each of them to several, and counts those that the broker has acknowledged.
 * Thread-safe.
 */
public final class ExampleSender {
    /** Maximum size of a record of several examples. */
    private static final int MAX_BYTES = 900_000;

    /** Byte 0 and the id of the schema. */
    private static final int HEADER = 5;

    private static final int MAX_SHOWN = 80;

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final Generation generation;
    private final List<Receipt> receipts;
    private final EventWriter writer;
    private final EventWriter labelWriter;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final AtomicLong tooLarge = new AtomicLong();
    private final AtomicReference<String> firstTooLarge = new AtomicReference<>();
    private volatile boolean isLabelled;

    // Examples of the next record, if records have several, and their size.
    private final int size;
    private final EventWriter batchWriter;
    private final List<byte[]> gathered = new ArrayList<>();
    private int gatheredBytes;
    private Long gatheredTime;

    // True if they were there at the last call of sendOld.
    private boolean isOld;

    /** Records of one model that the broker has acknowledged. */
    final class Receipt {
        private final String model;
        private final byte[] key;
        private final AtomicLong examples = new AtomicLong();
        private final AtomicLong labels = new AtomicLong();
        private final SentPositions positions = new SentPositions();

        private Receipt(String model) {
            this.model = model;
            key = ModelKey.of(model);
        }

        /** @param size number of examples or labels in the record of this value */
        private Callback callback(AtomicLong count, int size, byte[] value) {
            return (metadata, exception) -> {
                if (exception == null) {
                    positions.add(metadata.partition(), generation.offset(metadata.offset()), size);
                    count.addAndGet(size);
                } else if (exception instanceof RecordTooLargeException) {
                    // no reason to keep the others: it would be refused again
                    tooLarge.addAndGet(size);
                    firstTooLarge.compareAndSet(null, described(value) + ": " + exception.getMessage());
                } else {
                    failure.compareAndSet(null, exception);
                }
            };
        }

        String model() {
            return model;
        }

        long examples() {
            return examples.get();
        }

        /** Number of labels that were events of their own. */
        long labels() {
            return labels.get();
        }

        SentPositions positions() {
            return positions;
        }
    }

    /**
     * Creates a sender of examples and labels.
     *
     * @param models names, all different
     * @param labelWriter null if no label is sent without its example
     * @throws CommandFailedException if a name is invalid
     */
    public ExampleSender(
            Producer<byte[], byte[]> producer,
            String topic,
            List<String> models,
            EventWriter writer,
            EventWriter labelWriter) {
        this(producer, topic, models, writer, labelWriter, 1, null);
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
            List<String> models,
            EventWriter writer,
            EventWriter labelWriter,
            int size,
            EventWriter batchWriter) {
        this.size = size;
        this.batchWriter = batchWriter;
        this.labelWriter = labelWriter;
        this.producer = producer;
        this.topic = topic;
        this.generation = Generation.ofExamples(topic);
        receipts = models.stream().map(Receipt::new).toList();
        this.writer = writer;
    }

    /** Sends a label without its example, like {@link #send(Example, Long)}. */
    synchronized void sendLabel(Label label, Long timestamp) {
        checkFailure();
        isLabelled = true;
        byte[] value = labelWriter.write(label);
        receipts.forEach(each -> send(each, timestamp, value, each.callback(each.labels, 1, value)));
    }

    private void send(Receipt receipt, Long timestamp, byte[] value, Callback callback) {
        // the callback receives the outcome
        var unused = producer.send(new ProducerRecord<>(topic, null, timestamp, receipt.key, value), callback);
    }

    /**
     * Sends one example asynchronously to each model, to the partition of murmur2 of its key.
     *
     * <p>A record that is too large does not end the others: {@link #tooLarge}.
     *
     * @throws CommandFailedException if this or an earlier example was rejected
     */
    public void send(Example example) {
        send(example, null);
    }

    /**
     * Like {@link #send(Example)}, with an event time in ms; null: the time of sending.
     *
     * <p>If records have several examples, it is sent with those after it that have the same time, as far as they fit
     * into a record; at the latest by {@link #sendGathered} or {@link #finish}.
     */
    public synchronized void send(Example example, Long timestamp) {
        checkFailure();
        send(writer.write(example), example.getLabel() != null, timestamp);
    }

    /** Like {@link #send(Example, Long)}, of an example as its writer has encoded it. */
    synchronized void send(byte[] value, boolean hasLabel, Long timestamp) {
        checkFailure();
        isLabelled |= hasLabel;
        if (batchWriter != null) {
            gather(value, timestamp);
            return;
        }
        receipts.forEach(each -> send(each, timestamp, value, each.callback(each.examples, 1, value)));
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
            byte[] value = batchWriter.writeArray(gathered);
            for (Receipt each : receipts) {
                send(each, gatheredTime, value, each.callback(each.examples, gathered.size(), value));
            }
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

    /** Waits for all acknowledgements and returns the number of examples that each model has got. */
    public long finish() {
        sendGathered();
        producer.flush();
        checkFailure();
        return acknowledged();
    }

    /** Returns true if a label was sent, with its example or alone. */
    boolean isLabelled() {
        return isLabelled;
    }

    /** What was acknowledged of each model, in the order of the models. */
    List<Receipt> receipts() {
        return receipts;
    }

    /** Number of examples acknowledged so far for every model. */
    long acknowledged() {
        return receipts.stream().mapToLong(Receipt::examples).min().orElse(0);
    }

    /** Number of labels acknowledged so far for every model. */
    long acknowledgedLabels() {
        return receipts.stream().mapToLong(Receipt::labels).min().orElse(0);
    }

    /**
     * What became of records that are too large for the brokers or the producer, after {@link #finish}; null without
     * any.
     */
    String tooLarge() {
        long count = tooLarge.get();
        return count == 0
                ? null
                : "records must fit into " + topic + ", got " + count + " too large, and sent the others; the first is "
                        + firstTooLarge.get() + " (cut it" + (batchWriter == null ? "" : ", or lower --batch")
                        + "; or raise max.message.bytes of the topic and -D producer.max.request.size)";
    }

    /** Its id, the first field of an example and of a label, and its size. */
    private String described(byte[] value) {
        String size = " of " + value.length + " bytes";
        try {
            return batchWriter != null
                    ? "one" + size
                    : "'"
                            + Utf8Slice.shortened(
                                    DecoderFactory.get()
                                            .binaryDecoder(value, HEADER, value.length - HEADER, null)
                                            .readString(),
                                    MAX_SHOWN)
                            + "'" + size;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void checkFailure() {
        Exception exception = failure.get();
        if (exception != null) {
            throw new CommandFailedException(
                    topic + " must accept every example, got " + exception.getMessage() + " after " + acknowledged()
                            + " examples",
                    exception);
        }
    }
}
