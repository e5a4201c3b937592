package io.perceptronstreams.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Time of this machine's processors since it started, as Linux counts it.
 *
 * @param all of all processors, idle or not, in ticks
 * @param stolen of it, what the host of a virtual machine gave to others while a processor here had work to do
 */
record ProcessorTime(long all, long stolen) {
    private static final Path COUNTERS = Path.of("/proc/stat");
    /** user, nice, system, idle, iowait, irq, softirq, steal; what follows is contained in these. */
    private static final int COLUMNS = 8;

    /** What it is now; nothing at all where this is not Linux. */
    static ProcessorTime now() {
        try {
            return Files.exists(COUNTERS) ? parse(Files.readAllLines(COUNTERS).get(0)) : new ProcessorTime(0, 0);
        } catch (IOException e) {
            return new ProcessorTime(0, 0);
        }
    }

    /** Reads the first line of {@code /proc/stat}, that of all processors together. */
    static ProcessorTime parse(String line) {
        String[] columns = line.split(" +", -1);
        long all = 0;
        for (int k = 1; k <= COLUMNS; k++) {
            all += Long.parseLong(columns[k]);
        }
        return new ProcessorTime(all, Long.parseLong(columns[COLUMNS]));
    }

    /** The share of the processors' time since then, in percent, that was stolen; 0 where it is not known. */
    double stolenPercentSince(ProcessorTime then) {
        return all == then.all ? 0 : 100.0 * (stolen - then.stolen) / (all - then.all);
    }
}
