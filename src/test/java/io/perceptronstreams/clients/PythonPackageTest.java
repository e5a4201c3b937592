package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package of {@code clients/python}: its own tests, and its installation. */
class PythonPackageTest {
    private static final String PYTHON = "/usr/bin/python3";
    private static final Path SOURCE = Path.of("clients/python");

    @TempDir
    Path directory;

    @Test
    void shouldPassItsTests() throws Exception {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), "skipped: needs /usr/bin/python3 (Debian: python3)");
        Ended tests = run(SOURCE, PYTHON, "-B", "-m", "unittest", "discover", "-s", "tests");
        assertThat(tests.exitCode).as(tests.output).isZero();
        assertThat(tests.output).containsPattern("Ran [1-9][0-9]+ tests");
    }

    @Test
    void shouldBeInstalledByPip() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of(PYTHON))
                        && run(directory, PYTHON, "-c", "import setuptools, wheel, pip").exitCode == 0,
                "skipped: needs python3-pip, python3-setuptools and python3-wheel");
        // pip builds within the source's folder
        Path copy = directory.resolve("source");
        try (var files = Files.walk(SOURCE)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(SOURCE.relativize(file).toString()));
            }
        }
        Path installed = directory.resolve("installed");
        Ended pip = run(
                directory,
                PYTHON,
                "-m",
                "pip",
                "install",
                "--no-index",
                "--no-build-isolation",
                "--no-deps",
                "--target",
                installed.toString(),
                copy.toString());
        assertThat(pip.exitCode).as(pip.output).isZero();
        String program = "import perceptron_streams, perceptron_weights; print(perceptron_streams.__file__)";
        assertThat(run(installed, PYTHON, "-c", program).output.strip())
                .isEqualTo(installed.resolve("perceptron_streams/__init__.py").toString());
    }

    private record Ended(int exitCode, String output) {}

    private Ended run(Path folder, String... command) throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        Process process = new ProcessBuilder(List.of(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return new Ended(process.exitValue(), Files.readString(output));
    }
}
