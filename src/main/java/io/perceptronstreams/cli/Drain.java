package io.perceptronstreams.cli;

/**
 * What a process says of itself after it has worked off a topic, warm-up excluded.
 *
 * @param examples how many were processed in the time measured
 * @param seconds of the clock
 * @param cpuSeconds of all threads of the process
 * @param stolenPercent the share of this machine's processor time that its host gave to others; 0 where that is not known
 * @param heapBefore bytes that were live after a full collection, when the measurement began
 * @param heapAfter bytes that were live after a full collection, when it was over
 */
record Drain(long examples, double seconds, double cpuSeconds, double stolenPercent, long heapBefore, long heapAfter) {
    double perSecond() {
        return examples / seconds;
    }

    double cpuMicros() {
        return cpuSeconds * 1e6 / examples;
    }

    double heapGrowth() {
        return (double) heapAfter / heapBefore;
    }
}
