package io.perceptronstreams.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OwnerOnlyTest {
    @TempDir
    Path dir;

    @Test
    void shouldCreateDirectoriesAndFilesForTheirOwnerOnly() throws IOException {
        Path nested = dir.resolve("a/b");
        OwnerOnly.createDirectories(nested);
        Path file = Files.createFile(nested.resolve("f"), OwnerOnly.file(nested));

        assertThat(mode(dir.resolve("a"))).isEqualTo("rwx------");
        assertThat(mode(nested)).isEqualTo("rwx------");
        assertThat(mode(file)).isEqualTo("rw-------");
    }

    @Test
    void shouldKeepThePermissionsOfAnExistingDirectory() throws IOException {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwx---"));
        OwnerOnly.createDirectories(dir);
        assertThat(mode(dir)).isEqualTo("rwxrwx---");

        OwnerOnly.restrict(dir);
        assertThat(mode(dir)).isEqualTo("rwx------");
    }

    /** The file system of a zip file has no POSIX permissions. */
    @Test
    void shouldWorkWithoutPosixPermissions() throws IOException {
        try (FileSystem zip = FileSystems.newFileSystem(dir.resolve("f.zip"), Map.of("create", "true"))) {
            Path nested = zip.getPath("/a/b");
            OwnerOnly.createDirectories(nested);
            OwnerOnly.restrict(nested);
            assertThat(Files.createFile(nested.resolve("f"), OwnerOnly.file(nested)))
                    .exists();
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
