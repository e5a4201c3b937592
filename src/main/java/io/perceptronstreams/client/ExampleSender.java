package io.perceptronstreams.client;

import io.perceptronstreams.serde.AvroEventWriter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sends examples of one model and counts those that the broker has taken. */
public final class ExampleSender {
    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] key;
    private final AvroEventWriter writer;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Callback callback = (metadata, exception) -> {
        if (exception == null) {
            taken.incrementAndGet();
        } else {
            failure.compareAndSet(null, exception);
        }
    };

    public ExampleSender(Producer<byte[], byte[]> producer, String topic, byte[] key, AvroEventWriter writer) {
        this.producer = producer;
        this.topic = topic;
        this.key = key;
        this.writer = writer;
    }

    /**
     * Hands one example to the producer, whose partitioner is Kafka's: murmur2 of the key.
     *
     * @throws CommandFailedException if the broker did not take this one or an earlier one
     */
    public void send(GenericRecord example) {
        checkFailure();
        // The callback hears of the outcome.
        var unused = producer.send(new ProducerRecord<>(topic, key, writer.write(example)), callback);
    }

    /** Waits until all are taken, and says how many. */
    public long finish() {
        producer.flush();
        checkFailure();
        return taken.get();
    }

    private void checkFailure() {
        Exception exception = failure.get();
        if (exception != null) {
            throw new CommandFailedException(
                    topic + " must take every example, got " + exception.getMessage() + " after " + taken.get()
                            + " examples",
                    exception);
        }
    }
}
