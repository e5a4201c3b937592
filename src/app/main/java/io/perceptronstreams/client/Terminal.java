package io.perceptronstreams.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells terminals from files and pipes. */
public final class Terminal {
    private static final int STDOUT = 1;

    private Terminal() {}

    /** Returns true if standard output is a terminal. */
    public static boolean isOutput() {
        return isTerminal(STDOUT);
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
}
