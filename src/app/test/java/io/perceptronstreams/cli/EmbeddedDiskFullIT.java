package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.embedded.Mount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the embedded broker is full. Needs root on Linux, to mount a small one. */
final class EmbeddedDiskFullIT {
    @TempDir
    Path directory;

    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectories(directory.resolve("disk"));
        assumeTrue(Mount.tmpfs(disk, "1g"), Mount.IMPOSSIBLE);
    }

    @AfterEach
    void unmount() throws Exception {
        Mount.remove(disk);
    }

    @Test
    @Tag("full")
    void shouldSayThatTheBrokerCannotWriteAndGoOnWhenItCan() throws Exception {
        try (CommandProcess run = run()) {
            run.awaitError("monitor ");
            Mount.fill(disk, 0);
            assertThat(run.process().waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(run.process().exitValue()).isEqualTo(1);
            assertThat(run.errText().lines().filter(line -> line.startsWith("perceptron: ")))
                    .singleElement()
                    .asString()
                    .contains(disk.resolve("broker").toString());
            assertThat(run.errText()).contains("No space left on device");
            // stack traces hid the line
            assertThat(run.errText().lines()).noneMatch(line -> line.startsWith("\tat "));
        }
        Mount.resize(disk, "1g");
        try (CommandProcess run = run()) {
            run.awaitError("monitor ");
        }
    }

    private CommandProcess run() throws Exception {
        return CommandProcess.start(
                directory,
                "run",
                "--embedded",
                "--data-dir",
                disk.toString(),
                "--broker-port=0",
                "--registry-port=0",
                "--http-port=0");
    }
}
