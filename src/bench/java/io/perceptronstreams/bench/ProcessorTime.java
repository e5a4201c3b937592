package io.perceptronstreams.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of this machine since its start, as counted by Linux.
 *
 * @param all time of all processors, idle or not, in ticks
 * @param stolen part of {@code all} that the host of a virtual machine gave to others while a processor had work
 */
record ProcessorTime(long all, long stolen) {
    private static final Path COUNTERS = Path.of("/proc/stat");
    /** user, nice, system, idle, iowait, irq, softirq, steal; further columns are contained in these. */
    private static final int COLUMNS = 8;

    /** Reads the current time; zero on other systems than Linux. */
    static ProcessorTime now() {
        try {
            return Files.exists(COUNTERS) ? parse(Files.readAllLines(COUNTERS).get(0)) : new ProcessorTime(0, 0);
        } catch (IOException e) {
            return new ProcessorTime(0, 0);
        }
    }

    /** Parses the first line of {@code /proc/stat}, the sum of all processors. */
    static ProcessorTime parse(String line) {
        String[] columns = line.split(" +", -1);
        long all = 0;
        for (int k = 1; k <= COLUMNS; k++) {
            all += Long.parseLong(columns[k]);
        }
        return new ProcessorTime(all, Long.parseLong(columns[COLUMNS]));
    }

    /** Percentage of processor time stolen since {@code then}; 0 if unknown. */
    double stolenPercentSince(ProcessorTime then) {
        return all == then.all ? 0 : 100.0 * (stolen - then.stolen) / (all - then.all);
    }
}
