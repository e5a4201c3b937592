package io.perceptronstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links of the pages, in the source tree; {@code ReleaseArchiveIT} has those of the archive. */
class DocumentLinksTest {
    private static final Path README = Path.of("README.md");

    @TempDir
    Path dir;

    @Test
    void shouldLeadToFilesAndHeadings() throws IOException {
        assertThat(DocumentLinks.pages(Path.of(""))).contains(README, Path.of("docs/README.md"));
        assertThat(DocumentLinks.broken(Path.of(""))).isEmpty();
    }

    @Test
    void shouldFindLinksToNothing() throws IOException {
        for (String each : List.of("docs", "clients", "deploy", "samples")) {
            Files.createDirectory(dir.resolve(each));
        }
        Files.writeString(dir.resolve("docs/b.md"), "# A `b` c, d\n\n```\n# no heading\n```\n");
        Files.writeString(
                dir.resolve("a.md"),
                "[1](docs/b.md#a-b-c-d) [2](docs/b.md#no-heading) [3](docs/c.md) [4](https://a/b) [5](#x)\n");

        assertThat(DocumentLinks.broken(dir))
                .containsExactly("a.md: docs/b.md#no-heading", "a.md: docs/c.md", "a.md: #x");
    }

    @Test
    void shouldReachEveryPageFromTheReadmeInTwoClicks() throws IOException {
        Set<Path> reached = new HashSet<>(DocumentLinks.targets(README));
        for (Path page : List.copyOf(reached)) {
            if (page.toString().endsWith(".md")) {
                reached.addAll(DocumentLinks.targets(page));
            }
        }

        try (Stream<Path> files = Files.list(Path.of("docs"))) {
            assertThat(files.filter(Files::isRegularFile))
                    .filteredOn(file -> !file.endsWith("libraries.txt"))
                    .allSatisfy(file -> assertThat(reached).contains(file));
        }
    }
}
