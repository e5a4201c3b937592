package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Comments have the width of the code, which the formatter sees to; pages have lines and a length that can be read. */
final class SourceLinesTest {
    private static final int COLUMNS = 120;
    private static final int PAGE_COLUMNS = 160;
    private static final int PAGE_WORDS = 2_500;

    /** Pages in which a reader looks one thing up: tables from the code, an entry for each learner, route and fault. */
    private static final Set<String> REFERENCES =
            Set.of("algorithms.md", "events.md", "http.md", "reliability.md", "settings.md");

    private static final Pattern ROW = Pattern.compile("\\|.*\\|");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]");

    @Test
    void shouldHaveNoCommentThatIsWiderThanTheCode() throws IOException {
        List<Path> files = new ArrayList<>(SourceFiles.of("main"));
        files.addAll(SourceFiles.of("test"));
        List<String> wide = new ArrayList<>();
        for (Path file : files) {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (line.length() > COLUMNS && line.strip().matches("(\\*|/\\*|//).*")) {
                    wide.add(file + ":" + number);
                }
            }
        }

        assertThat(wide).as("comments of more than %d columns", COLUMNS).isEmpty();
    }

    /** Rows of tables, commands and their output may be wider: Markdown and the shell do not break them. */
    @Test
    void shouldHaveNoPageWithTextThatIsTooWide() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path page : pages()) {
            boolean isFenced = false;
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                isFenced ^= line.strip().startsWith("```");
                boolean isCode = isFenced || line.startsWith("    ");
                boolean isRow = ROW.matcher(line.strip()).matches();
                if (line.length() > PAGE_COLUMNS && !isCode && !isRow) {
                    wide.add(page + ":" + number);
                }
            }
        }

        assertThat(wide).as("lines of more than %d columns", PAGE_COLUMNS).isEmpty();
    }

    /** A table without its head, or with a row of other cells, is shown as text. */
    @Test
    void shouldHaveTablesWithAHeadAndEqualRows() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path page : pages()) {
            List<String> lines = Files.readAllLines(page);
            boolean isFenced = false;
            String before = "";
            for (int k = 0; k < lines.size(); k++) {
                String line = lines.get(k).strip();
                isFenced ^= line.startsWith("```");
                boolean isRow = !isFenced && ROW.matcher(line).matches();
                boolean isFirst = !ROW.matcher(before).matches();
                boolean isRight =
                        isFirst ? isRow && lines.get(k + 1).strip().matches("[|: -]+") : cells(line) == cells(before);
                if (isRow && !isRight) {
                    wrong.add(page + ":" + (k + 1));
                }
                before = isFenced ? "" : line;
            }
        }

        assertThat(wrong).isEmpty();
    }

    private static int cells(String row) {
        return row.replace("\\|", "").split("\\|", -1).length;
    }

    /** A word is what stands between blanks and has a letter or a digit, also in tables and code. */
    @Test
    void shouldHaveNoPageThatIsTooLong() throws IOException {
        for (Path page : pages()) {
            long words = Pattern.compile("\\s+")
                    .splitAsStream(Files.readString(page))
                    .filter(each -> WORD.matcher(each).find())
                    .count();
            if (!REFERENCES.contains(page.getFileName().toString())) {
                assertThat(words).as("words of %s", page).isLessThanOrEqualTo(PAGE_WORDS);
            }
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("docs"))) {
            return Stream.concat(Stream.of(Path.of("README.md")), files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }
}
