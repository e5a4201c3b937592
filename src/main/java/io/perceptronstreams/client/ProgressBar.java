package io.perceptronstreams.client;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A line on a terminal that tells how far a long work is; nothing at all where standard error is no terminal. */
public final class ProgressBar implements AutoCloseable {
    private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int BAR_WIDTH = 30;
    private static final int ERRORS = 2;

    private final PrintStream terminal;
    private final long total;
    private final long start = System.nanoTime();
    private long shown = start;

    /** @param terminal null for silence; total Long.MAX_VALUE where it is not known */
    ProgressBar(PrintStream terminal, long total) {
        this.terminal = terminal;
        this.total = total;
    }

    public static ProgressBar onTerminal(long total) {
        return new ProgressBar(Terminal.isTerminal(ERRORS) ? System.err : null, total);
    }

    public void update(long done) {
        // The clock is cheap, but not as cheap as an example.
        if (terminal == null || (done & 0xff) != 0) {
            return;
        }
        long now = System.nanoTime();
        if (now - shown >= REFRESH_NANOS) {
            shown = now;
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

    /** Wipes the line, so that something else can be printed in its place. */
    public void wipe() {
        if (terminal != null && shown != start) {
            terminal.print("\r\033[K");
            terminal.flush();
        }
    }

    @Override
    public void close() {
        wipe();
    }
}
