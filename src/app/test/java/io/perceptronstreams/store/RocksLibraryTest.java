package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.embedded.JavaProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;

/** In a JVM of its own: the library is loaded once. */
@DisabledOnOs(OS.WINDOWS)
final class RocksLibraryTest {
    @TempDir
    Path directory;

    // Every kill -9 of an engine left 15 MB in java.io.tmpdir.
    @Test
    void shouldLeaveNoFileBehindAKilledProcess() throws Exception {
        Process process = new ProcessBuilder(
                        JavaProcess.tool("java"),
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        RocksLibraryTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(1);
        assertThat(output).contains("loaded");
        assertThat(directory).isEmptyDirectory();
    }

    /** Ends without shutdown hooks, as after a kill. */
    public static void main(String[] arguments) {
        RocksLibrary.load();
        new Options().close();
        System.out.println("loaded");
        System.out.flush();
        Runtime.getRuntime().halt(1);
    }
}
