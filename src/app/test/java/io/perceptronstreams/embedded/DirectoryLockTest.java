package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {
    @TempDir
    Path dir;

    @Test
    void shouldCreateADirectoryForItsOwnerOnly() throws IOException {
        Path data = dir.resolve("data");
        Path broker = data.resolve("broker");
        try (DirectoryLock lock = DirectoryLock.acquire(broker)) {
            assertThat(lock).isNotNull();
            assertThat(mode(data)).isEqualTo("rwx------");
            assertThat(mode(broker)).isEqualTo("rwx------");
            assertThat(mode(broker.resolve("embedded.lock"))).isEqualTo("rw-------");
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
