package io.perceptronstreams.monitor;

import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.Topic;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.streams.KafkaStreams;

/** Reads the output topics and serves them over HTTP, in the process of an engine or alone. */
public final class Monitor implements AutoCloseable {
    private static final int RING = 5_000;

    private final TopicReader reader;
    private final LagReader lagReader;
    private final SseBroadcaster streams;
    private final Metrics metrics;
    private final EventRequests requests;
    private final HttpServer server;

    /**
     * Source of the monitor.
     *
     * @param prefix of topic names
     * @param group consumer group of the engine
     * @param consumers creates read-committed consumers without a group
     * @param admins creates admin clients
     */
    public record Source(
            String prefix,
            String group,
            Supplier<Consumer<byte[], byte[]>> consumers,
            Supplier<Admin> admins,
            SchemaRegistry registry) {}

    /**
     * Acceptance of examples and labels.
     *
     * @param gateway not closed with the monitor
     * @param maxRequests maximum number of concurrent requests
     * @param maxRate maximum number of events per second
     */
    public record Writes(EventGateway gateway, int maxRequests, int maxRate) {}

    private Monitor(HttpSettings settings, Source source, EngineProbe probe, Writes writes) {
        DashboardState state = new DashboardState();
        Map<Topic, EventRing> rings = new EnumMap<>(Topic.class);
        SseBroadcaster.TOPICS.forEach(each -> rings.put(each, new EventRing(RING)));
        reader = new TopicReader(
                source.prefix(), source.consumers(), source.registry(), settings.lookback(), state, rings);
        lagReader = new LagReader(source.group(), Topic.EXAMPLES.name(source.prefix()), source.admins());
        streams = new SseBroadcaster(source.prefix(), rings, settings.maxStreams());
        EngineView engine = new EngineView(reader, lagReader, probe);
        metrics = new Metrics(state, reader, streams);
        metrics.bind(lagReader);
        metrics.bind(engine);
        if (probe != null) {
            metrics.bind(probe);
        }
        Api api = new Api(state, engine, metrics, streams);
        requests = writes == null
                ? null
                : new EventRequests(
                        state,
                        writes.gateway(),
                        new WriteLimits(writes.maxRequests(), writes.maxRate(), System::nanoTime),
                        metrics);
        server = new HttpServer(settings, streams, api, requests);
    }

    /**
     * Starts to listen, without reading. To be called before the engine starts, so that an occupied port is a start-up
     * fault.
     *
     * @param probe of an engine in this process; null for none
     * @param writes null if examples and labels are not accepted
     * @throws MonitorException if the address is not available, or the address or {@code writes} require credentials
     */
    public static Monitor open(HttpSettings settings, Source source, EngineProbe probe, Writes writes) {
        settings.check();
        if (writes != null && settings.auth() == null) {
            throw new MonitorException(
                    "http.auth must be set with http.write=true, got none (basic:USER:PASSWORD or bearer:TOKEN)");
        }
        Monitor monitor = new Monitor(settings, source, probe, writes);
        try {
            monitor.server.start();
        } catch (MonitorException e) {
            monitor.metrics.close();
            throw e;
        }
        monitor.streams.start();
        return monitor;
    }

    /** Starts to read; the brokers may be unavailable. */
    public void start() {
        reader.start();
        lagReader.start();
    }

    /** Adds the metrics of Kafka Streams. */
    public void bind(KafkaStreams engine) {
        metrics.bind(engine);
    }

    /** URL for browsers. */
    public String url() {
        return server.url();
    }

    /** Closes all connections and threads, but not the registry client. */
    @Override
    public void close() {
        streams.close();
        server.close();
        if (requests != null) {
            requests.close();
        }
        reader.close();
        lagReader.close();
        metrics.close();
    }
}
