package io.perceptronstreams.bench;

/**
 * Throughput and cost of a process while it processes a topic, without warm-up.
 *
 * @param before number of examples processed before the measurement
 * @param examples number of examples processed during the measurement
 * @param seconds wall-clock time
 * @param cpuSeconds CPU time of the process
 * @param brokerCpuSeconds CPU time of the broker's process; NaN if unknown
 * @param stolenPercent percentage of processor time that the host gave to others; 0 if unknown
 * @param heapBefore live bytes at the start of the measurement, after a full collection
 * @param heapAfter live bytes at its end, after a full collection
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
    /** Returns the same measurement in examples instead of records. */
    Throughput counted(long examplesBefore, long examplesDuring) {
        return new Throughput(
                examplesBefore,
                examplesDuring,
                seconds,
                cpuSeconds,
                brokerCpuSeconds,
                stolenPercent,
                heapBefore,
                heapAfter);
    }

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
