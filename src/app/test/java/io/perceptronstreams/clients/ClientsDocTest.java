package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The clients stay short enough to read, and the page about them shows each. */
final class ClientsDocTest {
    private static final int MAX_LINES = 60;

    @Test
    void shouldHaveClientsOfAtMost60Lines() throws IOException {
        for (Path client : files("glob:**/{c,C}lient.*")) {
            assertThat(Files.readAllLines(client).stream().filter(ClientsDocTest::isProgram))
                    .as(client.toString())
                    .hasSizeLessThanOrEqualTo(MAX_LINES);
        }
    }

    private static boolean isProgram(String line) {
        return !line.isBlank() && !line.strip().matches("(#|//|/\\*|\\*|import |from ).*");
    }

    @Test
    void shouldShowEachClient() throws IOException {
        List<Path> clients = files("glob:**/{c,C}lient.*");
        assertThat(clients).hasSizeGreaterThanOrEqualTo(5);
        String page = Files.readString(Path.of("docs/clients.md"));
        assertThat(clients).allSatisfy(client -> assertThat(page).contains(client.toString()));
    }

    // Connect's client does not: connect-file has not been released for each version of Kafka.
    @Test
    void shouldUseTheVersionOfFlinkOfTheProject() throws IOException {
        Pattern version = Pattern.compile("<flink.version>.*</flink.version>");
        Matcher used = version.matcher(Files.readString(Path.of("clients", "flink-sql", "pom.xml")));
        assertThat(used.find()).isTrue();
        assertThat(Files.readString(Path.of("src/app/pom.xml"))).contains(used.group());
    }

    // A lock file with addresses would bind every user to one registry.
    @Test
    void shouldNameNoRegistryOfPackages() throws IOException {
        for (Path file : files("glob:**/package-lock.json")) {
            assertThat(Files.readString(file)).doesNotContain("resolved").doesNotContain("://registry");
        }
    }

    private static List<Path> files(String pattern) throws IOException {
        var matcher = Path.of("clients").getFileSystem().getPathMatcher(pattern);
        List<Path> found = new ArrayList<>();
        try (var paths = Files.walk(Path.of("clients"))) {
            paths.filter(path -> matcher.matches(path) && !path.toString().contains("node_modules"))
                    .forEach(found::add);
        }
        return found;
    }
}
