package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image of {@code mvnw -Prelease,image package}, without a container engine: its layers are unpacked over each
 * other, and its entry point is started there with the JDK of this machine.
 */
@Tag("full")
final class ReleaseImageIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path directory;

    private static Path root;
    private static JsonNode config;

    @BeforeAll
    static void unpack() throws Exception {
        List<Path> images;
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            images = files.filter(each -> each.getFileName().toString().matches("perceptron-streams-.*-image\\.tar"))
                    .toList();
        }
        assumeTrue(!images.isEmpty(), "no image in target: needs ./mvnw -Prelease,image");
        Path image = Files.createDirectories(directory.resolve("image"));
        tar("-xf", images.get(0).toString(), "-C", image.toString());
        JsonNode manifest =
                JSON.readTree(image.resolve("manifest.json").toFile()).path(0);
        config = JSON.readTree(image.resolve(manifest.path("Config").asText()).toFile());
        root = Files.createDirectories(directory.resolve("root"));
        for (JsonNode layer : manifest.path("Layers")) {
            tar("-xpf", image.resolve(layer.asText()).toString(), "-C", root.toString());
        }
    }

    private static void tar(String... arguments) throws IOException, InterruptedException {
        run(Stream.concat(Stream.of("tar"), Stream.of(arguments)).toArray(String[]::new));
    }

    private static String run(String... words) throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", Path.of(JavaProcess.tool("java")).getParent() + ":/usr/bin:/bin");
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
        return Files.readString(out);
    }

    @Test
    void shouldStartItsEntryPoint() throws Exception {
        String program = root + config.at("/config/Entrypoint/0").asText();

        assertThat(run(program, "--version")).startsWith("perceptron ").doesNotContain("not from a jar");
        assertThat(run(program, "demo", "--examples", "500", "--http-port", "0"))
                .contains("wdbc: ");
        assertThat(config.at("/config/Cmd/0").asText()).isEqualTo("run");
    }

    @Test
    void shouldHaveLabelsOfVersionAndCommit() throws Exception {
        JsonNode labels = config.at("/config/Labels");
        String version = run(root + config.at("/config/Entrypoint/0").asText(), "--version");

        assertThat(version)
                .contains(labels.path("org.opencontainers.image.version").asText());
        assertThat(version)
                .contains(labels.path("org.opencontainers.image.revision").asText());
    }

    @Test
    void shouldRunAsAUserWhoCanWriteTheDataDirectory() throws Exception {
        assertThat(config.at("/config/User").asText()).isEqualTo("10001:10001");
        assertThat(config.at("/config/Volumes").has("/var/lib/perceptron")).isTrue();
        assertThat(config.at("/config/Env"))
                .anyMatch(each -> each.asText().equals("PERCEPTRON_DATA_DIR=/var/lib/perceptron"));
        Path data = root.resolve("var/lib/perceptron");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .endsWith("rwx");
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void shouldHaveNothingButTheProgram() throws Exception {
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.filter(Files::isRegularFile))
                    .hasSizeGreaterThan(50)
                    .allMatch(each -> each.startsWith(root.resolve("opt/perceptron-streams")));
        }
    }
}
