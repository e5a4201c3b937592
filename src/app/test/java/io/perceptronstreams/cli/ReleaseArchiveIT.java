package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.DocumentLinks;
import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive of {@code mvnw -Prelease package}, unpacked in an empty directory and started from there without Maven,
 * without the source tree and without any variable of the environment but the path of the JDK and of the shell's own
 * programs.
 */
@Tag("full")
final class ReleaseArchiveIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    static Path directory;

    private static Path archive;
    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            List<Path> archives = files.filter(
                            each -> each.getFileName().toString().matches("perceptron-streams-[0-9.]+\\.tar\\.gz"))
                    .toList();
            assumeTrue(!archives.isEmpty(), "no archive in target: needs ./mvnw -Prelease");
            assertThat(archives).hasSize(1);
            archive = archives.get(0).toAbsolutePath();
        }
        assertThat(output(directory, "tar", "-xzf", archive.toString())).isEmpty();
        String name = archive.getFileName().toString().replace(".tar.gz", "");
        assertThat(directory).isDirectoryContaining("glob:**/" + name);
        home = directory.resolve(name);
    }

    /** Starts a program with nothing in its environment but the paths of the JDK and of the system's programs. */
    private static Process start(Path where, Path out, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", Path.of(JavaProcess.tool("java")).getParent() + ":/usr/bin:/bin");
        return builder.start();
    }

    /** Output of a program that must succeed. */
    private static String output(Path where, String... words) throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "output", ".txt");
        Process process = start(where, out, words);
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            String text = Files.readString(out);
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldPrintVersionAndCommit() throws Exception {
        String version = archive.getFileName().toString().replaceAll("perceptron-streams-|\\.tar\\.gz", "");

        assertThat(output(directory, home + "/perceptron", "--version"))
                .matches("perceptron " + Pattern.quote(version) + " \\(commit \\S+\\)\n");
    }

    @Test
    void shouldRunTheDemoOfTheReadme() throws Exception {
        String text = output(home, "./perceptron", "demo", "--examples", "3000", "--http-port", "0");

        assertThat(text)
                .contains("separable: ", " mistakes in 3,000 examples", "wdbc: ")
                .doesNotContain("building");
        assertThat(home.resolve("target")).doesNotExist();
    }

    @Test
    void shouldLearnTheSampleWithAnEngineOfItsOwn() throws Exception {
        Path out = directory.resolve("run.txt");
        Process engine = start(
                home,
                out,
                "./perceptron",
                "run",
                "--embedded",
                "--data-dir",
                directory.resolve("D").toString(),
                "--broker-port",
                "0",
                "--registry-port",
                "0",
                "--http-port",
                "0");
        try {
            Matcher addresses =
                    Pattern.compile("broker (\\S+), registry (\\S+),").matcher("");
            await().atMost(PATIENCE)
                    .until(() -> addresses.reset(Files.readString(out)).find()
                            && Files.readString(out).contains("running: "));
            assertThat(output(
                            home,
                            "./perceptron",
                            "produce",
                            "samples/wdbc.csv",
                            "--model",
                            "wdbc",
                            "--label-column",
                            "diagnosis",
                            "--id-column",
                            "id",
                            "--bootstrap",
                            addresses.group(1),
                            "--registry",
                            addresses.group(2)))
                    .contains("sent 569 examples of wdbc", "none refused");
        } finally {
            engine.destroy();
            assertThat(engine.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void shouldHaveWhatAUserReads() throws Exception {
        assertThat(List.of(
                        "perceptron.cmd",
                        "README.md",
                        "CHANGELOG.md",
                        "LICENSE",
                        "NOTICE",
                        "docs/README.md",
                        "docs/run.md",
                        "schemas/Example.avsc",
                        "man/man1/perceptron.1",
                        "man/man1/perceptron-run.1",
                        "samples/wdbc.csv",
                        "clients/python/pyproject.toml"))
                .allSatisfy(file -> assertThat(home.resolve(file)).isNotEmptyFile());
        assertThat(home.resolve("completions/perceptron")).content().startsWith("#!/usr/bin/env bash");
    }

    @Test
    void shouldHaveWhatThePagesLinkTo() throws Exception {
        assertThat(DocumentLinks.pages(home)).contains(home.resolve("README.md"), home.resolve("docs/README.md"));
        assertThat(DocumentLinks.broken(home)).isEmpty();
    }

    /** The same libraries, byte by byte, as docs/libraries.txt lists. */
    @Test
    void shouldHaveTheListedLibraries() throws Exception {
        String list = Files.readString(home.resolve("docs/libraries.txt"));

        Path sums = Files.writeString(directory.resolve("libraries.sha256"), list);
        assertThat(output(home, "sha256sum", "--quiet", "-c", sums.toString())).isEmpty();
        try (Stream<Path> libraries = Files.list(home.resolve("lib"))) {
            assertThat(libraries.filter(each -> !each.getFileName().toString().startsWith("perceptron-")))
                    .hasSameSizeAs(list.lines().toList());
        }
    }

    @Test
    void shouldHaveABillOfMaterialsOfItsLibraries() throws Exception {
        assumeTrue(Files.exists(home.resolve("bom.json")), "no bom.json: the build was offline");
        JsonNode bom = new ObjectMapper().readTree(home.resolve("bom.json").toFile());

        List<String> jars = new ArrayList<>();
        bom.path("components")
                .forEach(each -> jars.add(
                        each.path("name").asText() + "-" + each.path("version").asText()));
        try (Stream<Path> libraries = Files.list(home.resolve("lib"))) {
            assertThat(libraries.map(each -> each.getFileName().toString()))
                    .allMatch(library -> jars.stream().anyMatch(library::startsWith));
        }
    }

    @Test
    void shouldHaveItsChecksumBesideIt() throws Exception {
        assertThat(output(archive.getParent(), "sha256sum", "-c", archive.getFileName() + ".sha256"))
                .contains(": OK");
    }

    /**
     * What differs between two builds of one commit would change the checksum: times, owners, the order of the entries.
     */
    @Test
    void shouldNotDependOnTheMachineOfTheBuild() throws Exception {
        List<String> entries = output(
                        directory, "tar", "--numeric-owner", "--full-time", "--utc", "-tvzf", archive.toString())
                .lines()
                .toList();

        assertThat(entries.stream()
                        .map(each -> each.split(" +"))
                        .map(each -> each[1] + " " + each[3] + " " + each[4])
                        .distinct())
                .hasSize(1)
                .allMatch(each -> each.startsWith("0/0 ") && each.endsWith(" 00:00:00"));
        Map<Boolean, List<String>> modes =
                entries.stream().collect(Collectors.partitioningBy(each -> each.startsWith("-rwxr-xr-x")));
        assertThat(modes.get(true)).isNotEmpty().allMatch(each -> each.endsWith("/perceptron") || each.endsWith(".sh"));
    }
}
