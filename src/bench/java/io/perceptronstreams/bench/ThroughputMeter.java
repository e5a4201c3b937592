package io.perceptronstreams.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;

/** Measures throughput and cost of the streams in this process, by Kafka Streams' count of processed records. */
final class ThroughputMeter {
    /** Maximum duration of the warm-up, and of the measurement. */
    static final int MAX_SECONDS = 120;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final KafkaStreams streams;
    private final ProcessHandle broker;
    private final List<? extends Metric> processed;
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** @param broker the broker's process */
    ThroughputMeter(KafkaStreams streams, ProcessHandle broker) {
        this.streams = streams;
        this.broker = broker;
        this.processed = streams.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals("stream-thread-metrics")
                        && metric.metricName().name().equals("process-total"))
                .toList();
    }

    /**
     * Measures from one count of processed records to another, for at most {@link #MAX_SECONDS}.
     *
     * @param onStart called at the start of the measurement
     * @throws IllegalStateException if the streams end before
     */
    Throughput measure(long from, long to, Runnable onStart) {
        await(from);
        onStart.run();
        long heapBefore = liveHeap();
        long firstCount = processed();
        long firstCpu = system.getProcessCpuTime();
        double firstBrokerCpu = brokerCpuSeconds();
        ProcessorTime firstProcessors = ProcessorTime.now();
        long firstTime = System.nanoTime();
        await(to);
        long lastCount = processed();
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
     * Waits for a count of processed records, at most {@link #MAX_SECONDS}.
     *
     * @throws IllegalStateException if the streams end before
     */
    void await(long count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_SECONDS);
        while (processed() < count && System.nanoTime() < deadline) {
            if (streams.state().hasCompletedShutdown() || streams.state().isShuttingDown()) {
                throw new IllegalStateException(
                        "streams ended after " + processed() + " records, before " + count + " were processed");
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

    private long processed() {
        double sum = 0;
        for (Metric metric : processed) {
            sum += (Double) metric.metricValue();
        }
        return (long) sum;
    }

    private static long liveHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
