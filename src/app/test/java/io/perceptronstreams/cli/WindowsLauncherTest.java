package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The script {@code perceptron.cmd} has the options of {@code perceptron}: their texts are compared, because Windows is
 * needed to run it.
 */
final class WindowsLauncherTest {
    private final String shell = read("perceptron");
    private final String windows = read("perceptron.cmd").replace("\r\n", "\n");

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String first(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("[ \\\\\n|]+"));
    }

    @Test
    void shouldStartAnEngineWithTheSameOptions() {
        assertThat(words(first(windows, "^set \"engine_flags=(.*)\"$")))
                .isEqualTo(words(first(shell, "(?s)^engine_flags\\(\\) \\{\n  huge_pages\n  echo (.*?)\n\\}$")));
        assertThat(first(windows, "^set \"engine_collector=(.*)\"$").replace("%young%", "$young"))
                .isEqualTo(first(shell, "^engine_collector=\"(.*)\"$"));
        assertThat(windows).contains("if \"%~1\"==\"--engine-flags\" goto engine_flags\n", "819200", "young=160m");
        assertThat(shell).contains("--engine-flags", "819200", "young=160m");
    }

    @Test
    void shouldStartEachCommandWithTheSameOptions() {
        Set<String> engines = new TreeSet<>(
                words(first(shell, "^  (.*)\\) flags=\\$\\(engine_flags\\) collector=\\$engine_collector ;;$")));
        Set<String> optimized = new TreeSet<>(words(first(shell, "^  (.*)\\) flags=\\$\\(huge_pages\\) collector=")));
        optimized.add("fit");
        assertThat(first(windows, "^if \"%~1\"==\"fit\" set \"flags=(.*)\"$"))
                .isEqualTo(first(shell, "^  fit\\) flags=\"(.*) \\$\\(huge_pages\\)\" collector="));
        optimized.addAll(words(first(shell, "^  (.*)\\) flags='' collector='-XX:\\+UseSerialGC'")));

        assertThat(words(first(windows, "^for %%c in \\((.*)\\) do .* set \"flags=%engine_flags%\"$")))
                .hasSameElementsAs(engines);
        assertThat(words(first(windows, "^for %%c in \\((.*)\\) do .* set \"collector=%engine_collector%\"$")))
                .hasSameElementsAs(engines);
        assertThat(words(first(windows, "^for %%c in \\((.*)\\) do .* set \"flags=\"$")))
                .hasSameElementsAs(optimized);
        assertThat(first(windows, "^set \"flags=(.*)\"$")).isEqualTo(first(shell, "^  \\*\\) flags='(.*)' collector="));
        assertThat(first(windows, "^set \"collector=(.*)\"$"))
                .isEqualTo(first(shell, "^  \\*\\) flags='.*' collector='(.*)' ;;$"));
    }

    @Test
    void shouldStartTheJvmWithTheSameOptions() {
        String last = first(shell, "^exec \"\\$java\" \\$share (.*) \\$\\(allow_unsafe\\)");
        assertThat(first(
                        windows,
                        "^\"%java%\" (.*) %unsafe% %collector% %flags% %PERCEPTRON_OPTS% -jar \"%jar%\" %\\*$"))
                .isEqualTo(last);
        assertThat(first(windows, "^if %major% GEQ (\\d+) set \"unsafe="))
                .isEqualTo(first(shell, "\"\\$major\" -ge (\\d+) \\]"));
        assertThat(first(windows, "set \"unsafe=(-.*)\"$")).isEqualTo(first(shell, "^    echo (--sun.*)$"));
        assertThat(first(windows, "^if %major% LSS (\\d+) goto"))
                .isEqualTo(first(shell, "\"\\$\\{major:-0\\}\" -ge (\\d+) \\]"));
    }

    /** cmd.exe may miss a label in a file whose lines end otherwise. */
    @Test
    void shouldEndItsLinesAsWindowsDoes() {
        assertThat(read("perceptron.cmd")).matches("([^\r\n]*\r\n)+").isASCII();
        Matcher jumps = Pattern.compile("(?:goto |call :)(\\w+)").matcher(windows);
        assertThat(jumps.results().map(jump -> jump.group(1)))
                .isNotEmpty()
                .allMatch(label -> windows.contains("\n:" + label + "\n"));
    }
}
