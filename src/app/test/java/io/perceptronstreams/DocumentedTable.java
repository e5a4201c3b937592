package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Markdown table that is made of definitions in the code; {@code -Ddocs.write=true} writes it. */
public final class DocumentedTable {
    private final String header;
    private final List<String> lines;

    /** @param first head of the first column, by which the table is found in its file */
    public DocumentedTable(String first) {
        header = "| " + first + " | default | values and meaning |";
        lines = new ArrayList<>(List.of(header, "|---|---|---|"));
    }

    public void add(String name, String defaultText, String meaning) {
        String code = defaultText.isEmpty() ? "" : "`" + defaultText + "`";
        lines.add("| `" + name + "` | " + code + " | " + meaning.replace("|", "\\|") + " |");
    }

    /** Checks that the only such table of a file is this one. */
    public void requireIn(Path file) {
        try {
            List<String> all = Files.readAllLines(file);
            int from = all.indexOf(header);
            assertThat(from).as("line '%s' in %s", header, file).isNotNegative();
            int to = from;
            while (to < all.size() && all.get(to).startsWith("|")) {
                to++;
            }
            if (Boolean.getBoolean("docs.write")) {
                List<String> written = new ArrayList<>(all.subList(0, from));
                written.addAll(lines);
                written.addAll(all.subList(to, all.size()));
                Files.write(file, written);
            } else {
                assertThat(all.subList(from, to))
                        .as("%s (-Ddocs.write=true writes the table)", file)
                        .isEqualTo(lines);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
