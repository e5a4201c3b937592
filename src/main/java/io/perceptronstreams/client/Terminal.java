package io.perceptronstreams.client;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal of standard output and the size of its window. Not thread-safe. */
public final class Terminal {
    /** Used if the size cannot be determined. */
    static final Size DEFAULT_SIZE = new Size(80, 24);

    private static final int STDOUT = 1;
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Pattern ROWS_AND_COLUMNS = Pattern.compile("(\\d{1,4}) (\\d{1,4})\\s*");

    private Size size;
    private long measuredAt;

    /** A window; both numbers are at least 1. */
    public record Size(int columns, int rows) {}

    private Terminal() {}

    /** Returns the terminal; null if standard output is not a terminal or the cursor cannot be moved. */
    public static Terminal ofOutput() {
        String kind = System.getenv("TERM");
        return kind == null || kind.equals("dumb") || !isTerminal(STDOUT) ? null : new Terminal();
    }

    /** Checks a single stream, which Java cannot: by a link in /proc on Linux, by {@code test -t} elsewhere. */
    static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return isTerminalByTest(descriptor);
        }
    }

    private static boolean isTerminalByTest(int descriptor) {
        try {
            return new ProcessBuilder("test", "-t", Integer.toString(descriptor))
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
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

    /** Returns the size, at most one second old: measuring it starts a process. */
    public Size size() {
        long now = System.nanoTime();
        if (size == null || now - measuredAt >= MAX_AGE_NANOS) {
            size = measure();
            measuredAt = now;
        }
        return size;
    }

    private static Size measure() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return parse(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // no stty, or no controlling terminal
            return DEFAULT_SIZE;
        }
    }

    /** Parses the output of {@code stty size}, rows first; {@link #DEFAULT_SIZE} if it is not usable, such as 0. */
    public static Size parse(String output) {
        Matcher numbers = ROWS_AND_COLUMNS.matcher(output);
        if (!numbers.matches()) {
            return DEFAULT_SIZE;
        }
        int rows = Integer.parseInt(numbers.group(1));
        int columns = Integer.parseInt(numbers.group(2));
        return rows == 0 || columns == 0 ? DEFAULT_SIZE : new Size(columns, rows);
    }
}
