package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.Main;
import io.perceptronstreams.embedded.SharedCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perceptron run} when it cannot start: one line for each fault, exit code not 0. */
class StartUpIT {
    private static final SharedCluster CLUSTER = new SharedCluster("start-up");

    @TempDir
    Path dir;

    private final StringWriter err = new StringWriter();

    @Test
    void shouldNameMissingTopicsAndWhatMakesThem() {
        assertThat(run("missing")).isEqualTo(1);

        assertThat(err.toString().lines())
                .hasSize(8)
                .allSatisfy(line -> assertThat(line).startsWith("perceptron: ").contains("perceptron topics create"));
    }

    @Test
    void shouldRefuseAnInputTopicThatIsCompacted() throws Exception {
        create("compacted-examples", 1, Map.of("cleanup.policy", "compact"));

        assertThat(run("compacted", "-D", "topics.create=true")).isEqualTo(1);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("compacted-examples")
                .contains("compact");
    }

    @Test
    void shouldRefuseAChangelogOfAnotherNumberOfPartitions() throws Exception {
        create("parted-examples", 3, Map.of());
        create(
                "parted-models-changelog",
                2,
                Map.of("cleanup.policy", "compact", "message.timestamp.after.max.ms", "9223372036854775807"));

        assertThat(run("parted", "-D", "topics.create=true")).isEqualTo(1);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("parted-models-changelog")
                .contains("got 2 and 3");
    }

    @Test
    void shouldRefuseAStateDirectoryThatCannotBeWritten() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "not a directory");

        assertThat(run("unwritable", "-D", "topics.create=true", "-D", "state.dir=" + file))
                .isEqualTo(1);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("state directory must be writable")
                .contains(file.toString());
    }

    @Test
    void shouldRefuseAStateDirectoryThatIsInUse() throws IOException {
        Path lock = Files.createDirectories(dir.resolve("state/used")).resolve(".lock");
        // the lock of Kafka Streams; it excludes also within one JVM
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();

            assertThat(run("used", "-D", "topics.create=true", "-D", "schema.registry.url=mock://used"))
                    .isEqualTo(1);
        }

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("state directory must not be in use")
                .contains("--data-dir");
    }

    /** The engine once repeated the request for ever. */
    @Test
    void shouldEndWhenTheRegistryRefusesTheSchemasOfTheOutputs() {
        assertThat(run("refused", "-D", "topics.create=true", "-D", "auto.register.schemas=false"))
                .isEqualTo(1);

        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains("refused-predictions-value")
                .contains("auto.register.schemas=true");
    }

    @Test
    void shouldRefuseABrokerThatIsNotThere() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        assertThat(command("run", "--bootstrap", "127.0.0.1:" + port, "--data-dir", dir.toString()))
                .isEqualTo(1);

        assertThat(err.toString().lines()).singleElement().asString().contains("127.0.0.1:" + port);
    }

    @Test
    void shouldRefuseAPortThatIsInUse() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(used.getLocalPort());

            assertThat(command("run", "--embedded", "--data-dir", dir.toString(), "--broker-port", port))
                    .isEqualTo(1);

            assertThat(err.toString().lines())
                    .singleElement()
                    .asString()
                    .contains(port)
                    .contains("--broker-port");
        }
    }

    @Test
    void shouldNameTheSettingThatWasMeant() {
        assertThat(run("any", "-D", "topics.crate=true")).isEqualTo(2);

        assertThat(err.toString().lines()).singleElement().asString().contains("did you mean topics.create?");
    }

    private int run(String prefix, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                "--bootstrap",
                CLUSTER.bootstrapServers(),
                "--registry",
                "mock://" + prefix,
                "--data-dir",
                dir.toString(),
                "-D",
                "topics.prefix=" + prefix));
        arguments.addAll(List.of(more));
        return command(arguments.toArray(String[]::new));
    }

    private int command(String... arguments) {
        return Main.run(arguments, new PrintWriter(new StringWriter()), new PrintWriter(err));
    }

    private static void create(String topic, int partitions, Map<String, String> configs) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", CLUSTER.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(configs)))
                    .all()
                    .get();
        }
    }
}
