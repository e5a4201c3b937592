package io.perceptronstreams.topology;

import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer with a settable rate, independent of the engine. */
final class SteadyLoad implements AutoCloseable {
    private static final long BEAT_MS = 10;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final AtomicLong sent = new AtomicLong();
    private final KafkaProducer<byte[], byte[]> producer;
    private volatile long perBeat;

    /** Starts at once with {@code perSecond} records a second. */
    SteadyLoad(String bootstrapServers, int perSecond, Supplier<ProducerRecord<byte[], byte[]>> records) {
        producer = new KafkaProducer<>(
                // a broker may be away for minutes
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "linger.ms",
                        5,
                        "delivery.timeout.ms",
                        3_600_000,
                        "max.block.ms",
                        600_000,
                        // a broker that restarts has forgotten the producer, because the records have old timestamps:
                        // it would
                        // take a batch whose predecessor it does not have, and refuse that one for ever
                        "max.in.flight.requests.per.connection",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        setRate(perSecond);
        var unused = thread.scheduleAtFixedRate(() -> send(records, perBeat), 0, BEAT_MS, TimeUnit.MILLISECONDS);
    }

    /** Number of records sent so far. */
    long sent() {
        return sent.get();
    }

    /** Changes the rate, to a multiple of 100 records a second. */
    void setRate(int perSecond) {
        perBeat = perSecond * BEAT_MS / 1000;
    }

    private void send(Supplier<ProducerRecord<byte[], byte[]>> records, long count) {
        try {
            for (long k = 0; k < count; k++) {
                var unused = producer.send(records.get(), (metadata, e) -> {
                    if (e instanceof UnknownServerException) {
                        // a broker with a full disk refuses a record before it ends; the log does not have it
                        sent.decrementAndGet();
                    } else if (e != null) {
                        failure.compareAndSet(null, e);
                    }
                });
                sent.incrementAndGet();
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
            throw e;
        }
    }

    /** Ends the load and returns how many records were acknowledged: all but those that the broker has refused. */
    long stop() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the load must stop within a minute");
        }
        producer.flush();
        if (failure.get() != null) {
            throw new IllegalStateException("every record must be acknowledged, got " + failure.get(), failure.get());
        }
        return sent.get();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        producer.close();
    }
}
