package io.perceptronstreams.client;

import io.perceptronstreams.client.SentEvents.SentEvent;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventGateway;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.JsonBatchReader.Event;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Sends events of HTTP requests and of {@code perceptron predict} to the log, and waits for what the engine answers.
 *
 * <p>One idempotent producer and one consumer serve all requests. The producer is not transactional: each event is
 * complete by itself, and an open transaction would keep other readers of the topic, such as the engine, waiting. The
 * default partitioner is the product's rule, murmur2 of the key.
 */
public final class LogGateway implements EventGateway, AutoCloseable {
    private static final Duration CLOSE = Duration.ofSeconds(2);

    private final String topic;
    private final int timeoutMs;
    private final Producer<byte[], byte[]> producer;
    private final AnswerReader answers;
    // Sending may block while the brokers are not available.
    private final ExecutorService sender = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "gateway-sender");
        thread.setDaemon(true);
        return thread;
    });

    LogGateway(
            String prefix,
            int timeoutMs,
            Producer<byte[], byte[]> producer,
            Supplier<Consumer<byte[], byte[]>> consumers,
            SchemaRegistry registry,
            LongSupplier nanoTime) {
        this.topic = Topic.EXAMPLES.name(prefix);
        this.timeoutMs = timeoutMs;
        this.producer = producer;
        this.answers = new AnswerReader(prefix, consumers, registry, nanoTime);
    }

    /**
     * Creates the clients without starting them.
     *
     * @param timeoutMs maximum time for the answers to a request, less than a minute
     * @param registry stays open after {@link #close}
     */
    public static LogGateway open(EngineConfig config, int timeoutMs, SchemaRegistry registry) {
        return new LogGateway(
                config.get(EngineConfigDef.TOPICS_PREFIX),
                timeoutMs,
                KafkaClients.promptProducer(config, timeoutMs),
                () -> TopicScan.consumer(config, null),
                registry,
                System::nanoTime);
    }

    /** Starts to read the answers; the brokers may be unavailable. */
    public void start() {
        answers.start();
    }

    @Override
    public CompletableFuture<List<EventAnswer>> send(
            String model, List<Event> events, boolean isWaiting, AnswerBudget budget) {
        byte[] key = model.getBytes(StandardCharsets.UTF_8);
        SentEvents sent = new SentEvents(events.size(), isWaiting, timeoutMs, budget);
        CompletableFuture<List<EventAnswer>> result = sent.answers();
        CompletableFuture<Void> ready = answers.ready();
        if (!ready.isDone() && answers.fault() != null) {
            sent.fail(answers.fault());
            return result;
        }
        try {
            // the consumer is positioned first, otherwise it could miss the answer
            var unused = ready.thenRunAsync(() -> sendAll(key, events, sent, isWaiting), sender);
        } catch (RejectedExecutionException e) {
            sent.fail("a process that stops");
        }
        return isWaiting ? result.whenComplete((list, failure) -> sent.events().forEach(answers::remove)) : result;
    }

    private void sendAll(byte[] key, List<Event> events, SentEvents sent, boolean isWaiting) {
        for (int k = 0; k < events.size() && !sent.isSettled(); k++) {
            SentEvent event = sent.events().get(k);
            if (isWaiting) {
                answers.add(event);
            }
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(topic, key, events.get(k).value());
            record.headers().add(AnswerReader.REQUEST, event.header().getBytes(StandardCharsets.UTF_8));
            if (!event.begin()) {
                break;
            }
            try {
                // the callback receives the outcome
                var unused = producer.send(record, event::acknowledged);
            } catch (KafkaException | IllegalStateException e) {
                event.acknowledged(null, e);
            }
        }
        if (sent.isSettled()) {
            // the time-out may have passed just before an addition
            sent.events().forEach(answers::remove);
        }
    }

    /** Returns true if answers are being read, which ends a minute after the last request. */
    boolean isReading() {
        return answers.isReading();
    }

    /** Number of events that wait for answers of the engine. */
    int waiting() {
        return answers.waiting();
    }

    /** Ends both clients; what was not acknowledged after 2 s is given up. */
    @Override
    public void close() {
        sender.shutdownNow();
        producer.close(CLOSE);
        answers.close();
    }
}
