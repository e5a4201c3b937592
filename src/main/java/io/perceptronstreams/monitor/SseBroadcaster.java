package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server-sent events: one thread serves all clients, and none of them can hold it up.
 *
 * <p>A client is a place in a ring and at most one buffer on its way. As long as that buffer is not taken, nothing more is written
 * for it; when the ring has gone round meanwhile, the client is told how many events it lost. A connection whose buffer is not taken within the
 * connector's idle time is closed by it.
 */
final class SseBroadcaster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SseBroadcaster.class);
    private static final long TICK_MS = 200;
    private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Of one client in one tick, so that no more than 2,500 events a second go to a browser. */
    private static final int MAX_PER_TICK = 500;

    private static final int MAX_BYTES = 64 * 1024;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();

    private final String prefix;
    private final Map<Feed, EventRing> rings;
    private final int most;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-streams");

    /** @param most clients at the same time; more are refused */
    SseBroadcaster(String prefix, Map<Feed, EventRing> rings, int most) {
        this.prefix = prefix;
        this.rings = rings;
        this.most = most;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    int open() {
        return open.get();
    }

    int most() {
        return most;
    }

    /**
     * Begins a stream on a response; the callback is completed when it ends.
     *
     * @param model only events of this one; null for all
     * @param lastEventId where to go on; null to begin with what comes from now on
     * @return false, with nothing done, where there are too many streams already
     */
    boolean open(Feed feed, String model, String lastEventId, Response response, Callback callback) {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            return false;
        }
        HttpFields.Mutable headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, "text/event-stream;charset=utf-8");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        headers.put("X-Accel-Buffering", "no");
        EventRing ring = rings.get(feed);
        String topic = feed.topic(prefix);
        StreamPosition seen = lastEventId == null
                ? null
                : StreamPosition.parse(lastEventId, topic).orElse(null);
        EventRing.Start start = seen == null ? ring.atEnd() : ring.after(seen);
        boolean isComplete = start.isComplete() && (seen != null || lastEventId == null);
        clients.add(new Client(ring, topic, model, start.place(), start.positions(), isComplete, response, callback));
        return true;
    }

    private void run() {
        try {
            while (!stopped.await(TICK_MS, TimeUnit.MILLISECONDS)) {
                clients.forEach(this::serve);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
        stopped.countDown();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One event in the text format of event streams; the JSON has no line breaks outside of strings, where they are escaped. */
    private static void write(ByteArrayOutputStream out, String id, Event event) {
        out.writeBytes(("id: " + id + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        try (JsonGenerator json = JSON.createGenerator(out)) {
            event.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
    }

    private static void write(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A connection and its place in the ring; served by one thread, its writes are completed by others. */
    private final class Client implements Callback {
        private final EventRing ring;
        private final String topic;
        private final String model;
        private final StreamPosition positions;
        private final Response response;
        private final Callback callback;
        private long place;
        private long wroteAt = System.nanoTime();
        private String greeting;
        private volatile boolean isWriting;

        Client(
                EventRing ring,
                String topic,
                String model,
                long place,
                StreamPosition positions,
                boolean isComplete,
                Response response,
                Callback callback) {
            this.ring = ring;
            this.topic = topic;
            this.model = model;
            this.place = place;
            this.positions = positions;
            this.response = response;
            this.callback = callback;
            // the client learns the positions at once: one that never got an event resumes without a gap, too
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
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            if (greeting != null) {
                SseBroadcaster.write(out, greeting);
                greeting = null;
            }
            EventRing.Batch batch = ring.read(place, MAX_PER_TICK);
            if (batch.skipped() > 0) {
                SseBroadcaster.write(out, "event: dropped\ndata: {\"count\":" + batch.skipped() + "}\n\n");
            }
            place = batch.next() - batch.events().size();
            for (Event event : batch.events()) {
                if (out.size() >= MAX_BYTES) {
                    break;
                }
                place++;
                if (!positions.isPast(event)) {
                    positions.pass(event);
                    if (model == null || model.equals(event.model())) {
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

    /** The feeds that can be streamed. */
    static List<Feed> feeds() {
        return List.of(Feed.MISTAKES, Feed.COUNTS, Feed.ALERTS);
    }
}
