package io.perceptronstreams.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.kafka.KafkaStreamsMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.perceptronstreams.config.ProgramVersion;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.TrialVerdict;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.serde.EventSchemas;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
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
final class MetricsEndpoint implements AutoCloseable {
    static final int MAX_LABELS = 50;
    static final String OTHER = "other";

    /** Status of a model that is no longer there. */
    private static final ModelStatus NONE = new ModelStatus();

    /**
     * A number of each model, as a metric.
     *
     * @param ofOthers the number of several models together; null if it is a counter, which is added up
     */
    private record Measure(
            String name, String help, ToDoubleFunction<ModelStatus> value, ToDoubleFunction<DoubleStream> ofOthers) {
        static Measure ratio(String name, String help, Function<io.perceptronstreams.event.Metrics, Double> value) {
            return ratio(name, help, ModelStatus::getMetrics, value);
        }

        static Measure forecast(String name, String help, Function<Forecasts, Double> value) {
            return ratio(name, help, ModelStatus::getForecasts, value);
        }

        private static <T> Measure ratio(
                String name, String help, Function<ModelStatus, T> part, Function<T, Double> value) {
            ToDoubleFunction<ModelStatus> orNaN = status -> {
                T of = part.apply(status);
                Double ratio = of == null ? null : value.apply(of);
                return ratio == null ? Double.NaN : ratio;
            };
            return new Measure(name, help, orNaN, values -> Double.NaN);
        }
    }

    /** Whole numbers of a status that are no counters. */
    private static final Set<String> NO_COUNTERS =
            Set.of("offset", "epoch", "pending", "countsSince", "outstanding", "correctable");

    /** All whole numbers of a status and of its parts, so that a counter has a metric as soon as it has a field. */
    private static final List<Measure> COUNTERS = Stream.of(
                    counters("", ModelStatus.getClassSchema(), status -> status),
                    counters("", io.perceptronstreams.event.Metrics.getClassSchema(), ModelStatus::getMetrics),
                    counters("forecasts.", Forecasts.getClassSchema(), ModelStatus::getForecasts),
                    counters("decisions.", Decisions.getClassSchema(), ModelStatus::getDecisions),
                    counters("", Corrections.getClassSchema(), ModelStatus::getCorrections))
            .flatMap(measures -> measures)
            .toList();

    private static final List<Measure> GAUGES = List.of(
            new Measure(
                    "perceptron.pending",
                    "Examples that wait for their labels.",
                    ModelStatus::getPending,
                    DoubleStream::sum),
            new Measure(
                    "perceptron.challenger.evidence",
                    "Evidence that a challenger is better, as a share of what a verdict needs: at least 1 if one is; the"
                            + " largest of the model's challengers, 0 without one.",
                    MetricsEndpoint::challengerEvidence,
                    values -> values.max().orElse(0)),
            new Measure(
                    "perceptron.pending.age.seconds",
                    "Event time that the waiting example that is due first has waited.",
                    status -> ModelView.pendingAgeMs(status) == null ? 0 : ModelView.pendingAgeMs(status) / 1e3,
                    values -> values.max().orElse(0)),
            Measure.ratio(
                    "perceptron.kappa",
                    "Cohen's kappa; NaN if undefined.",
                    io.perceptronstreams.event.Metrics::getKappa),
            Measure.ratio(
                    "perceptron.balanced.accuracy",
                    "Mean recall of the classes; NaN if undefined.",
                    io.perceptronstreams.event.Metrics::getBalancedAccuracy),
            Measure.ratio(
                    "perceptron.auc",
                    "Area under the ROC curve of the last auc.window labelled examples; NaN if undefined.",
                    io.perceptronstreams.event.Metrics::getAuc),
            Measure.forecast(
                    "perceptron.brier.score",
                    "Mean squared error of the probabilities of the labels so far; NaN without any.",
                    Forecasts::getBrierScore),
            Measure.forecast(
                    "perceptron.log.loss",
                    "Mean log loss of the probabilities so far; NaN without any.",
                    Forecasts::getLogLoss),
            Measure.forecast(
                    "perceptron.calibration.error",
                    "Expected calibration error of the probabilities so far; NaN without any.",
                    Forecasts::getCalibrationError),
            Measure.forecast(
                    "perceptron.coverage",
                    "Share of the label sets so far that have the true label; NaN without any.",
                    of -> History.share(of.getCovered(), of.getSets())),
            Measure.forecast(
                    "perceptron.set.size",
                    "Mean number of labels in the label sets so far; NaN without any.",
                    of -> History.share(of.getSetLabels(), of.getSets())),
            Measure.forecast(
                    "perceptron.unsure.ratio",
                    "Share of the label sets so far that have no label, or more than one; NaN without any.",
                    of -> History.share(of.getUnsure(), of.getSets())),
            new Measure(
                    "perceptron.decisions.cost",
                    "Cost of the decisions so far, at the present costs; 0 without any.",
                    status -> status.getDecisions() == null
                            ? 0
                            : status.getDecisions().getCost(),
                    DoubleStream::sum),
            new Measure(
                    "perceptron.corrections.outstanding",
                    "Corrected labels that the weights lack until a repair (corrections=repair).",
                    status -> status.getCorrections() == null
                            ? 0
                            : status.getCorrections().getOutstanding(),
                    DoubleStream::sum));

