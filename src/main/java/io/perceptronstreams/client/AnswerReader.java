package io.perceptronstreams.client;

import io.perceptronstreams.client.SentEvents.SentEvent;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.DeadLetter;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads predictions and dead letters on its own thread, and passes them to the events that wait for them.
 *
 * <p>One consumer without group serves all requests of the process. It starts at the end of the topics and reads every
 * committed record from there, decoding only those with the header of a waiting event. After {@link #IDLE_NS} without a
 * request it stops reading, and starts at the end again with the next one.
 */
final class AnswerReader implements AutoCloseable {
    /** Record header with the random id of a request, copied by the engine to all that an event causes. */
    static final String REQUEST = "perceptron-request";

    private static final Logger LOG = LoggerFactory.getLogger(AnswerReader.class);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_MS = 1_000;

    private final String prefix;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final EventReader<Prediction> predictions;
    private final LongSupplier nanoTime;
    private final Map<String, SentEvent> waiting = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::run, "gateway-answers");
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String fault;
    private TopicScan scan;
    private CompletableFuture<Void> ready = new CompletableFuture<>();
    private long lastUse;

    AnswerReader(
            String prefix,
            Supplier<Consumer<byte[], byte[]>> consumers,
            SchemaRegistry registry,
            LongSupplier nanoTime) {
        this.prefix = prefix;
        this.consumers = consumers;
        this.predictions = EventReader.of(Prediction.class, registry);
        this.nanoTime = nanoTime;
        // the first request does not wait for the start of the consumer
        this.lastUse = nanoTime.getAsLong();
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Completes when the answers to events that are sent from then on are read, for the longest time-out at least. */
    synchronized CompletableFuture<Void> ready() {
        lastUse = nanoTime.getAsLong();
        notifyAll();
        return ready;
    }

    /** Why the answers cannot be read at present; null if they can. */
    String fault() {
        return fault;
    }

    void add(SentEvent event) {
        waiting.put(event.header(), event);
    }

    void remove(SentEvent event) {
        waiting.remove(event.header());
    }

    /** Returns true if the topics are being read. */
    synchronized boolean isReading() {
        return ready.isDone();
    }

    /** Number of events that wait for answers. */
    int waiting() {
        return waiting.size();
    }

    private void run() {
        while (!isClosed()) {
            try (TopicScan opened = open()) {
                while (!isClosed()) {
                    // without the topic of examples there will be no answer
                    opened.require(Topic.EXAMPLES.name(prefix)).toEnd();
                    read(opened);
                    awaitUse();
                }
            } catch (WakeupException e) {
                // closed
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                fail(e);
            }
        }
    }

    private synchronized TopicScan open() {
        Consumer<byte[], byte[]> consumer = consumers.get();
        scan = new TopicScan(consumer, List.of(Topic.PREDICTIONS.name(prefix), Topic.DEAD_LETTERS.name(prefix)));
        if (isClosed()) {
            scan.wakeup();
        }
        return scan;
    }

    private void read(TopicScan source) {
        fault = null;
        synchronized (this) {
            ready.complete(null);
        }
        while (!isClosed() && !becomesIdle()) {
            source.poll().forEach(this::accept);
        }
    }

    private synchronized boolean becomesIdle() {
        if (!waiting.isEmpty() || nanoTime.getAsLong() - lastUse < IDLE_NS) {
            return false;
        }
        ready = new CompletableFuture<>();
        return true;
    }

    private synchronized void awaitUse() throws InterruptedException {
        while (!isClosed() && nanoTime.getAsLong() - lastUse >= IDLE_NS) {
            wait();
        }
    }

    private void accept(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(REQUEST);
        if (header == null || header.value() == null) {
            return;
        }
        SentEvent event = waiting.remove(new String(header.value(), StandardCharsets.UTF_8));
        if (event == null) {
            return;
        }
        if (record.topic().equals(Topic.DEAD_LETTERS.name(prefix))) {
            event.rejected(DeadLetter.of(record.headers()));
            return;
        }
        try {
            event.predicted(predictions.read(record.value()));
        } catch (IllegalArgumentException | RegistryException e) {
            event.unreadable("a prediction that cannot be read: " + e.getMessage());
        }
    }

    private void fail(RuntimeException failure) {
        String before = fault;
        fault = String.valueOf(failure.getMessage());
        if (!fault.equals(before)) {
            LOG.warn("answers to requests cannot be read, trying again: {}", fault);
        }
        waiting.values().forEach(event -> event.unreadable("an answer that cannot be read: " + fault));
        waiting.clear();
        synchronized (this) {
            if (ready.isDone()) {
                ready = new CompletableFuture<>();
            }
        }
        pause();
    }

    private void pause() {
        try {
            if (closed.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
                LOG.debug("the reader of answers ends");
            }
        } catch (InterruptedException e) {
            closed.countDown();
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed.countDown();
            if (scan != null) {
                scan.wakeup();
            }
            notifyAll();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
