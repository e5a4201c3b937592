package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.access.Caller;
import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.access.Role;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events: one thread serves all clients and never waits for one of them.
 *
 * <p>A client has a place in a ring and at most one buffer being written; until it is written, the client gets nothing
 * else. If the ring overwrites its place meanwhile, the client gets the number of lost events. The connector closes a
 * connection whose buffer is not written within the idle time-out.
 */
final class SseBroadcaster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SseBroadcaster.class);

    /** Topics that can be streamed. */
    static final List<Topic> TOPICS = List.of(Topic.MISTAKES, Topic.COUNTS, Topic.ALERTS);

    private static final Duration TICK = Duration.ofMillis(200);
    private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Time after which the rights of a client are looked up again. */
    private static final long CHECK_NS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum number of events for one client in one tick, hence 2,500 per second. */
    private static final int MAX_PER_TICK = 500;

    private static final int MAX_BYTES = 64 * 1024;

    private final EngineConfig config;
    private final Map<Topic, EventRing> rings;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private final StoppableThread thread = new StoppableThread("monitor-streams", this::run);

    SseBroadcaster(EngineConfig config, Map<Topic, EventRing> rings) {
        this.config = config;
        this.rings = rings;
    }

    void start() {
        thread.start();
    }

    int open() {
        return open.get();
    }

    /** Maximum number of concurrent clients; others are rejected. */
    int maxStreams() {
        return config.get(EngineConfigDef.HTTP_STREAMS_MAX);
    }

    /**
     * Starts a stream on a response; completes the callback at its end.
     *
     * @param model of the events; null for all
     * @param lastEventId last event of the client; null to start with the next event
     * @param caller returns the client with the rights that it has by then; null if its credentials are no longer valid
     * @return false if there are too many streams; the response is unchanged
     */
    boolean open(
            Topic topic,
            String model,
            String lastEventId,
            Supplier<Caller> caller,
            Response response,
            Callback callback) {
        if (open.incrementAndGet() > maxStreams()) {
            open.decrementAndGet();
            return false;
        }
        putHeaders(response);
        EventRing ring = rings.get(topic);
        String topicName = config.topic(topic);
        StreamPosition seen = lastEventId == null
                ? null
                : StreamPosition.parse(lastEventId, topicName).orElse(null);
        EventRing.Start start = seen == null ? ring.atEnd() : ring.after(seen);
        boolean isComplete = start.isComplete() && (seen != null || lastEventId == null);
        clients.add(new Client(
                ring, topicName, model, caller, start.place(), start.positions(), isComplete, response, callback));
        return true;
    }

    /** Sets the headers of a stream. */
    static void putHeaders(Response response) {
        HttpFields.Mutable headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, "text/event-stream;charset=utf-8");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Accel-Buffering", "no");
    }

    private void run() {
        while (!thread.pause(TICK)) {
            clients.forEach(this::serve);
        }
        clients.forEach(client -> end(client, null));
    }

    private void serve(Client client) {
        try {
            client.serve();
        } catch (RuntimeException e) {
            LOG.debug("a stream ends", e);
            end(client, e);
        }
    }

    private void end(Client client, Throwable cause) {
        if (clients.remove(client)) {
            open.decrementAndGet();
            if (cause == null) {
                client.callback.succeeded();
            } else {
                client.callback.failed(cause);
            }
        }
    }

    /** Ends all streams. */
    @Override
    public void close() {
        thread.stop();
        thread.join(Duration.ofSeconds(2));
    }

    /** Writes one event in the text format of event streams; the JSON contains no line breaks. */
    private static void write(ByteArrayOutputStream out, String id, Event<?> event) {
        out.writeBytes(("id: " + id + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        try (JsonGenerator json = EventJson.WRITER.createGenerator(out)) {
            event.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
    }

    private static void write(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A connection and its place in the ring. Served by one thread; other threads complete its writes. */
    private final class Client implements Callback {
        private final EventRing ring;
        private final String topic;
        private final String model;
        private final Supplier<Caller> caller;
        private final StreamPosition positions;
        private final Response response;
        private final Callback callback;
        private long place;
        private long wroteAt = System.nanoTime();
        private String greeting;
        private ModelPattern models;
        private long checkedAt = System.nanoTime();
        private volatile boolean isWriting;

        Client(
                EventRing ring,
                String topic,
                String model,
                Supplier<Caller> caller,
                long place,
                StreamPosition positions,
                boolean isComplete,
                Response response,
                Callback callback) {
            this.ring = ring;
            this.topic = topic;
            this.model = model;
            this.caller = caller;
            models = caller.get().models();
            this.place = place;
            this.positions = positions;
            this.response = response;
            this.callback = callback;
            // positions are sent at once, so that a client without events can resume without a gap, too
            String id = positions.id(topic);
            greeting = (id == null ? "" : "id: " + id + "\n") + "retry: 2000\n: " + topic + "\n\n"
                    + (isComplete
                            ? ""
                            : "event: gap\ndata: {\"reason\":\"events since the last event id are no longer held\"}\n\n");
        }

        void serve() {
            if (isWriting) {
                return;
            }
            if (System.nanoTime() - checkedAt >= CHECK_NS && !isAllowed()) {
                end(this, null);
                return;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            if (greeting != null) {
                SseBroadcaster.write(out, greeting);
                greeting = null;
            }
            EventRing.Batch batch = ring.read(place, MAX_PER_TICK);
            if (batch.skipped() > 0) {
                SseBroadcaster.write(out, "event: dropped\ndata: {\"count\":" + batch.skipped() + "}\n\n");
            }
            if (batch.isGap()) {
                SseBroadcaster.write(
                        out, "event: gap\ndata: {\"reason\":\"events came faster than they were read\"}\n\n");
            }
            place = batch.next() - batch.events().size();
            for (Event<?> event : batch.events()) {
                if (out.size() >= MAX_BYTES) {
                    break;
                }
                place++;
                if (!positions.isPast(event)) {
                    positions.pass(event);
                    if ((model == null || model.equals(event.model())) && models.matches(event.model())) {
                        SseBroadcaster.write(out, positions.id(topic), event);
                    }
                }
            }
            if (out.size() == 0 && System.nanoTime() - wroteAt >= HEARTBEAT_NS) {
                String id = positions.id(topic);
                SseBroadcaster.write(out, ": heartbeat\n" + (id == null ? "" : "id: " + id + "\n") + "\n");
            }
            if (out.size() > 0) {
                wroteAt = System.nanoTime();
                isWriting = true;
                response.write(false, ByteBuffer.wrap(out.toByteArray()), this);
            }
        }

        /** Takes the rights that the client has now; returns false if it may no longer read. */
        private boolean isAllowed() {
            checkedAt = System.nanoTime();
            Caller now = caller.get();
            if (now == null || now.refusal(Role.READ, model) != null) {
                return false;
            }
            models = now.models();
            return true;
        }

        @Override
        public void succeeded() {
            isWriting = false;
        }

        @Override
        public void failed(Throwable cause) {
            end(this, cause);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }
    }
}
