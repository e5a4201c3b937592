package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.embedded.SharedCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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

    private final Commands commands = new Commands();

    @Test
    void shouldNameMissingTopicsAndWhatMakesThem() {
        assertThat(failure(1, "missing", "").lines())
                .hasSize(8)
                .allSatisfy(line -> assertThat(line).startsWith("perceptron: ").contains("perceptron topics create"));
    }

    @Test
    void shouldRefuseAnInputTopicThatIsCompacted() throws Exception {
        create("compacted-examples", 1, Map.of("cleanup.policy", "compact"));

        assertFault(failure(1, "compacted", "-D topics.create=true"), "compacted-examples", "compact");
    }

    @Test
    void shouldRefuseAChangelogOfAnotherNumberOfPartitions() throws Exception {
        create("parted-examples", 3, Map.of());
        create(
                "parted-models-changelog",
                2,
                Map.of("cleanup.policy", "compact", "message.timestamp.after.max.ms", "9223372036854775807"));

        assertFault(failure(1, "parted", "-D topics.create=true"), "parted-models-changelog", "got 2 and 3");
    }

    @Test
    void shouldRefuseAStateDirectoryThatCannotBeWritten() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "not a directory");

        assertFault(
                failure(1, "unwritable", "-D topics.create=true -D state.dir=" + file),
                "state directory must be writable",
                file.toString());
    }

    @Test
    void shouldRefuseAStateDirectoryThatIsInUse() throws IOException {
        Path lock = Files.createDirectories(dir.resolve("state/used")).resolve(".lock");
        // the lock of Kafka Streams; it excludes also within one JVM
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock();

            failure(1, "used", "-D topics.create=true -D schema.registry.url=mock://used");
        }

        assertFault(commands.errors(), "state directory must not be in use", "set data.dir to another");
    }

    /** The engine once repeated the request for ever. */
    @Test
    void shouldEndWhenTheRegistryRefusesTheSchemasOfTheOutputs() {
        assertFault(
                failure(1, "refused", "-D topics.create=true -D auto.register.schemas=false"),
                "refused-predictions-value",
                "auto.register.schemas=true");
    }

    @Test
    void shouldRefuseABrokerThatIsNotThere() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        assertFault(
                commands.failure(1, "run --bootstrap 127.0.0.1:" + port + " --data-dir " + dir), "127.0.0.1:" + port);
    }

    @Test
    void shouldRefuseAPortThatIsInUse() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(used.getLocalPort());

            assertFault(
                    commands.failure(1, "run --embedded --data-dir " + dir + " --broker-port " + port),
                    port,
                    "--broker-port");
        }
    }

    @Test
    void shouldNameTheSettingThatWasMeant() {
        assertFault(failure(2, "any", "-D topics.crate=true"), "did you mean topics.create?");
    }

    private String failure(int exitCode, String prefix, String options) {
        return commands.failure(
                exitCode,
                "run --bootstrap " + CLUSTER.bootstrapServers() + " --registry mock://" + prefix + " --data-dir " + dir
                        + " -D topics.prefix=" + prefix + " " + options);
    }

    /** Checks that there is one line of error, with some texts. */
    private static void assertFault(String errors, String... texts) {
        assertThat(errors.lines()).singleElement().asString().contains(texts);
    }

    private static void create(String topic, int partitions, Map<String, String> configs) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", CLUSTER.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(configs)))
                    .all()
                    .get();
        }
    }
}
