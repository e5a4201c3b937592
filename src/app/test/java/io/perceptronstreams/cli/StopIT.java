package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.bench.BenchCommand;
import io.perceptronstreams.embedded.ClusterProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that are stopped by a signal: what they print, and their exit codes. */
@Tag("full")
final class StopIT {
    @TempDir
    Path directory;

    @Test
    void shouldSummarizeTheDemoOnCtrlC() throws Exception {
        try (CommandProcess demo = CommandProcess.start(directory, "demo", "--http-port", "0")) {
            demo.awaitOutput("separable         1,024");

            assertThat(demo.interrupt()).isEqualTo(CommandProcess.INTERRUPTED);

            assertThat(demo.outText()).contains("separable: ", " mistakes in ", "(R/gamma)^2", "wdbc:      ");
            assertThat(demo.errText()).doesNotContain("Exception", "\tat ", "perceptron: ");
        }
        assertNoFilesAreLeft();
    }

    @Test
    void shouldEndTheDemoDuringItsStart() throws Exception {
        for (String moment : new String[] {"Starting broker", "running: ", "Watch it learn"}) {
            try (CommandProcess demo = CommandProcess.start(directory, "demo", "--http-port", "0")) {
                demo.awaitError(moment);

                assertThat(demo.terminate()).as(moment).isEqualTo(CommandProcess.TERMINATED);

                // it may have predicted when the engine says that it runs
                assertThat(demo.outText() + demo.errText())
                        .as(moment)
                        .containsAnyOf("before the first prediction", "separable             1 ")
                        .doesNotContain("Exception", "\tat ", "perceptron: ");
            }
            assertNoFilesAreLeft();
        }
    }

    /** The files stayed: the benchmark waited for the broker that the signal had killed. */
    @Test
    void shouldRemoveTheFilesOfTheBenchmarkWhenItIsStopped() throws Exception {
        try (CommandProcess bench =
                CommandProcess.start(directory, List.of(), BenchCommand.class, "--stream", "easy", "--heap", "256m")) {
            bench.awaitError("filling topics");

            assertThat(bench.terminate()).isEqualTo(CommandProcess.TERMINATED);

            assertThat(bench.errText()).doesNotContain("still running");
        }
        assertNoFilesAreLeft();
    }

    /** The broker's log directory is removed under a running broker. */
    private void assertNoFilesAreLeft() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("tmp"))) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith("perceptron-demo") || name.startsWith("perceptron-bench"));
        }
    }

    /** Standard input stays open: the command waits for its next line when the signal comes. */
    @Test
    void shouldSayHowManyExamplesWereSentOnCtrlC() throws Exception {
        try (ClusterProcess cluster = ClusterProcess.start(directory.resolve("broker"), directory.resolve("log"))) {
            String[] addresses = {"--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()};
            try (CommandProcess topics = CommandProcess.start(
                    directory, arguments(addresses, "topics", "create", "-D", "models.defaults="))) {
                assertThat(topics.process().waitFor()).as(topics.errText()).isZero();
            }
            try (CommandProcess produce = CommandProcess.start(
                    directory, arguments(addresses, "produce", "-", "--format", "libsvm", "--model", "m"))) {
                produce.process().outputWriter().append("+1 1:0.5\n-1 2:1\n").flush();
                await().atMost(Duration.ofMinutes(1)).until(() -> records(cluster) == 2);

                assertThat(produce.interrupt()).isEqualTo(CommandProcess.INTERRUPTED);

                assertThat(produce.outText()).startsWith("sent 2 examples of m to perceptron-examples in ");
                assertThat(produce.errText()).isEmpty();
            }
        }
    }

    /** Kafka Streams logged two stack traces, as after a crash. */
    @Test
    void shouldEndInOrderWhileItWaitsForASchema() throws Exception {
        try (ClusterProcess cluster = ClusterProcess.start(directory.resolve("broker"), directory.resolve("log"))) {
            String[] addresses = {"--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()};
            String[] run = arguments(
                    addresses,
                    "run",
                    "-D",
                    "topics.create=true",
                    "--data-dir",
                    directory.resolve("data").toString());
            String waits = "for a schema that the registry does not give";
            try (CommandProcess engine = CommandProcess.start(directory, run)) {
                engine.awaitError("running: ");
                try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", cluster.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
                    // schema id 4242, which the registry does not have
                    byte[] value = {0, 0, 0, 0x10, (byte) 0x92, 2, 'a', 2, 2};
                    producer.send(new ProducerRecord<>("perceptron-examples", new byte[] {'m'}, value))
                            .get();
                }
                engine.awaitError(waits);

                assertThat(engine.terminate()).isEqualTo(CommandProcess.TERMINATED);

                assertThat(engine.errText()).doesNotContain("Exception", "\tat ", "ERROR", "perceptron: ");
            }
            try (CommandProcess again = CommandProcess.start(directory, run)) {
                again.awaitError(waits);
                assertThat(again.terminate()).isEqualTo(CommandProcess.TERMINATED);
            }
        }
    }

    private static String[] arguments(String[] last, String... first) {
        return Stream.concat(Stream.of(first), Stream.of(last)).toArray(String[]::new);
    }

    private static long records(ClusterProcess cluster) throws Exception {
        String topic = "perceptron-examples";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions()
                    .forEach(each -> ends.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
            return admin.listOffsets(ends).all().get().values().stream()
                    .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                    .sum();
        }
    }
}
