package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.Topic;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;

/** Reads the output topics and serves them over HTTP, in the process of an engine or alone. */
public final class Monitor implements AutoCloseable {
    private static final int RING = 5_000;

    private final TopicReader reader;
    private final LagReader lagReader;
    private final SseBroadcaster streams;
    private final MetricsEndpoint metrics;
    private final EventRequests requests;
    private final AlertWebhook webhook;
    private final HttpServer server;

    /**
     * Processes in which the monitor shows or uses something; each may be null.
     *
     * @param engine in this process
     * @param gateway to the log, not closed with the monitor; accepts examples, labels and commands
     * @param replica predicts, not closed with the monitor
     */
    public record Parts(EngineProbe engine, EventGateway gateway, ModelReplica replica) {}

    private Monitor(EngineConfig config, int port, SchemaRegistry registry, String commandOptions, Parts parts) {
        DashboardState state = new DashboardState();
        Map<Topic, EventRing> rings = new EnumMap<>(Topic.class);
        SseBroadcaster.TOPICS.forEach(each -> rings.put(each, new EventRing(RING)));
        reader = new TopicReader(config, () -> TopicScan.consumer(config, null), registry, state, rings);
        lagReader = new LagReader(config, () -> Admin.create(config.admin()));
        streams = new SseBroadcaster(config, rings);
        EngineView engine = new EngineView(reader, lagReader, parts.engine(), parts.replica());
        metrics = new MetricsEndpoint(state, reader, streams);
        metrics.bind(lagReader);
        metrics.bind(engine);
        if (parts.engine() != null) {
            metrics.bind(parts.engine());
        }
        if (parts.replica() != null) {
            metrics.bind(parts.replica());
        }
        webhook = config.get(EngineConfigDef.ALERTS_WEBHOOK_URL) == null
                ? null
                : new AlertWebhook(config, () -> TopicScan.consumer(config, AlertWebhook.group(config)), registry);
        if (webhook != null) {
            metrics.bind(webhook);
        }
        Api api = new Api(
                state,
                engine,
                metrics,
                streams,
                new PredictionSearch(config, () -> TopicScan.consumer(config, null), registry),
                commandOptions);
        requests = parts.gateway() == null && parts.replica() == null ? null : requests(config, parts, state);
        server = new HttpServer(config, port, streams, api, requests);
    }

    private EventRequests requests(EngineConfig config, Parts parts, DashboardState state) {
        WriteLimits limits = new WriteLimits(
                config.get(EngineConfigDef.HTTP_WRITE_REQUESTS_MAX),
                config.get(EngineConfigDef.HTTP_WRITE_RATE_MAX),
                config.get(EngineConfigDef.HTTP_REPLICA_RATE_MAX),
                System::nanoTime);
        ReplicaPredictions predictions = parts.replica() == null
                ? null
                : new ReplicaPredictions(parts.replica(), config.get(EngineConfigDef.HTTP_REPLICA_AGE_MAX_MS), limits);
        return new EventRequests(state, parts.gateway(), predictions, limits, metrics);
    }

    /**
     * Starts to listen, without reading. To be called before the engine starts, so that an occupied port is a start-up
     * fault.
     *
     * @param port 0 for any free one
     * @param commandOptions options with which a command finds the same brokers and registry; empty for none
     * @throws MonitorException if the address is not available, or the address or the gateway requires credentials
     */
    public static Monitor open(
            EngineConfig config, int port, SchemaRegistry registry, String commandOptions, Parts parts) {
        HttpSettings.check(config);
        Monitor monitor = new Monitor(config, port, registry, commandOptions, parts);
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
        if (webhook != null) {
            webhook.start();
        }
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
        if (webhook != null) {
            webhook.close();
        }
        lagReader.close();
        metrics.close();
    }
}
