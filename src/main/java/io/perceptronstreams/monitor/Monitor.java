package io.perceptronstreams.monitor;

import io.perceptronstreams.registry.SchemaRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.streams.KafkaStreams;

/** The HTTP server with everything behind it; beside an engine or alone. */
public final class Monitor implements AutoCloseable {
    private static final int RING = 5_000;

    private final TopicReader feed;
    private final LagReader cluster;
    private final SseBroadcaster streams;
    private final Metrics metrics;
    private final HttpServer server;

    /**
     * What the monitor reads.
     *
     * @param prefix what topic names start with
     * @param group the engine's consumer group
     * @param consumers makes read-committed consumers without a group
     * @param admins makes admin clients
     */
    public record Source(
            String prefix,
            String group,
            Supplier<Consumer<byte[], byte[]>> consumers,
            Supplier<Admin> admins,
            SchemaRegistry registry) {}

    private Monitor(HttpSettings settings, Source source, EngineProbe probe) {
        DashboardState picture = new DashboardState();
        Map<Feed, EventRing> rings = new EnumMap<>(Feed.class);
        SseBroadcaster.feeds().forEach(each -> rings.put(each, new EventRing(RING)));
        feed = new TopicReader(
                source.prefix(), source.consumers(), source.registry(), settings.lookback(), picture, rings);
        cluster = new LagReader(source.group(), source.prefix() + "-examples", source.admins());
        streams = new SseBroadcaster(source.prefix(), rings, settings.maxStreams());
        EngineView engine = new EngineView(feed, cluster, probe);
        metrics = new Metrics(picture, feed, streams);
        metrics.bind(cluster);
        metrics.bind(engine);
        if (probe != null) {
            metrics.bind(probe);
        }
        Api api = new Api(picture, engine, metrics, streams);
        server = new HttpServer(settings, streams, api);
    }

    /**
     * Listens, without reading anything yet: an engine that has still to start does so first, or not at all where the port is
     * taken.
     *
     * @param probe an engine in this process; null for none
     * @throws MonitorException if it cannot listen, or must not without credentials
     */
    public static Monitor open(HttpSettings settings, Source source, EngineProbe probe) {
        settings.check();
        Monitor monitor = new Monitor(settings, source, probe);
        try {
            monitor.server.start();
        } catch (MonitorException e) {
            monitor.metrics.close();
            throw e;
        }
        monitor.streams.start();
        return monitor;
    }

    /** Begins to read; the brokers need not be there. */
    public void start() {
        feed.start();
        cluster.start();
    }

    /** Adds Kafka Streams' own metrics to those that are served; once it exists. */
    public void bind(KafkaStreams engine) {
        metrics.bind(engine);
    }

    /** Where a browser finds it. */
    public String url() {
        return server.url();
    }

    /** Ends all connections and threads; the registry client is the caller's. */
    @Override
    public void close() {
        streams.close();
        server.close();
        feed.close();
        cluster.close();
        metrics.close();
    }
}
