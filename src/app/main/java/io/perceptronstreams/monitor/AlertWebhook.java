package io.perceptronstreams.monitor;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the alerts of the engine to {@code alerts.webhook.url}, on a thread of its own, each at least once and those of
 * a partition in their order.
 *
 * <p>It is a member of the consumer group {@code application.id-alerts}, so that several monitors share the alerts, and
 * commits an alert after the receiver has accepted it. A failed attempt is repeated after a pause that doubles, for
 * ever; meanwhile the partitions are paused, and polls keep the membership. An alert that the receiver refuses for its
 * contents is skipped, as it would hold up all others.
 */
final class AlertWebhook implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AlertWebhook.class);

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final long MAX_PAUSE_MS = TimeUnit.MINUTES.toMillis(5);

    /** Statuses with which a receiver refuses a body. */
    private static final Set<Integer> REFUSALS = Set.of(400, 413, 415, 422);

    private final URI url;
    private final byte[] key;
    private final EngineConfig.WebhookForm form;
    private final List<String> kinds;
    private final String topic;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final EventReader<Alert> reader;
    private final HttpClient http;
    private final StoppableThread thread = new StoppableThread("alert-webhook", this::run, this::readFailed);
    private volatile Consumer<byte[], byte[]> consumer;

    // records that are read and not committed, in the order of their partitions
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    // first offsets of partitions without a committed one, in a new group also of those of other members
    private final Map<TopicPartition, OffsetAndMetadata> begun = new HashMap<>();
    // ends that a new group begins with, also where its first commit fails: what has come since is sent
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    // partitions that existed at the start of the process; null before they are known
    private Set<TopicPartition> existing;
    private String fault;
    private int attempts;
    private long nextAttempt = System.nanoTime();

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /**
     * Creates a sender without starting it.
     *
     * @param consumers creates members of the group that commit nothing by themselves
     */
    AlertWebhook(EngineConfig config, Supplier<Consumer<byte[], byte[]>> consumers, SchemaRegistry registry) {
        url = URI.create(config.get(EngineConfigDef.ALERTS_WEBHOOK_URL));
        key = config.get(EngineConfigDef.ALERTS_WEBHOOK_KEY);
        form = config.get(EngineConfigDef.ALERTS_WEBHOOK_FORM);
        kinds = config.get(EngineConfigDef.ALERTS_WEBHOOK_KINDS);
        topic = config.topic(Topic.ALERTS);
        this.consumers = consumers;
        reader = EventReader.of(Alert.class, registry);
        http = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
                // some servers lose the body of a request that asks for HTTP/2
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    /** Consumer group whose offsets are the progress. */
    static String group(EngineConfig config) {
        return config.applicationId() + "-alerts";
    }

    void start() {
        thread.start();
    }

    /** Number of alerts that the receiver has accepted. */
    long sent() {
        return sent.get();
    }

    /** Number of attempts that failed, also to read alerts or to commit them. */
    long failed() {
        return failed.get();
    }

    /** Number of alerts that were skipped, because they could not be read or the receiver has refused them. */
    long refused() {
        return refused.get();
    }

    private void run() {
        try (Consumer<byte[], byte[]> opened = consumers.get()) {
            consumer = opened;
            waiting.clear();
            sendUntilStopped(opened);
        }
    }

    private void sendUntilStopped(Consumer<byte[], byte[]> source) {
        if (existing == null) {
            existing = new HashSet<>(partitions(source));
        }
        source.subscribe(List.of(topic), new Assignment(source));
        while (!thread.isStopped()) {
            if (waiting.isEmpty()) {
                // also where another member has taken over what waited
                source.resume(source.paused());
            }
            poll(source);
            if (!begun.isEmpty()) {
                source.commitSync(Map.copyOf(begun));
                begun.clear();
            }
            if (waiting.isEmpty()) {
                continue;
            }
            // the next poll only keeps the membership
            source.pause(source.assignment());
            if (System.nanoTime() - nextAttempt >= 0 && isDone(waiting.peek())) {
                commit(source, waiting.remove());
            }
        }
    }

    private void poll(Consumer<byte[], byte[]> source) {
        long untilNext = Math.max(0, nextAttempt - System.nanoTime());
        Duration time = waiting.isEmpty() || untilNext > POLL.toNanos() ? POLL : Duration.ofNanos(untilNext);
        try {
            source.poll(time).forEach(waiting::add);
            fault = null;
        } catch (OffsetOutOfRangeException e) {
            LOG.warn(
                    "alerts must be sent before their topic deletes them, got {} (continuing with the oldest)",
                    e.getMessage());
            source.seekToBeginning(e.offsetOutOfRangePartitions().keySet());
        }
    }

    private Set<TopicPartition> partitions(Consumer<byte[], byte[]> source) {
        List<PartitionInfo> found = source.partitionsFor(topic);
        Set<TopicPartition> partitions = new HashSet<>();
        for (PartitionInfo each : found == null ? List.<PartitionInfo>of() : found) {
            partitions.add(new TopicPartition(topic, each.partition()));
        }
        return partitions;
    }

    private void commit(Consumer<byte[], byte[]> source, ConsumerRecord<byte[], byte[]> done) {
        try {
            source.commitSync(Map.of(
                    new TopicPartition(done.topic(), done.partition()), new OffsetAndMetadata(done.offset() + 1)));
        } catch (CommitFailedException | RebalanceInProgressException e) {
            // another member may send the alert again
            LOG.debug("an alert could not be committed", e);
        }
    }

    /** Where the members of the group begin. */
    private final class Assignment implements ConsumerRebalanceListener {
        private final Consumer<byte[], byte[]> source;

        Assignment(Consumer<byte[], byte[]> source) {
            this.source = source;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
            Set<TopicPartition> all = partitions(source);
            all.addAll(assigned);
            Map<TopicPartition, OffsetAndMetadata> committed = source.committed(all);
            boolean isNew = committed.values().stream().allMatch(Objects::isNull);
            Set<TopicPartition> added = new HashSet<>(assigned);
            added.removeIf(each -> committed.get(each) != null);
            Set<TopicPartition> beginning = new HashSet<>(added);
            if (isNew && !added.isEmpty()) {
                LOG.warn(
                        "group {} has no offsets of {}: alerts are sent from now on",
                        source.groupMetadata().groupId(),
                        topic);
                // also for other members, which may ask for offsets only after this one has committed its own
                beginning.addAll(existing);
            }
            // a new group does not send what has happened before; partitions that are added later have only new alerts
            Map<TopicPartition, Long> first = source.beginningOffsets(beginning);
            Map<TopicPartition, Long> end = source.endOffsets(beginning);
            for (TopicPartition each : beginning) {
                long offset = isNew && existing.contains(each) ? ends.computeIfAbsent(each, end::get) : first.get(each);
                begun.put(each, new OffsetAndMetadata(offset));
                if (added.contains(each)) {
                    source.seek(each, offset);
                }
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            waiting.removeIf(each -> revoked.contains(new TopicPartition(each.topic(), each.partition())));
            begun.keySet().removeAll(revoked);
        }
    }

    /** Returns true if the record needs no further attempt. */
    private boolean isDone(ConsumerRecord<byte[], byte[]> record) {
        String id = record.topic() + "-" + record.partition() + "@" + record.offset();
        if (record.value() == null) {
            return true;
        }
        try {
            Alert alert = reader.read(record.value());
            if (!kinds.contains(alert.getKind().toString())) {
                return true;
            }
            String model = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
            Event<Alert> event = new Event<>(record.partition(), record.offset(), record.timestamp(), model, alert);
            return isAccepted(id, EventJson.MAPPER.writeValueAsString(AlertBody.of(form, id, event)));
        } catch (UnknownSchemaException | IllegalArgumentException e) {
            return refused(e.getMessage(), id);
        } catch (RegistryException | IOException e) {
            return failed(PublicFault.forLog(e), id);
        }
    }

    private boolean isAccepted(String id, String body) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .header("Content-Type", Answer.JSON_TYPE)
                .header("User-Agent", "perceptron-streams")
                .header("webhook-id", id)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            String second = Long.toString(System.currentTimeMillis() / 1_000);
            request.header("webhook-timestamp", second).header("webhook-signature", signature(key, id, second, body));
        }
        // the time-out of HttpRequest ends with the headers: a missing body would block without end
        CompletableFuture<HttpResponse<Void>> exchange =
                http.sendAsync(request.build(), HttpResponse.BodyHandlers.discarding());
        try {
            HttpResponse<Void> answer = exchange.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            int status = answer.statusCode();
            if (status / 100 == 2) {
                accepted(id);
                return true;
            }
            return REFUSALS.contains(status)
                    ? refused("status " + status, id)
                    : failed("status " + status, id, answer.headers().firstValueAsLong("Retry-After"));
        } catch (NumberFormatException e) {
            // a date instead of seconds
            return failed("a status that asks for patience", id);
        } catch (TimeoutException e) {
            return failed("no whole answer within " + TIMEOUT.toSeconds() + " s", id);
        } catch (ExecutionException e) {
            return failed(PublicFault.forLog(e), id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            thread.stop();
            return false;
        } finally {
            exchange.cancel(true);
        }
    }

    /** Signature of a request as in Standard Webhooks: HMAC-SHA256 of id, time and body. */
    static String signature(byte[] key, String id, String second, String body) {
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(new SecretKeySpec(key, "HmacSHA256"));
            byte[] signed = hmac.doFinal((id + "." + second + "." + body).getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(signed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 must be available in every Java platform", e);
        }
    }

    private void accepted(String id) {
        if (attempts > 0) {
            LOG.info("alerts are accepted again, after {} failed attempts ({})", attempts, id);
        }
        attempts = 0;
        sent.incrementAndGet();
    }

    private boolean refused(String why, String id) {
        refused.incrementAndGet();
        attempts = 0;
        LOG.warn("alert {} must be accepted by alerts.webhook.url, got {} (it is not sent again)", id, why);
        return true;
    }

    private boolean failed(String why, String id) {
        return failed(why, id, OptionalLong.empty());
    }

    /** Sets the time of the next attempt; returns false. */
    private boolean failed(String why, String id, OptionalLong retryAfterSeconds) {
        failed.incrementAndGet();
        long doubled = FIRST_PAUSE.toMillis() << Math.min(attempts++, 20);
        long pauseMs =
                Math.min(MAX_PAUSE_MS, Math.max(doubled, TimeUnit.SECONDS.toMillis(retryAfterSeconds.orElse(0))));
        nextAttempt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMs);
        // neither path nor query of the address, which may be a secret
        LOG.warn(
                "alerts must reach {}, got {} (event {}; next attempt in {} s)",
                url.getHost(),
                why,
                id,
                pauseMs / 1_000);
        return false;
    }

    /** Counts a failure of the brokers; returns the pause after it. */
    private Duration readFailed(RuntimeException failure) {
        String message = PublicFault.forLog(failure);
        failed.incrementAndGet();
        if (!message.equals(fault)) {
            fault = message;
            LOG.warn("the alerts must be readable for alerts.webhook.url, got {} (it retries)", message);
        }
        return FIRST_PAUSE;
    }

    /** Stops the thread and waits for it, at most as long as a request may last. */
    @Override
    public void close() {
        thread.stop();
        Consumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
        thread.join(TIMEOUT.multipliedBy(2));
    }
}
