package io.perceptronstreams.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A line on a terminal that tells how far a long work is; nothing at all where standard error is no terminal. */
final class Progress implements AutoCloseable {
    private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int BAR_WIDTH = 30;

    private final PrintStream terminal;
    private final long total;
    private final long start = System.nanoTime();
    private long shown = start;

    /** @param terminal null for silence; total Long.MAX_VALUE where it is not known */
    Progress(PrintStream terminal, long total) {
        this.terminal = terminal;
        this.total = total;
    }

    static Progress onTerminal(long total) {
        return new Progress(isTerminal() ? System.err : null, total);
    }

    /** Java cannot tell of standard error alone; Linux has it as a file, other systems must be asked by a process of theirs. */
    private static boolean isTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return isTerminalByTest();
        }
    }

    private static boolean isTerminalByTest() {
        try {
            return new ProcessBuilder("test", "-t", "2")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void update(long done) {
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
    void wipe() {
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
