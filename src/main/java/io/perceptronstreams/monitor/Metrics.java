package io.perceptronstreams.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.serde.EventSchemas;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Metrics in the Prometheus text format.
 *
 * <p>At most {@link #MAX_LABELS} models have their own label: those with the most examples when a label is free. A
 * model keeps its label, so that no counter decreases. The other models are counted together as {@code other}, and what
 * they have counted stays in it when they are reset or deleted.
 *
 * <p>Counters of models are published only after the initial backlog is read, so that a restart does not look like a
 * burst. Counters of dead letters and alerts start from 0 then, because their topics have a retention time.
 */
final class Metrics implements AutoCloseable {
    static final int MAX_LABELS = 50;
    static final String OTHER = "other";

    private static final Map<String, ToDoubleFunction<ModelTotals>> MEASURES = Map.ofEntries(
            Map.entry("perceptron.examples", ModelTotals::examples),
            Map.entry("perceptron.labelled", ModelTotals::labelled),
            Map.entry("perceptron.errors", ModelTotals::errors),
            Map.entry("perceptron.mistakes", ModelTotals::mistakes),
            Map.entry("perceptron.margin.mistakes", ModelTotals::marginMistakes),
            Map.entry("perceptron.updates", ModelTotals::updates),
            Map.entry("perceptron.rerouted", ModelTotals::rerouted),
            Map.entry("perceptron.late.labels", ModelTotals::late),
            Map.entry("perceptron.unlabelled", ModelTotals::unlabelled),
            Map.entry("perceptron.defaulted", ModelTotals::defaulted),
            Map.entry("perceptron.compared", ModelTotals::compared),
            Map.entry("perceptron.compared.errors", ModelTotals::comparedErrors),
            Map.entry("perceptron.majority.errors", ModelTotals::majorityErrors),
            Map.entry("perceptron.same.errors", ModelTotals::sameErrors));

    private static final Map<String, ToDoubleFunction<ModelTotals>> GAUGES = Map.of(
            "perceptron.pending",
            ModelTotals::pending,
            "perceptron.pending.age.seconds",
            totals -> totals.pendingAgeMs() / 1e3,
            "perceptron.kappa",
            ModelTotals::kappa,
            "perceptron.balanced.accuracy",
            ModelTotals::balancedAccuracy,
            "perceptron.auc",
            ModelTotals::auc);

    /** Upper bounds of the buckets for the latency of requests with events. */
    private static final Duration[] LATENCIES = IntStream.of(1, 5, 25, 50, 100, 150, 250, 500, 1_000, 2_500, 10_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final DashboardState state;
    private final Set<String> labels = new LinkedHashSet<>();
    private final Set<String> reasons = new HashSet<>();

    // by route, way and status: to look one up in the registry takes microseconds
    private final Map<List<String>, Timer> timers = new ConcurrentHashMap<>();
    private KafkaStreamsMetrics streamsMetrics;
    private volatile Map<String, ModelTotals> totals = Map.of();
    private volatile ModelTotals others = ModelTotals.NONE;
    private volatile ModelTotals othersNow = ModelTotals.NONE;
    // of the other models, by name, at the last scrape
    private Map<String, ModelTotals> othersBefore = Map.of();
    private volatile Map<String, Long> states = Map.of();
    private volatile DashboardState.CounterDeltas deltas = new DashboardState.CounterDeltas(0, Map.of(), Map.of());
    private boolean isComplete;

    Metrics(DashboardState state, TopicReader reader, SseBroadcaster streams) {
        this.state = state;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
        counter("perceptron.dead.letters", this, each -> each.deltas.deadLetters());
        symbols("Alert", "kind")
                .forEach(kind -> FunctionCounter.builder(
                                "perceptron.alerts",
                                this,
                                each -> each.deltas.byKind().getOrDefault(kind, 0L))
                        .tag("kind", kind)
                        .register(registry));
        symbols("ModelStatus", "state")
                .forEach(
                        symbol -> Gauge.builder("perceptron.models", this, each -> each.states.getOrDefault(symbol, 0L))
                                .tag("state", symbol)
                                .register(registry));
        gauge("perceptron.models.dropped", state, DashboardState::droppedModels);
        gauge("perceptron.monitor.lag", reader, each -> each.status().lag());
        counter("perceptron.monitor.records", reader, each -> each.status().read());
        counter("perceptron.monitor.unreadable", reader, each -> each.status().unreadable());
        counter("perceptron.monitor.skipped", reader, each -> each.status().skipped());
        gauge("perceptron.monitor.streams", streams, SseBroadcaster::open);
    }

    private static List<String> symbols(String event, String field) {
        return EventSchemas.schema(event).getField(field).schema().getEnumSymbols();
    }

    /** Adds the lag of the engine in the examples topic. */
    void bind(LagReader lagReader) {
        gauge("perceptron.lag", lagReader, Metrics::lag);
    }

    /** Lag, or NaN while the brokers do not answer. */
    private static double lag(LagReader reader) {
        return reader.isAnswered()
                ? reader.progress().partitions().stream()
                        .mapToLong(LagReader.Lag::lag)
                        .sum()
                : Double.NaN;
    }

    /** Adds the state of {@code /readyz}. */
    void bind(EngineView engine) {
        gauge("perceptron.ready", engine, each -> each.isReady() ? 1 : 0);
    }

    /** Adds the metrics of an engine in this process. */
    void bind(EngineProbe probe) {
        gauge("perceptron.store.models.live", probe, each -> each.store().liveModels());
        gauge("perceptron.store.heap.bytes", probe, each -> each.store().heapBytes());
        counter("perceptron.store.flushes", probe, each -> each.store().flushes());
        counter("perceptron.store.flush.seconds", probe, each -> each.store().flushNanos() / 1e9);
        counter("perceptron.store.dirty.blocks", probe, each -> each.store().dirtyBlocks());
        counter("perceptron.store.evictions", probe, each -> each.store().evictions());
        gauge("perceptron.store.heap.limit.bytes", probe, EngineProbe::heapLimitBytes);
        gauge("perceptron.store.disk.bytes", probe, EngineProbe::diskBytes);
        gauge(
                "perceptron.restoring.records",
                probe,
                each -> each.restoration().stream()
                        .mapToLong(partition -> partition.isDone() ? 0 : partition.total() - partition.restored())
                        .sum());
    }

    /** Adds the state of a replica in this process. */
    void bind(ModelReplica replica) {
        gauge("perceptron.replica.ready", replica, each -> each.isReady() ? 1 : 0);
        gauge(
                "perceptron.replica.lag",
                replica,
                each -> each.states().stream()
                        .mapToDouble(ModelReplica.State::lag)
                        .reduce(Double::sum)
                        .orElse(Double.NaN));
        gauge(
                "perceptron.replica.age.seconds",
                replica,
                each -> each.states().stream()
                                .mapToDouble(ModelReplica.State::ageMs)
                                .max()
                                .orElse(Double.NaN)
                        / 1e3);
        gauge("perceptron.replica.models.live", replica, ModelReplica::liveModels);
        gauge("perceptron.replica.heap.bytes", replica, ModelReplica::heapBytes);
    }

    /** Adds the number of requests with events that are not answered. */
    void bind(WriteLimits limits) {
        gauge("perceptron.writes.in.flight", limits, WriteLimits::requests);
    }

    /**
     * Counts a request with events, and its time from the request's headers to the end of the answer.
     *
     * @param via {@code log} or {@code replica}
     * @param status of HTTP, or {@code aborted} if the connection ended before
     */
    void answered(String route, String via, String status, long nanos) {
        timers.computeIfAbsent(
                        List.of(route, via, status),
                        any -> Timer.builder("perceptron.writes")
                                .tags(Tags.of("route", route, "via", via, "status", status))
                                .serviceLevelObjectives(LATENCIES)
                                .register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Adds the metrics of Kafka Streams and its clients. */
    synchronized void bind(KafkaStreams streams) {
        streamsMetrics = new KafkaStreamsMetrics(streams);
        streamsMetrics.bindTo(registry);
    }

    private <T> void gauge(String name, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).strongReference(true).register(registry);
    }

    private <T> void counter(String name, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, of, value).register(registry);
    }

    /** Returns the text of all metrics. */
    synchronized String scrape() {
        refresh();
        return registry.scrape();
    }

    private void refresh() {
        states = state.states();
        deltas = state.counterDeltas();
        for (String reason : deltas.byReason().keySet()) {
            if (reasons.add(reason)) {
                FunctionCounter.builder(
                                "perceptron.rejected",
                                this,
                                each -> each.deltas.byReason().getOrDefault(reason, 0L))
                        .tag("reason", reason)
                        .register(registry);
            }
        }
        if (state.hasCaughtUp()) {
            refreshModels();
        }
    }

    private void refreshModels() {
        if (!isComplete) {
            isComplete = true;
            measures(OTHER, metrics -> metrics.others, metrics -> metrics.othersNow);
        }
        Map<String, ModelTotals> all = state.totals();
        all.entrySet().stream()
                .filter(each -> !labels.contains(each.getKey()))
                .sorted(Comparator.comparingLong((Map.Entry<String, ModelTotals> each) ->
                                each.getValue().examples())
                        .reversed())
                .limit(MAX_LABELS - labels.size())
                .forEach(each -> label(each.getKey()));
        Map<String, ModelTotals> own = new HashMap<>();
        Map<String, ModelTotals> rest = new HashMap<>();
        all.forEach((name, each) -> (labels.contains(name) ? own : rest).put(name, each));
        totals = own;
        countOthers(rest);
    }

    private void countOthers(Map<String, ModelTotals> now) {
        // a model that was dropped may come back, and was counted before
        boolean mayComeBack = state.droppedModels() > 0;
        ModelTotals counted = others;
        ModelTotals sum = ModelTotals.NONE;
        for (Map.Entry<String, ModelTotals> each : now.entrySet()) {
            ModelTotals unseen = mayComeBack ? each.getValue() : ModelTotals.NONE;
            counted = counted.plus(each.getValue().since(othersBefore.getOrDefault(each.getKey(), unseen)));
            sum = sum.plus(each.getValue());
        }
        othersBefore = now;
        others = counted;
        othersNow = sum;
    }

    private void label(String model) {
        labels.add(model);
        // a model may have the name "other"
        Function<Metrics, ModelTotals> own = each -> each.totals.getOrDefault(model, ModelTotals.NONE);
        measures(model.equals(OTHER) ? OTHER + "." : model, own, own);
    }

    private void measures(
            String label, Function<Metrics, ModelTotals> counted, Function<Metrics, ModelTotals> present) {
        MEASURES.forEach((name, measure) -> FunctionCounter.builder(
                        name, this, each -> measure.applyAsDouble(counted.apply(each)))
                .tags(Tags.of("model", label))
                .register(registry));
        GAUGES.forEach((name, measure) -> Gauge.builder(name, this, each -> measure.applyAsDouble(present.apply(each)))
                .tags(Tags.of("model", label))
                .strongReference(true)
                .register(registry));
    }

    @Override
    public synchronized void close() {
        if (streamsMetrics != null) {
            streamsMetrics.close();
        }
        collections.close();
        registry.close();
    }
}
