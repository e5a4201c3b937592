package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.RejectReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The commands of {@code docs/dead-letters.md} are ones that the program accepts. */
final class DeadLettersDocTest {
    private static final Pattern COMMAND = Pattern.compile("perceptron dead-letters ([^`>\n]+)");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([A-Z_]+)` \\|.*--reason ([A-Z_]+)[^|]*\\|$", Pattern.MULTILINE);

    private final String page = read();

    @Test
    void shouldHaveCommandsThatTheProgramAccepts() {
        List<String> commands = new ArrayList<>();
        for (Matcher found = COMMAND.matcher(page); found.find(); ) {
            commands.add(found.group(1).strip());
        }

        assertThat(commands)
                .hasSizeGreaterThan(12)
                .allSatisfy(command -> new CommandLine(new DeadLettersCommand())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .parseArgs(command.split(" ")));
    }

    @Test
    void shouldReplayTheReasonOfTheRow() {
        int rows = 0;
        for (Matcher row = ROW.matcher(page); row.find(); rows++) {
            assertThat(RejectReason.valueOf(row.group(1))).hasToString(row.group(2));
        }
        assertThat(rows).isEqualTo(8);
    }

    private static String read() {
        try {
            return Files.readString(Path.of("docs/dead-letters.md"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
