package io.perceptronstreams.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
    private final Picture picture;
    private final Set<String> labels = new LinkedHashSet<>();
    private final Set<String> reasons = new HashSet<>();
    private KafkaStreamsMetrics streamsMetrics;
    private volatile Map<String, ModelTotals> totals = Map.of();
    private volatile ModelTotals others = ModelTotals.NONE;
    private volatile Map<String, Long> rejected = Map.of();

    Metrics(Picture picture, LiveFeed feed, EventStreams streams) {
        this.picture = picture;
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        collections.bindTo(registry);
        counter("perceptron.alerts", picture, each -> each.read(Feed.ALERTS));
        gauge("perceptron.models", picture, Picture::size);
        counter("perceptron.models.dropped", picture, Picture::droppedModels);
        gauge("perceptron.monitor.lag", feed, each -> each.status().lag());
        counter("perceptron.monitor.records", feed, each -> each.status().read());
        counter("perceptron.monitor.unreadable", feed, each -> each.status().unreadable());
        counter("perceptron.monitor.skipped", feed, each -> each.status().skipped());
        gauge("perceptron.monitor.streams", streams, EventStreams::open);
        measures(OTHER, metrics -> metrics.others);
    }

    /** Adds the lag of the engine in the examples topic. */
    void bind(ClusterWatch cluster) {
        gauge(
                "perceptron.lag",
                cluster,
                each -> each.progress().partitions().stream()
                        .mapToLong(ClusterWatch.Lag::lag)
                        .sum());
    }

    /** Adds what an engine in this process knows; the client's and Streams' own metrics as soon as it has started. */
    void bind(EngineProbe probe) {
        gauge("perceptron.store.models.live", probe, each -> each.store().liveModels());
        gauge("perceptron.store.heap.bytes", probe, each -> each.store().heapBytes());
        counter("perceptron.store.flushes", probe, each -> each.store().flushes());
        counter("perceptron.store.flush.seconds", probe, each -> each.store().flushNanos() / 1e9);
        counter("perceptron.store.dirty.blocks", probe, each -> each.store().dirtyBlocks());
        counter("perceptron.store.evictions", probe, each -> each.store().evictions());
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
        Map<String, ModelTotals> all = picture.totals();
        rejected = picture.deadLetters(0).byReason();
        for (String reason : rejected.keySet()) {
            if (reasons.add(reason)) {
                FunctionCounter.builder("perceptron.rejected", this, each -> each.rejected.getOrDefault(reason, 0L))
                        .tag("reason", reason)
                        .register(registry);
            }
        }
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
