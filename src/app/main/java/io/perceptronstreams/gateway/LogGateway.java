package io.perceptronstreams.gateway;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.client.Remedy;
import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.gateway.PendingEvents.SentRecord;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.monitor.EventGateway;
import io.perceptronstreams.monitor.PublicFault;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.JsonBatchReader.Event;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.DaemonThread;
import io.perceptronstreams.thread.StoppableThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events of HTTP requests and of {@code perceptron predict} to the log, commands signed, and waits for what the
 * engine answers.
 *
 * <p>One idempotent producer and one consumer serve all requests. The producer is not transactional: each event is
 * complete by itself, and an open transaction would keep other readers of the topic, such as the engine, waiting. The
 * default partitioner is the product's rule, murmur2 of the key.
 *
 * <p>The consumer, without group and with a thread of its own, starts at the end of predictions, statuses and dead
 * letters and reads every committed record from there, decoding only those with the header of a waiting record. After
 * {@link #IDLE_NS} without a request it stops reading, and starts at the end again with the next one.
 */
public final class LogGateway implements EventGateway, AutoCloseable {
    /** Record header with the random id of a request, copied by the engine to all that a record causes. */
    private static final String REQUEST = "perceptron-request";

    private static final Logger LOG = LoggerFactory.getLogger(LogGateway.class);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration CLOSE = Duration.ofSeconds(2);

    private final int timeoutMs;
    private final Producer<byte[], byte[]> producer;
    private final String prefix;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final CommandSigner signer;
    private final EventReader<Prediction> predictions;
    private final EventReader<ModelStatus> statuses;
    private final LongSupplier nanoTime;
    private final Map<String, SentRecord> waiting = new ConcurrentHashMap<>();
    private final StoppableThread thread = new StoppableThread("gateway-answers", this::readUntilStopped, this::failed);
    /** Reason why answers cannot be read; null if they can. */
    private volatile String fault;

    /** Last failure to send; null after a success. */
    private final AtomicReference<String> refusal = new AtomicReference<>();

    /** Last failure in the log; of the reader of answers. */
    private String logged;

    private TopicScan scan;
    private CompletableFuture<Void> ready = new CompletableFuture<>();
    private long lastUse;

    // Sending may block while the brokers are not available.
    private final ExecutorService sender =
            Executors.newSingleThreadExecutor(task -> new DaemonThread("gateway-sender", task));

    LogGateway(
            String prefix,
            int timeoutMs,
            Producer<byte[], byte[]> producer,
            CommandSigner signer,
            Supplier<Consumer<byte[], byte[]>> consumers,
            SchemaRegistry registry,
            LongSupplier nanoTime) {
        this.prefix = prefix;
        this.timeoutMs = timeoutMs;
        this.producer = producer;
        this.signer = signer;
        this.consumers = consumers;
        this.predictions = EventReader.of(Prediction.class, registry);
        this.statuses = EventReader.of(ModelStatus.class, registry);
        this.nanoTime = nanoTime;
        // the first request does not wait for the start of the consumer
        this.lastUse = nanoTime.getAsLong();
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
                new CommandSigner(config),
                () -> TopicScan.consumer(config, null),
                registry,
                System::nanoTime);
    }

    /** Starts to read the answers; the brokers may be unavailable. */
    public void start() {
        thread.start();
    }

    @Override
    public CompletableFuture<List<EventAnswer>> send(
            String model, List<Event> events, boolean isWaiting, AnswerBudget budget) {
        byte[] key = model.getBytes(StandardCharsets.UTF_8);
        PendingEvents sent = new PendingEvents(model, events, isWaiting, timeoutMs, budget);
        CompletableFuture<List<EventAnswer>> result = sent.answers();
        CompletableFuture<Void> reading = use();
        String reason = fault;
        if (!reading.isDone() && reason != null) {
            sent.fail(reason);
            return result;
        }
        try {
            // the consumer is positioned first, otherwise it could miss the answer
            var unused = reading.thenRunAsync(
                    () -> {
                        if (!ModelDefaults.isKey(key) || copy(events, sent)) {
                            sendAll(key, sent, isWaiting);
                        }
                    },
                    sender);
        } catch (RejectedExecutionException e) {
            sent.fail("a process that stops");
        }
        return isWaiting ? result.whenComplete((list, failure) -> sent.records().forEach(this::forget)) : result;
    }

    /**
     * Has a command for the settings of models to be created sent to each partition; returns false if there is none.
     */
    private boolean copy(List<Event> events, PendingEvents sent) {
        try {
            sent.toPartitions(
                    producer.partitionsFor(Topic.EXAMPLES.name(prefix)).stream()
                            .map(PartitionInfo::partition)
                            .sorted()
                            .toList(),
                    events);
            return true;
        } catch (KafkaException | IllegalStateException e) {
            LOG.warn("brokers must be available for a command, got {}", PublicFault.forLog(e));
            sent.fail(PublicFault.of(e));
            return false;
        }
    }

    private void sendAll(byte[] key, PendingEvents sent, boolean isWaiting) {
        for (SentRecord next : sent.records()) {
            if (sent.isSettled()) {
                break;
            }
            if (isWaiting) {
                waiting.put(next.header(), next);
            }
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(Topic.EXAMPLES.name(prefix), next.partition(), key, next.value());
            record.headers().add(REQUEST, next.header().getBytes(StandardCharsets.UTF_8));
            if (!next.begin()) {
                break;
            }
            try {
                // the callback receives the outcome
                var unused = producer.send(
                        next.isCommand() ? signer.sign(record) : record,
                        (metadata, failure) -> acknowledged(next, metadata, failure));
            } catch (KafkaException | IllegalStateException e) {
                acknowledged(next, null, e);
            }
        }
        if (sent.isSettled()) {
            // the time-out may have passed just before an addition
            sent.records().forEach(this::forget);
        }
    }

    private void acknowledged(SentRecord sent, RecordMetadata metadata, Exception failure) {
        String message = failure == null ? null : PublicFault.forLog(failure);
        // once, not for each of many events
        String before = refusal.getAndSet(message);
        if (message != null && !message.equals(before)) {
            LOG.warn("brokers must acknowledge events of requests, got {}", message);
        }
        sent.acknowledged(metadata, failure);
    }

    /** Completes when the answers to events that are sent from then on are read, for the longest time-out at least. */
    private synchronized CompletableFuture<Void> use() {
        lastUse = nanoTime.getAsLong();
        notifyAll();
        return ready;
    }

    private void forget(SentRecord record) {
        waiting.remove(record.header());
    }

    /** Returns true if answers are being read, which ends a minute after the last request. */
    synchronized boolean isReading() {
        return ready.isDone();
    }

    /** Number of events of the records that wait for answers of the engine. */
    int waiting() {
        return waiting.values().stream().mapToInt(SentRecord::size).sum();
    }

    private void readUntilStopped() throws InterruptedException {
        try (TopicScan opened = open()) {
            while (!thread.isStopped()) {
                // without the topic of examples there will be no answer
                opened.require(Topic.EXAMPLES.name(prefix)).toEnd();
                read(opened);
                awaitUse();
            }
        }
    }

    private synchronized TopicScan open() {
        Consumer<byte[], byte[]> consumer = consumers.get();
        scan = new TopicScan(
                consumer,
                List.of(Topic.PREDICTIONS.name(prefix), Topic.MODELS.name(prefix), Topic.DEAD_LETTERS.name(prefix)));
        if (thread.isStopped()) {
            scan.wakeup();
        }
        return scan;
    }

    private void read(TopicScan source) {
        fault = null;
        synchronized (this) {
            ready.complete(null);
        }
        while (!thread.isStopped() && !becomesIdle()) {
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
        while (!thread.isStopped() && nanoTime.getAsLong() - lastUse >= IDLE_NS) {
            wait();
        }
    }

    private void accept(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(REQUEST);
        if (header == null || header.value() == null) {
            return;
        }
        SentRecord sent = waiting.get(new String(header.value(), StandardCharsets.UTF_8));
        if (sent != null && isAnswer(record, sent)) {
            forget(sent);
        }
    }

    /** Returns true if it was the last answer to a record. */
    private boolean isAnswer(ConsumerRecord<byte[], byte[]> record, SentRecord sent) {
        if (record.topic().equals(Topic.DEAD_LETTERS.name(prefix))) {
            DeadLetter letter = DeadLetter.of(record.headers());
            return sent.rejected(
                    sent.isCommand()
                            ? letter.withMessage(
                                    Remedy.withCommands(EventFormat.model(record), String.valueOf(letter.message())))
                            : letter);
        }
        try {
            if (record.topic().equals(Topic.MODELS.name(prefix))) {
                return isStatusAfter(record, sent);
            }
            return sent.predicted(predictions.readAll(record.value()));
        } catch (IllegalArgumentException | RegistryException e) {
            LOG.warn("the answer to a request must be readable, got {}", PublicFault.forLog(e));
            sent.unreadable("an answer that cannot be read: " + PublicFault.of(e));
            return true;
        }
    }

    /**
     * Returns true if a status answers the command of a record; other models, and the model itself, may expire at it,
     * too.
     */
    private boolean isStatusAfter(ConsumerRecord<byte[], byte[]> record, SentRecord sent) {
        if (!sent.isCommand() || record.value() == null || !sent.isAnsweredBy(EventFormat.model(record))) {
            return false;
        }
        ModelStatus status = statuses.read(record.value());
        if (status.getCause().equals(StatusCause.EXPIRED.name())) {
            return false;
        }
        sent.executed(EventFormat.json(status));
        return true;
    }

    /** Answers all that wait; returns the pause after a failure. */
    private Duration failed(RuntimeException failure) {
        String message = PublicFault.forLog(failure);
        if (fault == null || !message.equals(logged)) {
            LOG.warn("answers to requests cannot be read, trying again: {}", message);
        }
        logged = message;
        fault = PublicFault.of(failure);
        waiting.values().forEach(sent -> sent.unreadable("an answer that cannot be read: " + fault));
        waiting.clear();
        synchronized (this) {
            if (ready.isDone()) {
                ready = new CompletableFuture<>();
            }
        }
        return PAUSE;
    }

    /** Ends both clients; what was not acknowledged after 2 s is given up. */
    @Override
    public void close() {
        sender.shutdownNow();
        producer.close(CLOSE);
        synchronized (this) {
            thread.stop();
            if (scan != null) {
                scan.wakeup();
            }
            notifyAll();
        }
        thread.join(Duration.ofSeconds(5));
    }
}
