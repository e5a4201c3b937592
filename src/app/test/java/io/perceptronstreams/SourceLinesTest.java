package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Comments have the width of the code, which the formatter sees to. */
final class SourceLinesTest {
    private static final int COLUMNS = 120;

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
}
