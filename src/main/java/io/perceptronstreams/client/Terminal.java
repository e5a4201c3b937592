package io.perceptronstreams.client;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal that standard output goes to: how large its window is. Not thread-safe. */
public final class Terminal {
    /** What is assumed where nobody tells. */
    static final Size USUAL = new Size(80, 24);

    private static final int OUTPUT = 1;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Pattern ROWS_AND_COLUMNS = Pattern.compile("(\\d{1,4}) (\\d{1,4})\\s*");

    private Size size;
    private long lookedAt;

    /** A window; both numbers are at least 1. */
    public record Size(int columns, int rows) {}

    private Terminal() {}

    /** Null where standard output is no terminal, or one on which a cursor cannot be moved. */
    public static Terminal ofOutput() {
        String kind = System.getenv("TERM");
        return kind == null || kind.equals("dumb") || !isTerminal(OUTPUT) ? null : new Terminal();
    }

    /** Java cannot tell of one stream alone; Linux has it as a file, other systems must be asked by a process of theirs. */
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

    /** The window as it is now, or was a second ago: to ask takes a process. */
    public Size size() {
        long now = System.nanoTime();
        if (size == null || now - lookedAt >= LOOK_NANOS) {
            size = ask();
            lookedAt = now;
        }
        return size;
    }

    private static Size ask() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return parse(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // no such program, or no terminal of its own
            return USUAL;
        }
    }

    /** What {@code stty size} says, rows first; {@link #USUAL} if it says nothing of use, such as 0. */
    public static Size parse(String said) {
        Matcher numbers = ROWS_AND_COLUMNS.matcher(said);
        if (!numbers.matches()) {
            return USUAL;
        }
        int rows = Integer.parseInt(numbers.group(1));
        int columns = Integer.parseInt(numbers.group(2));
        return rows == 0 || columns == 0 ? USUAL : new Size(columns, rows);
    }
}
