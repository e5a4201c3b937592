package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
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
    @Tag("full")
    void shouldBeInstalledByPip() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of(PYTHON))
                        && run(directory, PYTHON, "-c", "import setuptools, wheel, pip").exitCode == 0,
                "skipped: needs python3-pip, python3-setuptools and python3-wheel");
        // a copy, where a failure leaves nothing in the sources
        Path copy = directory.resolve("source");
        try (var files = Files.walk(SOURCE)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, copy.resolve(SOURCE.relativize(file).toString()));
            }
        }
        List<Path> sources = files(copy);
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
        // build/ was left in the clone: a module that was deleted later stayed in each wheel
        assertThat(files(copy)).isEqualTo(sources);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(each -> !each.toString().contains("__pycache__"))
                    .sorted()
                    .toList();
        }
    }

    /** Another producer's record of several predictions ended the example client: a list has no exampleId. */
    @Test
    void shouldReadRecordsOfSeveralPredictionsInTheExampleOfKafkaPython() throws Exception {
        assumeTrue(Files.isExecutable(Path.of(PYTHON)), "skipped: needs /usr/bin/python3 (Debian: python3)");
        // a broker that has the same records whatever is sent
        Files.writeString(directory.resolve("kafka.py"), """
                import collections
                Record = collections.namedtuple("Record", "key value")
                TopicPartition = collections.namedtuple("TopicPartition", "topic partition")
                OUTPUT = [
                    b'[{"exampleId":"a","label":1,"score":0.5},{"exampleId":"b","label":1,"score":1}]',
                    b'{"exampleId":"c","label":-1,"score":-1}', b'{"exampleId":"end"}']
                class KafkaProducer:
                    def __init__(self, **_): pass
                    def send(self, *_, **__): pass
                    def flush(self): pass
                class KafkaConsumer:
                    def __init__(self, **_): pass
                    def partitions_for_topic(self, _): return {0}
                    def assign(self, _): pass
                    def __iter__(self): return iter([Record(b"m", value) for value in OUTPUT])
                """);
        Path file = Files.writeString(directory.resolve("f.csv"), "id,x,label\na,1,1\nb,2,-1\nc,3,-1\n");
        Path client = Path.of("clients/python-kafka-python/client.py").toAbsolutePath();

        Ended ended = run(
                directory,
                "/usr/bin/env",
                "PYTHONPATH=" + directory,
                PYTHON,
                "-B",
                client.toString(),
                file.toString(),
                "m");
        assertThat(ended.output).startsWith("3 predictions, 1 errors, 3 mistakes, digest ");
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
