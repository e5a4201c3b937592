package io.perceptronstreams.format;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Collects remarks for the user on how a text is read, each line once, and counts skipped examples. */
public final class ReadNotes {
    /** Maximum number of skipped examples with a line of their own. */
    private static final int MAX_FAULTS = 5;

    private record Taken(boolean isWords, String source) {}

    private final Consumer<String> lines;
    /** The kinds of columns in all texts that are read for one model. */
    private final Map<String, Taken> taken;

    private final Set<String> written = new HashSet<>();
    private long skipped;

    /** @param lines receives one line each; null for none */
    public ReadNotes(Consumer<String> lines) {
        this(lines, new HashMap<>());
    }

    private ReadNotes(Consumer<String> lines, Map<String, Taken> taken) {
        this.lines = lines;
        this.taken = taken;
    }

    /** Notes of another text for the same model: its columns must have the same kinds as here. */
    public ReadNotes ofOtherText() {
        return new ReadNotes(lines, taken);
    }

    /**
     * Notes the kind of a column.
     *
     * @throws IllegalArgumentException if another text has words where {@code source} has numbers, or conversely
     */
    void taken(String column, ColumnKind kind, String source) {
        if (kind == ColumnKind.WORDS || kind == ColumnKind.NUMBERS || kind == ColumnKind.BOOLEANS) {
            Taken own = new Taken(kind == ColumnKind.WORDS, source);
            Taken other = taken.putIfAbsent(column, own);
            if (other != null && other.isWords != own.isWords) {
                String name = CsvColumn.shown(column);
                throw new IllegalArgumentException("column " + name + " must be the same in both files, got "
                        + (own.isWords ? "words here and numbers" : "numbers here and words") + " in " + other.source
                        + " (--words " + ShellWord.of(name) + " or --numbers " + ShellWord.of(name) + ")");
            }
        }
    }

    /** Passes a line on, unless it was written before. */
    public void write(String line) {
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
