package io.perceptronstreams.monitor;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;

/** How the engine is doing: from inside where it runs in this process, else from what the brokers tell. */
final class EngineView {
    private final TopicReader feed;
    private final LagReader cluster;
    private final EngineProbe probe;

    /**
     * All of it.
     *
     * @param mode IN_PROCESS, or ALONE if the engine runs elsewhere
     * @param state of Kafka Streams; alone, of the consumer group; null while unknown
     * @param restoration null if alone, as all up to the store
     */
    record Engine(
            String mode,
            String state,
            boolean isReady,
            List<EngineProbe.Restoration> restoration,
            List<EngineProbe.Restoration> replays,
            Commits commits,
            EngineProbe.Store store,
            LagReader.Progress progress,
            TopicReader.Status feed) {}

    /** Means and maxima over the threads, as Kafka Streams measures them over the last half minute; null where it has not yet. */
    record Commits(
            Double latencyAvgMs, Double latencyMaxMs, Double perSecond, Double processedPerSecond, int threads) {}

    /** @param probe null where the engine runs elsewhere */
    EngineView(TopicReader feed, LagReader cluster, EngineProbe probe) {
        this.feed = feed;
        this.cluster = cluster;
        this.probe = probe;
    }

    Engine engine() {
        if (probe == null) {
            return new Engine(
                    "ALONE",
                    cluster.progress().groupState(),
                    isReady(),
                    null,
                    null,
                    null,
                    null,
                    cluster.progress(),
                    feed.status());
        }
        return new Engine(
                "IN_PROCESS",
                state(),
                isReady(),
                probe.restoration(),
                probe.replays(),
                commits(),
                probe.store(),
                cluster.progress(),
                feed.status());
    }

    /** Kafka Streams' state, or REPLAYING while it runs and learns again what lies behind its last checkpoint; null if the engine runs elsewhere. */
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

    /** In the engine's process: whether it is learning. Alone: whether what is shown is not old. */
    boolean isReady() {
        return probe == null ? "LIVE".equals(feed.status().state()) : "RUNNING".equals(state());
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
                sum(all, "process-rate"),
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
