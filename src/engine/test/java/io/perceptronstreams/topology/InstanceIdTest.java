package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InstanceIdTest {
    @TempDir
    Path dir;

    @Test
    void shouldBeKeptInAFileOfItsOwnerOnly() throws IOException {
        Path data = dir.resolve("data");
        String id = InstanceId.of(data);

        assertThat(InstanceId.of(data)).isEqualTo(id);
        assertThat(mode(data)).isEqualTo("rwx------");
        assertThat(mode(data.resolve("instance-id"))).isEqualTo("rw-------");
    }

    @Test
    void shouldBeWrittenAgainAfterAKillInBetween() throws IOException {
        Files.writeString(dir.resolve("instance-id.new"), "1");

        assertThat(InstanceId.of(dir)).hasSize(36);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
