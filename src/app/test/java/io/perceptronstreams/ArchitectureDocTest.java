package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The classes that {@code docs/architecture.md} names exist in the packages that it says. */
final class ArchitectureDocTest {
    private static final Pattern CLASS = Pattern.compile("`([a-z]+)\\.([A-Z][A-Za-z]+)`");

    @Test
    void shouldNameClassesThatExist() throws IOException {
        List<Path> sources = SourceFiles.of("main");
        List<String> missing = CLASS.matcher(Files.readString(Path.of("docs/architecture.md")))
                .results()
                .filter(name -> sources.stream()
                        .noneMatch(file -> file.endsWith(
                                Path.of("io", "perceptronstreams", name.group(1), name.group(2) + ".java"))))
                .map(MatchResult::group)
                .toList();

        assertThat(missing).isEmpty();
    }
}