    private static double challengerEvidence(ModelStatus status) {
        double largest = 0;
        List<ChallengerStatus> challengers = status.getChallengers();
        for (ChallengerStatus each : challengers == null ? List.<ChallengerStatus>of() : challengers) {
            boolean isAhead = each.getVote() == null
                    && (each.getVerdict() == TrialVerdict.BETTER
                            || (each.getVerdict() == TrialVerdict.OPEN
                                    && each.getOnlyChampionWrong() > each.getOnlyChallengerWrong()));
            largest = isAhead ? Math.max(largest, each.getEvidence() / each.getThreshold()) : largest;
        }
        return largest;
    }

    private static Stream<Measure> counters(String prefix, Schema schema, Function<ModelStatus, IndexedRecord> part) {
        return schema.getFields().stream()
                .filter(field -> field.schema().getType() == Schema.Type.LONG && !NO_COUNTERS.contains(field.name()))
                .map(field -> {
                    String name = field.name().equals("late") ? "lateLabels" : field.name();
                    return new Measure(
                            "perceptron." + prefix
                                    + name.replaceAll("(?=[A-Z])", ".").toLowerCase(Locale.ROOT),
                            field.doc(),
                            status -> {
                                IndexedRecord values = part.apply(status);
                                return values == null ? 0 : (Long) values.get(field.pos());
                            },
                            null);
                });
    }

