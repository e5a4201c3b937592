package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** This version, started on a data directory that a release has written (src/test/sh/release-directory.sh). */
@Tag("full")
final class UpgradeIT {
    private static final Path RELEASES = Path.of("src/test/resources/releases");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    static List<Path> releases() throws Exception {
        try (Stream<Path> files = Files.list(RELEASES)) {
            return files.filter(each -> each.toString().endsWith(".tar.gz"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("releases")
    void shouldKeepTheWeightsAndLearnOn(Path release) throws Exception {
        Path data = Files.createDirectories(directory.resolve("data"));
        assertThat(new ProcessBuilder("tar", "-xzf", release.toString(), "-C", data.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        String run = "run --embedded --broker-port 0 --registry-port 0 --http-port 0 --data-dir " + data;
        try (CommandProcess engine = CommandProcess.start(directory, run.split(" "))) {
            engine.awaitError("running: ");
            Matcher addresses =
                    Pattern.compile("broker (\\S+), registry (\\S+),").matcher(engine.errText());
            assertThat(addresses.find()).isTrue();
            String cluster = " --bootstrap " + addresses.group(1) + " --registry " + addresses.group(2);
            Commands commands = new Commands();
            for (String line : Files.readAllLines(RELEASES.resolve("models.txt"))) {
                String model = line.split(" ", 2)[0];
                commands.output("models snapshot " + model + cluster);
                assertThat(commands.output("weights show " + model + " --top 30" + cluster))
                        .as(model)
                        .isEqualTo(Files.readString(data.resolve(model + ".txt")));
                commands.output("produce samples/wdbc.csv --model " + model
                        + " --label-column diagnosis --id-column id --timeout 60" + cluster);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(commands.output("models list --json" + cluster))
                                .containsPattern("\"model\":\"" + model + "\".*\"examples\":1138"));
            }
            assertThat(engine.terminate()).isEqualTo(CommandProcess.TERMINATED);
            assertThat(engine.errText()).doesNotContain("WARN", "ERROR");
        }
    }
}
