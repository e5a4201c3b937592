package io.perceptronstreams.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Measures throughput and cost of the streams in this process, by the records that their consumers have read: Kafka
 * Streams counts the batches of an engine. The count is up to a poll ahead of what is processed, at the start of a
 * measurement as at its end.
 */
final class ThroughputMeter {
    /** Maximum duration of the warm-up, and of the measurement. */
    static final int MAX_SECONDS = 120;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final KafkaStreams streams;
    private final ProcessHandle broker;
    private final List<? extends Metric> consumed;
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** @param broker the broker's process */
    ThroughputMeter(KafkaStreams streams, ProcessHandle broker) {
        this.streams = streams;
        this.broker = broker;
        this.consumed = streams.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("records-consumed-total")
                        && metric.metricName().tags().keySet().equals(Set.of("client-id"))
                        && !metric.metricName().tags().get("client-id").endsWith("-restore-consumer"))
                .toList();
    }

    /**
     * Measures from one count of records to another, for at most {@link #MAX_SECONDS}.
     *
     * @param onStart called at the start of the measurement
     * @throws IllegalStateException if the streams end before
     */
    Throughput measure(long from, long to, Runnable onStart) {
        await(from);
        onStart.run();
        long heapBefore = liveHeap();
        long firstCount = records();
        long firstCpu = system.getProcessCpuTime();
        double firstBrokerCpu = brokerCpuSeconds();
        ProcessorTime firstProcessors = ProcessorTime.now();
        long firstTime = System.nanoTime();
        await(to);
        long lastCount = records();
        long lastCpu = system.getProcessCpuTime();
        double lastBrokerCpu = brokerCpuSeconds();
        ProcessorTime lastProcessors = ProcessorTime.now();
        long lastTime = System.nanoTime();
        return new Throughput(
                firstCount,
                lastCount - firstCount,
                (lastTime - firstTime) / 1e9,
                (lastCpu - firstCpu) / 1e9,
                lastBrokerCpu - firstBrokerCpu,
                lastProcessors.stolenPercentSince(firstProcessors),
                heapBefore,
                liveHeap());
    }

    /**
     * Waits for a count of records, at most {@link #MAX_SECONDS}.
     *
     * @throws IllegalStateException if the streams end before
     */
    void await(long count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
        while (records() < count && System.nanoTime() < deadline) {
            if (streams.state().hasCompletedShutdown() || streams.state().isShuttingDown()) {
                throw new IllegalStateException(
                        "streams ended after " + records() + " records, before " + count + " were read");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private double brokerCpuSeconds() {
        return broker.info()
                .totalCpuDuration()
                .map(time -> time.toNanos() / 1e9)
                .orElse(Double.NaN);
    }

    private long records() {
        double sum = 0;
        for (Metric metric : consumed) {
            sum += (Double) metric.metricValue();
        }
        return (long) sum;
    }

    private static long liveHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
