package io.perceptronstreams.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients of {@code clients/}: each prints the same line and leaves the same weights as the model alone. */
final class ClientsIT {
    private static final String PYTHON = "/usr/bin/python3";

    @TempDir
    static Path directory;

    private static ClientsCluster cluster;
    private static ClientTask task;
    private static JsonNode weights;

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

    @Test
    void shouldRunPythonWithConfluentKafka() throws Exception {
        assumeRuns("python3-confluent-kafka and python3-avro", PYTHON, "-c", "import confluent_kafka, avro.io");
        assertSame("avro", PYTHON, "clients/python-confluent/client.py");
    }

    @Test
    void shouldRunPythonWithKafkaPython() throws Exception {
        assumeRuns("python3-kafka", PYTHON, "-c", "import kafka");
        assertSame("json", PYTHON, "clients/python-kafka-python/client.py");
    }

    @Test
    void shouldRunNode() throws Exception {
        assumeRuns("node 18 or newer", "node", "-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)");
        assumeRuns("npm", "npm", "--version");
        // the client reads ../../schemas, and Node finds packages beside it
        copy(Path.of("schemas"), Path.of("target/schemas"));
        Path folder = Path.of("target/clients/node-kafkajs");
        copy(Path.of("clients/node-kafkajs"), folder);
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
        assertSame("avro", "node", folder.resolve("client.mjs").toString());
    }

    @Test
    void shouldRunJava() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertSame("avro", java, "-cp", System.getProperty("java.class.path"), "clients/java/Client.java");
    }

    @Test
    void shouldRunKcat() throws Exception {
        assumeRuns("kcat", "kcat", "-V");
        assertSame("json", "bash", "clients/kcat/client.sh");
    }

    /** The default of librdkafka trains the same model, but each of its records takes a detour. */
    @Test
    void shouldCountTheReroutedRecordsOfKcatsOwnPartitioner() throws Exception {
        assumeRuns("kcat", "kcat", "-V");
        String model = misplaced();
        List<String> command = List.of("bash", "clients/kcat/client.sh", ClientTask.FILE, model);
        assertThat(cluster.run(Map.of("PARTITIONER", "consistent_random"), "json", command))
                .isEqualTo(task.output());
        assertThat(cluster.perceptron(1, "json", "client-check"))
                .contains("      684         0       684         0  crc32    " + model + "\n")
                .contains("kcat: -X topic.partitioner=murmur2_random\n");

        // with a command to publish the weights, which perceptron itself sends
        cluster.assertLearned("json", model, weights, ClientTask.RECORDS);
        assertThat(cluster.perceptron(1, "json", "client-check"))
                .contains("      685         1       684         0  murmur2  " + model + "\n");
    }

    @Test
    void shouldRunCurl() throws Exception {
        assumeRuns("curl 7.76 or newer", "curl", "--fail-with-body", "--version");
        String client = "clients/curl/client.sh";
        cluster.perceptron(
                "avro",
                "models",
                "set",
                client.replaceAll("\\W", "-"),
                "algorithm=perceptron",
                "scale=standard",
                "predict=averaged",
                "bias=false",
                "await.labels.ms=3600000");
        assertSame("avro", "bash", client);
    }

    @Test
    void shouldRunConnect() throws Exception {
        assumeTrue(
                Files.isDirectory(Path.of("clients/connect/target/lib")),
                "skipped: needs ./mvnw -f clients/connect/pom.xml package");
        assumeRuns("awk", "awk", "BEGIN { exit 0 }");
        // its sinks take the records of all models
        assertSame("connect", "bash", "clients/connect/client.sh");
    }

    private static void assertSame(String prefix, String... client) throws Exception {
        String model = client[client.length - 1].replaceAll("\\W", "-");
        List<String> command = Stream.concat(Stream.of(client), Stream.of(ClientTask.FILE, model))
                .toList();
        assertThat(cluster.run(Map.of(), prefix, command)).isEqualTo(task.output());
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
