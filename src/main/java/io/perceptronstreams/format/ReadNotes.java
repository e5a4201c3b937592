package io.perceptronstreams.format;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Receives what the user of a text should know of its reading, each line once, and counts skipped examples. */
public final class ReadNotes {
    /** Maximum number of skipped examples with a line of their own. */
    private static final int MAX_FAULTS = 5;

    private final Consumer<String> lines;
    private final Set<String> written = new HashSet<>();
    private long skipped;

    /** @param lines receives one line each; null for none */
    public ReadNotes(Consumer<String> lines) {
        this.lines = lines;
    }

    void write(String line) {
        if (lines != null && written.add(line)) {
            lines.accept(line);
        }
    }

    /** Counts an example that was skipped because of {@code fault}. */
    public void skipped(Exception fault) {
        if (++skipped <= MAX_FAULTS) {
            write("skipped: " + fault.getMessage());
        }
    }

    /** Number of examples skipped so far. */
    public long skipped() {
        return skipped;
    }
}
