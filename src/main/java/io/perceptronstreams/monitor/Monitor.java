package io.perceptronstreams.monitor;

import io.perceptronstreams.model.ModelReplica;
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
     * @param consumers creates read-committed consumers without a group, whose poll throws where the next record is gone
     * @param admins creates admin clients
     * @param faults of the partitions of the examples topic
     * @param commandOptions options with which a command finds the same brokers and registry; empty for none
     */
    public record Source(
            String prefix,
            String group,
            Supplier<Consumer<byte[], byte[]>> consumers,
            Supplier<Admin> admins,
            PartitionFaults faults,
            SchemaRegistry registry,
            String commandOptions) {}

    /**
     * Acceptance of examples and labels.
     *
     * @param gateway to the log, not closed with the monitor; null if nothing can be sent to it
     * @param replica predicts, not closed with the monitor; null if there is none
     * @param maxAgeMs maximum age of a model that predicts, in ms; 0 for any
     * @param maxRequests maximum number of concurrent requests
     * @param maxRate maximum number of events for the log per second
     * @param maxReplicaRate maximum number of examples for the replica per second
     */
    public record Events(
            EventGateway gateway,
            ModelReplica replica,
            long maxAgeMs,
            int maxRequests,
            int maxRate,
            int maxReplicaRate) {
        /** Nothing is accepted. */
        public static final Events NONE = new Events(null, null, 0, 0, 0, 0);

        private boolean isNone() {
            return gateway == null && replica == null;
        }
    }

    private Monitor(HttpSettings settings, Source source, EngineProbe probe, Events events) {
        DashboardState state = new DashboardState();
        Map<Topic, EventRing> rings = new EnumMap<>(Topic.class);
        SseBroadcaster.TOPICS.forEach(each -> rings.put(each, new EventRing(RING)));
        reader = new TopicReader(
                source.prefix(), source.consumers(), source.registry(), settings.lookback(), state, rings);
        lagReader =
                new LagReader(source.group(), Topic.EXAMPLES.name(source.prefix()), source.admins(), source.faults());
        streams = new SseBroadcaster(source.prefix(), rings, settings.maxStreams());
        EngineView engine = new EngineView(reader, lagReader, probe, events.replica());
        metrics = new Metrics(state, reader, streams);
        metrics.bind(lagReader);
        metrics.bind(engine);
        if (probe != null) {
            metrics.bind(probe);
        }
        Api api = new Api(state, engine, metrics, streams, source.commandOptions());
        requests = events.isNone() ? null : requests(events, state);
        if (events.replica() != null) {
            metrics.bind(events.replica());
        }
        server = new HttpServer(settings, streams, api, requests);
    }

    private EventRequests requests(Events events, DashboardState state) {
        WriteLimits limits =
                new WriteLimits(events.maxRequests(), events.maxRate(), events.maxReplicaRate(), System::nanoTime);
        return new EventRequests(
                state,
                events.gateway(),
                events.replica() == null ? null : new ReplicaPredictions(events.replica(), events.maxAgeMs(), limits),
                limits,
                metrics);
    }

    /**
     * Starts to listen, without reading. To be called before the engine starts, so that an occupied port is a start-up
     * fault.
     *
     * @param probe of an engine in this process; null for none
     * @throws MonitorException if the address is not available, or the address or the gateway requires credentials
     */
    public static Monitor open(HttpSettings settings, Source source, EngineProbe probe, Events events) {
        settings.check();
        if (events.gateway() != null && settings.auth() == null) {
            throw new MonitorException(
                    "http.auth must be set with http.write=true, got none (basic:USER:PASSWORD or bearer:TOKEN)");
        }
        Monitor monitor = new Monitor(settings, source, probe, events);
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
