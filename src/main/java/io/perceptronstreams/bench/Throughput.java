package io.perceptronstreams.bench;

/**
 * What a process measured while it drained a topic, warm-up excluded.
 *
 * @param before how many examples were processed before
 * @param examples how many were processed in the time measured
 * @param seconds of the clock
 * @param cpuSeconds of all threads of the process
 * @param brokerCpuSeconds of all threads of the broker's process; NaN where the system does not give it
 * @param stolenPercent the share of this machine's processor time that its host gave to others; 0 where that is not known
 * @param heapBefore bytes that were live after a full collection, when the measurement began
 * @param heapAfter bytes that were live after a full collection, when it was over
 */
record Throughput(
        long before,
        long examples,
        double seconds,
        double cpuSeconds,
        double brokerCpuSeconds,
        double stolenPercent,
        long heapBefore,
        long heapAfter) {
    double perSecond() {
        return examples / seconds;
    }

    double cpuMicros() {
        return cpuSeconds * 1e6 / examples;
    }

    double brokerCpuMicros() {
        return brokerCpuSeconds * 1e6 / examples;
    }

    double heapGrowth() {
        return (double) heapAfter / heapBefore;
    }
}
