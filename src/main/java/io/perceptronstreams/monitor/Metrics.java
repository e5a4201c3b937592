package io.perceptronstreams.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.perceptronstreams.serde.EventSchemas;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.streams.KafkaStreams;

/**
 * The metrics, in Prometheus' text format.
 *
 * <p>At most {@link #MAX_LABELS} models have a label of their own, the largest of those that are there when places are free; a place is kept, so
 * that no counter falls because another model grew. The others are counted together as {@code other}.
 *
 * <p>Counters of models are not served before all that was there at the start has been read: while they grew again from 0, a rate would take
 * every restart for a rush. Those of dead letters and alerts begin at 0 at that moment, for their topics forget.
 */
final class Metrics implements AutoCloseable {
    static final int MAX_LABELS = 50;
    static final String OTHER = "other";

    private static final Map<String, ToDoubleFunction<ModelTotals>> MEASURES = Map.of(
            "perceptron.examples", ModelTotals::examples,
            "perceptron.labelled", ModelTotals::labelled,
            "perceptron.errors", ModelTotals::errors,
            "perceptron.mistakes", ModelTotals::mistakes,
            "perceptron.margin.mistakes", ModelTotals::marginMistakes,
            "perceptron.updates", ModelTotals::updates,
            "perceptron.rerouted", ModelTotals::rerouted);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final DashboardState picture;
    private final Set<String> labels = new LinkedHashSet<>();
    private final Set<String> reasons = new HashSet<>();
    private KafkaStreamsMetrics streamsMetrics;
    private volatile Map<String, ModelTotals> totals = Map.of();
    private volatile ModelTotals others = ModelTotals.NONE;
    private volatile Map<String, Long> states = Map.of();
    private volatile DashboardState.News news = new DashboardState.News(0, Map.of(), Map.of());
    private boolean isComplete;

    Metrics(DashboardState picture, TopicReader feed, SseBroadcaster streams) {
        this.picture = picture;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
        counter("perceptron.dead.letters", this, each -> each.news.deadLetters());
        symbols("Alert", "kind")
                .forEach(kind -> FunctionCounter.builder(
                                "perceptron.alerts",
                                this,
                                each -> each.news.byKind().getOrDefault(kind, 0L))
                        .tag("kind", kind)
                        .register(registry));
        symbols("ModelStatus", "state")
                .forEach(state -> Gauge.builder("perceptron.models", this, each -> each.states.getOrDefault(state, 0L))
                        .tag("state", state)
                        .register(registry));
        counter("perceptron.models.dropped", picture, DashboardState::droppedModels);
        gauge("perceptron.monitor.lag", feed, each -> each.status().lag());
        counter("perceptron.monitor.records", feed, each -> each.status().read());
        counter("perceptron.monitor.unreadable", feed, each -> each.status().unreadable());
        counter("perceptron.monitor.skipped", feed, each -> each.status().skipped());
        gauge("perceptron.monitor.streams", streams, SseBroadcaster::open);
    }

    private static List<String> symbols(String event, String field) {
        return EventSchemas.schema(event).getField(field).schema().getEnumSymbols();
    }

    /** Adds the lag of the engine in the examples topic. */
    void bind(LagReader cluster) {
        gauge("perceptron.lag", cluster, each -> lag(each.progress()));
    }

    /** NaN while the brokers do not answer: the last answer says nothing of now. */
    private static double lag(LagReader.Progress progress) {
        return progress.at() == null || progress.fault() != null
                ? Double.NaN
                : progress.partitions().stream().mapToLong(LagReader.Lag::lag).sum();
    }

    /** Adds what {@code /readyz} says. */
    void bind(EngineView engine) {
        gauge("perceptron.ready", engine, each -> each.isReady() ? 1 : 0);
    }

    /** Adds what an engine in this process knows; the client's and Streams' own metrics as soon as it has started. */
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

    /** Adds Kafka Streams' metrics and those of its clients. */
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

    /** The text for a scrape. */
    synchronized String scrape() {
        refresh();
        return registry.scrape();
    }

    private void refresh() {
        states = picture.states();
        news = picture.news();
        for (String reason : news.byReason().keySet()) {
            if (reasons.add(reason)) {
                FunctionCounter.builder(
                                "perceptron.rejected",
                                this,
                                each -> each.news.byReason().getOrDefault(reason, 0L))
                        .tag("reason", reason)
                        .register(registry);
            }
        }
        if (picture.hasCaughtUp()) {
            refreshModels();
        }
    }

    private void refreshModels() {
        if (!isComplete) {
            isComplete = true;
            measures(OTHER, metrics -> metrics.others);
        }
        Map<String, ModelTotals> all = picture.totals();
        all.entrySet().stream()
                .filter(each -> !labels.contains(each.getKey()))
                .sorted(Comparator.comparingLong((Map.Entry<String, ModelTotals> each) ->
                                each.getValue().examples())
                        .reversed())
                .limit(MAX_LABELS - labels.size())
                .forEach(each -> label(each.getKey()));
        Map<String, ModelTotals> own = new HashMap<>();
        ModelTotals rest = ModelTotals.NONE;
        for (Map.Entry<String, ModelTotals> each : all.entrySet()) {
            if (labels.contains(each.getKey())) {
                own.put(each.getKey(), each.getValue());
            } else {
                rest = rest.plus(each.getValue());
            }
        }
        totals = own;
        others = rest;
    }

    private void label(String model) {
        labels.add(model);
        // a model may be called as the rest is
        measures(model.equals(OTHER) ? OTHER + "." : model, each -> each.totals.getOrDefault(model, ModelTotals.NONE));
    }

    private void measures(String label, Function<Metrics, ModelTotals> of) {
        MEASURES.forEach(
                (name, measure) -> FunctionCounter.builder(name, this, each -> measure.applyAsDouble(of.apply(each)))
                        .tags(Tags.of("model", label))
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
