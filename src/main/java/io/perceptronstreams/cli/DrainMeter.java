package io.perceptronstreams.cli;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.Metric;
import org.apache.kafka.streams.KafkaStreams;

/** Watches from within a process how fast it works off a topic, and at what cost, by Kafka Streams' own count of records. */
final class DrainMeter {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final KafkaStreams streams;
    private final List<? extends Metric> processed;
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    DrainMeter(KafkaStreams streams) {
        this.streams = streams;
        this.processed = streams.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals("stream-thread-metrics")
                        && metric.metricName().name().equals("process-total"))
                .toList();
    }

    /**
     * Measures from one count of processed records to another.
     *
     * @param onStart called when the measurement begins
     * @throws IllegalStateException if the streams end before
     */
    Drain measure(long from, long to, Runnable onStart) {
        await(from);
        onStart.run();
        long heapBefore = liveHeap();
        long firstCount = processed();
        long firstCpu = system.getProcessCpuTime();
        ProcessorTime firstProcessors = ProcessorTime.now();
        long firstTime = System.nanoTime();
        await(to);
        long lastCount = processed();
        long lastCpu = system.getProcessCpuTime();
        ProcessorTime lastProcessors = ProcessorTime.now();
        long lastTime = System.nanoTime();
        return new Drain(
                lastCount - firstCount,
                (lastTime - firstTime) / 1e9,
                (lastCpu - firstCpu) / 1e9,
                lastProcessors.stolenPercentSince(firstProcessors),
                heapBefore,
                liveHeap());
    }

    private void await(long count) {
        while (processed() < count) {
            if (streams.state().hasCompletedShutdown() || streams.state().isShuttingDown()) {
                throw new IllegalStateException(
                        "streams ended after " + processed() + " records, before " + count + " were processed");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
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
