package io.perceptronstreams.monitor;

import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.store.StoreCounters;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;

/** State of the engine: from its probe if it runs in this process, else from the brokers. */
final class EngineView {
    private final TopicReader reader;
    private final LagReader lagReader;
    private final EngineProbe probe;
    private final ModelReplica replica;
    private volatile boolean hasBeenReady;

    /** Place of the engine. */
    enum Mode {
        IN_PROCESS,
        /** The engine runs in another process. */
        ALONE
    }

    /**
     * State of the engine. {@code restoration} to {@code store} are null in mode ALONE.
     *
     * @param state of Kafka Streams, or in mode ALONE of the consumer group; null while unknown
     */
    record Engine(
            Mode mode,
            String state,
            boolean isReady,
            List<EngineProbe.Restoration> restoration,
            List<EngineProbe.Restoration> replays,
            Commits commits,
            StoreCounters.Totals store,
            LagReader.Progress progress,
            TopicReader.Status feed) {}

    /** Means and maxima over the threads, measured by Kafka Streams over the last 30 s; null before the first value. */
    record Commits(
            Double latencyAvgMs, Double latencyMaxMs, Double perSecond, Double processedPerSecond, int threads) {}

    /**
     * @param probe null if the engine runs in another process
     * @param replica null if there is none in this process
     */
    EngineView(TopicReader reader, LagReader lagReader, EngineProbe probe, ModelReplica replica) {
        this.replica = replica;
        this.reader = reader;
        this.lagReader = lagReader;
        this.probe = probe;
    }

    Engine engine() {
        if (probe == null) {
            return new Engine(
                    Mode.ALONE,
                    lagReader.progress().groupState(),
                    isReady(),
                    null,
                    null,
                    null,
                    null,
                    lagReader.progress(),
                    reader.status());
        }
        return new Engine(
                Mode.IN_PROCESS,
                state(),
                isReady(),
                probe.restoration(),
                probe.replays(),
                commits(),
                probe.store(),
                lagReader.progress().with(probe.waits()),
                reader.status());
    }

    /** State of Kafka Streams, or REPLAYING during a replay; null if the engine runs in another process. */
    String state() {
        if (probe == null) {
            return null;
        }
        KafkaStreams streams = probe.streams();
        if (streams == null) {
            return "STARTING";
        }
        boolean isReplaying = streams.state() == KafkaStreams.State.RUNNING
                && probe.replays().stream().anyMatch(replay -> !replay.isDone());
        return isReplaying ? "REPLAYING" : streams.state().name();
    }

    /**
     * Returns true if the engine in this process is learning or, without one, if the reader is live; and the replica in
     * this process, if there is one, has all models.
     */
    boolean isReady() {
        boolean isReady =
                (probe == null ? reader.status().state() == TopicReader.State.LIVE : "RUNNING".equals(state()))
                        && (replica == null || replica.isReady());
        if (isReady) {
            hasBeenReady = true;
        }
        return isReady;
    }

    /**
     * Returns true once the engine was ready; stays true after rebalancing or shutdown.
     */
    boolean isStarted() {
        return hasBeenReady || isReady();
    }

    private Commits commits() {
        KafkaStreams streams = probe.streams();
        if (streams == null) {
            return null;
        }
        Map<?, ? extends Metric> metrics = streams.metrics();
        Collection<? extends Metric> all = metrics.values();
        long threads =
                all.stream().filter(metric -> isOfThread(metric, "commit-rate")).count();
        return new Commits(
                mean(all, "commit-latency-avg"),
                boxed(all.stream()
                        .filter(metric -> isOfThread(metric, "commit-latency-max"))
                        .mapToDouble(EngineView::value)
                        .filter(Double::isFinite)
                        .max()),
                sum(all, "commit-rate"),
                recordRate(all),
                (int) threads);
    }

    private static Double mean(Collection<? extends Metric> all, String name) {
        return boxed(all.stream()
                .filter(metric -> isOfThread(metric, name))
                .mapToDouble(EngineView::value)
                .filter(Double::isFinite)
                .average());
    }

    private static Double sum(Collection<? extends Metric> all, String name) {
        return all.stream()
                .filter(metric -> isOfThread(metric, name))
                .mapToDouble(EngineView::value)
                .filter(Double::isFinite)
                .sum();
    }

    /** Records per second that the main consumers have read; Kafka Streams itself counts batches of records. */
    private static double recordRate(Collection<? extends Metric> all) {
        return all.stream()
                .filter(metric -> metric.metricName().name().equals("records-consumed-rate")
                        && metric.metricName().tags().keySet().equals(Set.of("client-id"))
                        && !metric.metricName().tags().get("client-id").endsWith("-restore-consumer"))
                .mapToDouble(EngineView::value)
                .filter(Double::isFinite)
                .sum();
    }

    private static Double boxed(OptionalDouble number) {
        return number.isPresent() ? number.getAsDouble() : null;
    }

    private static boolean isOfThread(Metric metric, String name) {
        return metric.metricName().name().equals(name)
                && metric.metricName().group().equals("stream-thread-metrics");
    }

    private static double value(Metric metric) {
        return metric.metricValue() instanceof Number number ? number.doubleValue() : Double.NaN;
    }
}