    /** Upper bounds of the buckets for the latency of requests with events. */
    private static final Duration[] LATENCIES = IntStream.of(1, 5, 25, 50, 100, 150, 250, 500, 1_000, 2_500, 10_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    /** Kafka has no description of some of its metrics, such as the latency of requests to a broker. */
    private static final MeterFilter EXPLAINED = new MeterFilter() {
        @Override
        public Meter.Id map(Meter.Id id) {
            boolean isExplained =
                    id.getDescription() != null && !id.getDescription().isBlank();
            return isExplained
                    ? id
                    : new Meter.Id(
                            id.getName(),
                            Tags.of(id.getTags()),
                            id.getBaseUnit(),
                            "As Kafka names it: " + id.getName().replace('.', ' ') + ".",
                            id.getType());
        }
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final DashboardState state;
    private final Set<String> labels = new LinkedHashSet<>();
    private final Set<String> reasons = new HashSet<>();

    // by route, way and status: to look one up in the registry takes microseconds
    private final Map<List<String>, Timer> timers = new ConcurrentHashMap<>();
    private KafkaStreamsMetrics streamsMetrics;
    private volatile Map<String, ModelStatus> statuses = Map.of();
    private volatile Collection<ModelStatus> others = List.of();
    // of the other models: the counters by name at the last scrape, and what they have counted since the start
    private Map<String, double[]> othersBefore = Map.of();
    private volatile double[] othersCounted = counts(null);
    private volatile Map<String, Long> states = Map.of();
    private volatile DashboardState.CounterDeltas deltas = new DashboardState.CounterDeltas(0, Map.of(), Map.of());
    private boolean isComplete;

    MetricsEndpoint(DashboardState state, TopicReader reader, SseBroadcaster streams) {
        this.state = state;
        registry.config().meterFilter(EXPLAINED);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        collections.bindTo(registry);
        Gauge.builder("perceptron.build.info", () -> 1)
                .description("1; its labels are version and commit of the program and the version of Java.")
                .tags(build())
                .register(registry);
        counter("perceptron.dead.letters", "Dead letters.", this, each -> each.deltas.deadLetters());
        EventSchemas.symbols("Alert", "kind")
                .forEach(kind -> FunctionCounter.builder(
                                "perceptron.alerts",
                                this,
                                each -> each.deltas.byKind().getOrDefault(kind, 0L))
                        .description("Alerts by kind.")
                        .tag("kind", kind)
                        .register(registry));
        EventSchemas.symbols("ModelStatus", "state")
                .forEach(
                        symbol -> Gauge.builder("perceptron.models", this, each -> each.states.getOrDefault(symbol, 0L))
                                .description("Models shown, by state.")
                                .tag("state", symbol)
                                .register(registry));
        gauge("perceptron.models.dropped", "Models that are no longer shown.", state, DashboardState::droppedModels);
        gauge(
                "perceptron.monitor.lag",
                "Committed records that the monitor has not read.",
                reader,
                each -> each.status().lag());
        counter(
                "perceptron.monitor.records",
                "Records that the monitor has read.",
                reader,
                each -> each.status().read());
        counter(
                "perceptron.monitor.unreadable",
                "Records that the monitor could not decode.",
                reader,
                each -> each.status().unreadable());
        counter(
                "perceptron.monitor.skipped",
                "Mistakes that came faster than the monitor could read.",
                reader,
                each -> each.status().skipped());
        gauge("perceptron.monitor.streams", "Open event streams.", streams, SseBroadcaster::open);
    }

    /** Labels of the build; classes outside of a jar have no version, and a jar built outside of a clone no commit. */
    private static Tags build() {
        ProgramVersion program;
        try {
            program = ProgramVersion.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String version = program == null ? null : program.version();
        String commit = program == null ? null : program.commit();
        return Tags.of(
                "version", version == null ? "unknown" : version,
                "commit", commit == null ? "unknown" : commit,
                "java", Runtime.version().toString());
    }

    /** Adds the lag of the engine in the examples topic. */
    void bind(LagReader lagReader) {
        gauge(
                "perceptron.lag",
                "Records of the examples topic that are not processed; NaN while the brokers do not answer.",
                lagReader,
                MetricsEndpoint::lag);
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
        gauge("perceptron.ready", "1 if /readyz is 200, otherwise 0.", engine, each -> each.isReady() ? 1 : 0);
    }

    /** Adds the metrics of an engine in this process. */
    void bind(EngineProbe probe) {
        gauge(
                "perceptron.store.models.live",
                "Models in memory.",
                probe,
                each -> each.store().liveModels());
        gauge(
                "perceptron.store.heap.bytes",
                "Heap of the models in memory.",
                probe,
                each -> each.store().heapBytes());
        counter(
                "perceptron.store.flushes",
                "Checkpoints.",
                probe,
                each -> each.store().flushes());
        counter(
                "perceptron.store.flush.seconds",
                "Time of checkpoints.",
                probe,
                each -> each.store().flushNanos() / 1e9);
        counter(
                "perceptron.store.dirty.blocks",
                "Records of checkpoints.",
                probe,
                each -> each.store().dirtyBlocks());
        counter(
                "perceptron.store.evictions",
                "Models that were dropped from memory.",
                probe,
                each -> each.store().evictions());
        gauge(
                "perceptron.store.heap.limit.bytes",
                "Limit of the heap of the models in memory (store.heap.bytes).",
                probe,
                EngineProbe::heapLimitBytes);
        gauge("perceptron.store.disk.bytes", "Bytes of the files in state.dir.", probe, EngineProbe::diskBytes);
        gauge(
                "perceptron.restoring.records",
                "Changelog records that are still to be restored.",
                probe,
                each -> each.restoration().stream()
                        .mapToLong(partition -> partition.isDone() ? 0 : partition.total() - partition.restored())
                        .sum());
    }

    /** Adds the state of a replica in this process. */
    void bind(ModelReplica replica) {
        gauge(
                "perceptron.replica.ready",
                "1 if the replica has all models, otherwise 0.",
                replica,
                each -> each.isReady() ? 1 : 0);
        gauge(
                "perceptron.replica.lag",
                "Offsets at the end of the log that the replica has not learned.",
                replica,
                each -> each.states().stream()
                        .mapToDouble(ModelReplica.State::lag)
                        .reduce(Double::sum)
                        .orElse(Double.NaN));
        gauge(
                "perceptron.replica.age.seconds",
                "Largest age of the partitions of the replica.",
                replica,
                each -> each.states().stream()
                                .mapToDouble(ModelReplica.State::ageMs)
                                .max()
                                .orElse(Double.NaN)
                        / 1e3);
        gauge("perceptron.replica.models.live", "Models of the replica in memory.", replica, ModelReplica::liveModels);
        gauge(
                "perceptron.replica.heap.bytes",
                "Heap of the models of the replica in memory.",
                replica,
                ModelReplica::heapBytes);
    }

    /** Adds the alerts that leave the system. */
    void bind(AlertWebhook webhook) {
        counter("perceptron.webhook.sent", "Alerts that alerts.webhook.url has accepted.", webhook, AlertWebhook::sent);
        counter("perceptron.webhook.failures", "Attempts to send an alert that failed.", webhook, AlertWebhook::failed);
        counter(
                "perceptron.webhook.refused",
                "Alerts that were not sent: unreadable, or refused for their contents.",
                webhook,
                AlertWebhook::refused);
    }

    /** Adds the number of requests with events that are not answered. */
    void bind(WriteLimits limits) {
        gauge(
                "perceptron.writes.in.flight",
                "Requests with events that are not answered.",
                limits,
                WriteLimits::requests);
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
                                .description("Time of the requests that send events or predict.")
                                .serviceLevelObjectives(LATENCIES)
                                .register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Adds the metrics of Kafka Streams and its clients. */
    synchronized void bind(KafkaStreams streams) {
        streamsMetrics = new KafkaStreamsMetrics(streams);
        streamsMetrics.bindTo(registry);
    }

    private <T> void gauge(String name, String help, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).description(help).strongReference(true).register(registry);
    }

    private <T> void counter(String name, String help, T of, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, of, value).description(help).register(registry);
    }

    /**
     * Returns the text of all metrics, first those of this program: a reader sees them before those of JVM and Kafka.
     */
    synchronized String scrape() {
        refresh();
        StringBuilder own = new StringBuilder();
        StringBuilder others = new StringBuilder();
        StringBuilder family = others;
        for (String line : registry.scrape().lines().toList()) {
            if (line.startsWith("# HELP ") || line.startsWith("# TYPE ")) {
                family = line.startsWith("perceptron_", "# HELP ".length()) ? own : others;
            }
            family.append(line).append('\n');
        }
        return own.append(others).toString();
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
                        .description("Dead letters by reason.")
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
            for (int k = 0; k < COUNTERS.size(); k++) {
                int counter = k;
                register(COUNTERS.get(k), OTHER, each -> each.othersCounted[counter]);
            }
            for (Measure gauge : GAUGES) {
                register(
                        gauge,
                        OTHER,
                        each -> gauge.ofOthers()
                                .applyAsDouble(each.others.stream().mapToDouble(gauge.value())));
            }
        }
        Map<String, ModelStatus> all = state.statuses();
        all.entrySet().stream()
                .filter(each -> !labels.contains(each.getKey()))
                .sorted(Comparator.comparingLong((Map.Entry<String, ModelStatus> each) ->
                                each.getValue().getExamples())
                        .reversed())
                .limit(MAX_LABELS - labels.size())
                .forEach(each -> label(each.getKey()));
        Map<String, ModelStatus> rest = new HashMap<>(all);
        rest.keySet().removeAll(labels);
        statuses = all;
        others = rest.values();
        countOthers(rest);
    }

    /** Adds the growth of the counters of the other models; a model that was reset counts from 0. */
    private void countOthers(Map<String, ModelStatus> rest) {
        // a model that was dropped may come back, and was counted before
        boolean mayComeBack = state.droppedModels() > 0;
        Map<String, double[]> current = new HashMap<>();
        double[] counted = othersCounted.clone();
        rest.forEach((name, status) -> {
            double[] now = counts(status);
            double[] before = othersBefore.getOrDefault(name, mayComeBack ? now : counts(null));
            for (int k = 0; k < now.length; k++) {
                counted[k] += now[k] < before[k] ? now[k] : now[k] - before[k];
            }
            current.put(name, now);
        });
        othersBefore = current;
        othersCounted = counted;
    }

    /** The counters of a status; zeros without one. */
    private static double[] counts(ModelStatus status) {
        return COUNTERS.stream()
                .mapToDouble(each -> status == null ? 0 : each.value().applyAsDouble(status))
                .toArray();
    }

    private void label(String model) {
        labels.add(model);
        // a model may have the name "other"
        String label = model.equals(OTHER) ? OTHER + "." : model;
        Stream.concat(COUNTERS.stream(), GAUGES.stream())
                .forEach(measure -> register(measure, label, each -> {
                    ModelStatus status = each.statuses.get(model);
                    return measure.value().applyAsDouble(status == null ? NONE : status);
                }));
    }

    private void register(Measure measure, String label, ToDoubleFunction<MetricsEndpoint> value) {
        Tags tags = Tags.of("model", label);
        if (measure.ofOthers() == null) {
            FunctionCounter.builder(measure.name(), this, value)
                    .description(measure.help())
                    .tags(tags)
                    .register(registry);
        } else {
            Gauge.builder(measure.name(), this, value)
                    .description(measure.help())
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }
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
