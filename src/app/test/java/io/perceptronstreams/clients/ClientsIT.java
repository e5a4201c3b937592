package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.embedded.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients of {@code clients/}: each prints the same line and leaves the same weights as the model alone. */
@Tag("full")
final class ClientsIT {
    private static final String PYTHON = "/usr/bin/python3";

    /** Runs the cells of a notebook as one program. */
    private static final String CELLS = """
            import json, sys
            cells = json.load(open(sys.argv[1], encoding="utf-8"))["cells"]
            exec("\\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
            """;

    private static final String JAVA = JavaProcess.tool("java");

    @TempDir
    static Path directory;

    private static ClientsCluster cluster;
    private static ClientTask task;
    private static JsonNode weights;
    private static boolean isKafkaJsInstalled;

    @BeforeAll
    static void start() throws Exception {
        task = new ClientTask();
        weights = task.weights(directory);
        cluster = new ClientsCluster(directory);
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(cluster, "cluster");
    }

    /** @param prefix of the engine whose outputs have the format that the client reads */
    @ParameterizedTest
    @CsvSource({
        "java, avro",
        "kcat, json",
        "node-kafkajs, avro",
        "node-confluent, json",
        "python-confluent, avro",
        "python-kafka-python, json",
        "python, avro",
        "python --client kafka-python, avro",
        "flink-sql, avro"
    })
    void shouldRun(String client, String prefix) throws Exception {
        assertSame(prefix, client.replace(' ', '-'), command(client));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"java", "kcat", "node-kafkajs", "node-confluent", "python-confluent", "python-kafka-python"})
    void shouldEndWithAMessageWithoutAnEngine(String client) throws Exception {
        List<String> command = withArguments(command(client), "unheard");
        cluster.cluster("silent").output("topics create --partitions 1");
        assertThat(cluster.failure(Map.of("WAIT", "1"), "silent", command))
                .contains("no end of unheard in silent-predictions in time (is the engine running?)");
    }

    /** Skips the test where the client is not installed. */
    private static List<String> command(String client) throws Exception {
        return switch (client) {
            case "java" -> List.of(JAVA, "-cp", System.getProperty("java.class.path"), "clients/java/Client.java");
            case "kcat" -> {
                assumeRuns("kcat", "kcat", "-V");
                yield List.of("bash", "clients/kcat/client.sh");
            }
            case "python-confluent" -> {
                assumeRuns("python3-confluent-kafka and python3-avro", PYTHON, "-c", "import confluent_kafka, avro.io");
                yield List.of(PYTHON, "clients/python-confluent/client.py");
            }
            case "python-kafka-python" -> {
                assumeRuns("python3-kafka", PYTHON, "-c", "import kafka");
                yield List.of(PYTHON, "clients/python-kafka-python/client.py");
            }
            case "python" -> {
                assumeRuns("python3-confluent-kafka and python3-avro", PYTHON, "-c", "import confluent_kafka, avro.io");
                yield List.of(PYTHON, "clients/python/client.py");
            }
            case "python --client kafka-python" -> {
                assumeRuns("python3-kafka and python3-avro", PYTHON, "-c", "import kafka, avro.io");
                yield List.of(PYTHON, "clients/python/client.py", "--client", "kafka-python");
            }
            case "node-kafkajs" -> List.of("node", installedKafkaJs().toString());
            case "node-confluent" -> {
                // its native code is downloaded or compiled, for minutes
                assumeTrue(
                        Files.isDirectory(Path.of("clients/node-confluent/node_modules/@confluentinc")),
                        "skipped: needs (cd clients/node-confluent && CKJS_LINKING=dynamic npm ci)");
                yield List.of("node", "clients/node-confluent/client.mjs");
            }
            case "flink-sql" -> {
                assumeTrue(
                        Files.isDirectory(Path.of("clients/flink-sql/target/lib")),
                        "skipped: needs ./mvnw -f clients/flink-sql/pom.xml package");
                yield List.of(JAVA, "-cp", "clients/flink-sql/target/lib/*", "clients/flink-sql/Client.java");
            }
            default -> throw new IllegalArgumentException(client);
        };
    }

    private static Path installedKafkaJs() throws Exception {
        assumeRuns("node 18 or newer", "node", "-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)");
        assumeRuns("npm", "npm", "--version");
        // the client reads ../../schemas, and Node finds packages beside it
        copy(Path.of("schemas"), Path.of("target/schemas"));
        Path folder = Path.of("target/clients/node-kafkajs");
        copy(Path.of("clients/node-kafkajs"), folder);
        if (!isKafkaJsInstalled) {
            assertThat(runs(
                            "npm",
                            "ci",
                            "--prefix",
                            folder.toString(),
                            "--ignore-scripts",
                            "--no-audit",
                            "--prefer-offline"))
                    .as("npm ci")
                    .isTrue();
            isKafkaJsInstalled = true;
        }
        return folder.resolve("client.mjs");
    }

    /** The default of librdkafka trains the same model, but each of its records takes a detour. */
    @Test
    void shouldCountTheReroutedRecordsOfKcatsOwnPartitioner() throws Exception {
        assumeRuns("kcat", "kcat", "-V");
        String model = misplaced();
        List<String> command = List.of("bash", "clients/kcat/client.sh", ClientTask.FILE, model);
        assertThat(cluster.run(Map.of("PARTITIONER", "consistent_random"), "json", command))
                .isEqualTo(task.output());
        cluster.cluster("json").failure(1, "client-check");
        assertThat(cluster.cluster("json").output())
                .contains("      684         0       684         0  crc32    " + model + "\n")
                .contains("kcat: -X topic.partitioner=murmur2_random\n");

        // with a command to publish the weights, which perceptron itself sends
        cluster.assertLearned("json", model, weights, ClientTask.RECORDS);
        cluster.cluster("json").failure(1, "client-check");
        assertThat(cluster.cluster("json").output())
                .contains("      685         1       684         0  crc32    " + model + "\n");
    }

    /** Its own assertions compare what came back with what it sent. */
    @ParameterizedTest
    @ValueSource(strings = {"script", "nbconvert"})
    void shouldRunTheNotebook(String way) throws Exception {
        String packages = "confluent_kafka, avro.io, pandas, matplotlib";
        assumeRuns("python3-confluent-kafka, -avro, -pandas, -matplotlib", PYTHON, "-c", "import " + packages);
        String notebook =
                Path.of("clients/python/mistakes.ipynb").toAbsolutePath().toString();
        List<String> command = List.of(PYTHON, "-c", CELLS, notebook);
        if (way.equals("nbconvert")) {
            assumeRuns("python3-nbconvert and python3-ipykernel", PYTHON, "-c", "import nbconvert, ipykernel");
            command = List.of(PYTHON, "-m", "nbconvert", "--execute", "--to", "notebook", "--stdout", notebook);
        }
        Path plot = directory.resolve("errors.png");
        Files.deleteIfExists(plot);
        Map<String, String> environment = Map.of(
                "MPLBACKEND",
                "Agg",
                "PLOT",
                plot.toAbsolutePath().toString(),
                "MODEL",
                "visits-" + way,
                "PYTHONPATH",
                Path.of("clients/python").toAbsolutePath().toString());
        cluster.run(environment, "avro", command);
        assertThat(plot).isNotEmptyFile();
    }

    @Test
    void shouldRunCurl() throws Exception {
        assumeRuns("curl 7.76 or newer", "curl", "--fail-with-body", "--version");
        cluster.cluster("avro")
                .output(
                        "models set curl algorithm=perceptron scale=standard predict=averaged bias=false await.labels.ms=3600000");
        assertSame("avro", "curl", List.of("bash", "clients/curl/client.sh"));
    }

    @Test
    void shouldRunConnect() throws Exception {
        assumeTrue(
                Files.isDirectory(Path.of("clients/connect/target/lib")),
                "skipped: needs ./mvnw -f clients/connect/pom.xml package");
        assumeRuns("awk", "awk", "BEGIN { exit 0 }");
        // its sinks take the records of all models
        assertSame("connect", "connect", List.of("bash", "clients/connect/client.sh"));
    }

    private static List<String> withArguments(List<String> command, String model) {
        return Stream.concat(command.stream(), Stream.of(ClientTask.FILE, model))
                .toList();
    }

    private static void assertSame(String prefix, String model, List<String> command) throws Exception {
        assertThat(cluster.run(Map.of(), prefix, withArguments(command, model))).isEqualTo(task.output());
        cluster.assertLearned(prefix, model, weights, 0);
    }

    /** A model whose partitions by CRC32 and by murmur2 differ. */
    private static String misplaced() {
        return Stream.iterate(0, n -> n + 1)
                .map(n -> "misplaced-" + n)
                .filter(model -> {
                    byte[] key = model.getBytes(StandardCharsets.UTF_8);
                    CRC32 crc = new CRC32();
                    crc.update(key);
                    return crc.getValue() % ClientsCluster.PARTITIONS
                            != Utils.toPositive(Utils.murmur2(key)) % ClientsCluster.PARTITIONS;
                })
                .findFirst()
                .orElseThrow();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (var files = Files.newDirectoryStream(from, Files::isRegularFile)) {
            for (Path file : files) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void assumeRuns(String needed, String... command) throws InterruptedException {
        assumeTrue(runs(command), "skipped: needs " + needed);
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(10, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
