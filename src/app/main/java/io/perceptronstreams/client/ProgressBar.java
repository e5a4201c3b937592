package io.perceptronstreams.client;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Progress line on standard error; prints nothing if standard error is not a terminal. */
public final class ProgressBar implements AutoCloseable {
    private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int BAR_WIDTH = 30;
    private static final int STDERR = 2;

    private final PrintStream terminal;
    private final long total;
    private final long start = System.nanoTime();
    private long lastShown = start;

    /** @param terminal null for no output; total Long.MAX_VALUE if unknown */
    ProgressBar(PrintStream terminal, long total) {
        this.terminal = terminal;
        this.total = total;
    }

    public static ProgressBar onTerminal(long total) {
        return new ProgressBar(Terminal.isTerminal(STDERR) ? System.err : null, total);
    }

    public void update(long done) {
        // reading the clock for every example would be too slow
        if (terminal == null || (done & 0xff) != 0) {
            return;
        }
        long now = System.nanoTime();
        if (now - lastShown >= REFRESH_NANOS) {
            lastShown = now;
            terminal.print("\r" + line(done, now));
            terminal.flush();
        }
    }

    private String line(long done, long now) {
        String rate = String.format(Locale.ROOT, "%,d examples, %,.0f/s", done, done / ((now - start) / 1e9));
        if (total == Long.MAX_VALUE) {
            return rate;
        }
        int full = (int) (BAR_WIDTH * done / total);
        return "[" + "#".repeat(full) + " ".repeat(BAR_WIDTH - full) + "] " + rate;
    }

    /** Clears the line, so that other output can take its place. */
    public void clear() {
        if (terminal != null && lastShown != start) {
            terminal.print("\r\033[K");
            terminal.flush();
        }
    }

    @Override
    public void close() {
        clear();
    }
}
