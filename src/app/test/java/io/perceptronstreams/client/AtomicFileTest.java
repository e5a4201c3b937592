package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path dir;

    @Test
    void shouldKeepTheEarlierFileIfWritingFails() throws IOException {
        Path file = Files.writeString(dir.resolve("weights.json"), "good");
        assertThatThrownBy(() -> AtomicFile.write(file, out -> {
                    out.write(new byte[100_000]);
                    throw new IOException("No space left on device");
                }))
                .hasMessage("No space left on device");
        assertThat(file).hasContent("good");
        assertThat(dir).isDirectoryNotContaining("glob:**.tmp");
    }

    @Test
    void shouldReplaceAFileReadableByItsOwnerOnly() throws IOException {
        Path file = Files.writeString(dir.resolve("weights.json"), "old");
        AtomicFile.write(file, out -> out.write('n'));
        assertThat(file).hasContent("n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void shouldReplaceALinkAndNotWhatItNames() throws IOException {
        Path other = Files.writeString(dir.resolve("other"), "untouched");
        Path link = Files.createSymbolicLink(dir.resolve("link"), other);
        AtomicFile.write(link, out -> out.write('n'));
        assertThat(other).hasContent("untouched");
        assertThat(link).hasContent("n");
    }

    /** The message was once that the file must be readable. */
    @Test
    void shouldNameTheFileThatCannotBeWritten() throws IOException {
        Path file = Files.writeString(dir.resolve("weights.json"), "old");
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("r-xr-xr-x"));
        // root may write everywhere
        assumeThat(Files.isWritable(dir)).isFalse();

        assertThatThrownBy(() -> AtomicFile.write(file, out -> out.write('n')))
                .isInstanceOf(CommandFailedException.class)
                .hasMessage("file and its directory must be writable, got '" + file + "'");
    }
}
