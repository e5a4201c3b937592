package io.perceptronstreams.cli;

import static io.perceptronstreams.embedded.SecuredCluster.PASSWORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.Certificates;
import io.perceptronstreams.embedded.SecuredCluster;
import io.perceptronstreams.topology.EngineRunner;
import io.perceptronstreams.topology.LogLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * TLS, SASL, client certificates, and exactly the rights that {@code docs/security.md} lists: with them everything
 * works, without one of them a line names what is missing.
 */
@Tag("chaos")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SecuredClusterIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> USERS = List.of("engine", "producer", "operator", "monitor", "replica");

    @TempDir
    static Path directory;

    private static Path trusted;
    private static Path other;
    private static Certificates certificates;
    private static SecuredCluster cluster;
    private static Map<String, List<AclBinding>> rights;

    private final Commands commands = new Commands();

    @BeforeAll
    static void start() throws Exception {
        certificates = new Certificates(directory);
        Path server = certificates.key("broker", "-ext", "SAN=IP:127.0.0.1", "-validity", "30");
        certificates.key("engine", "-validity", "30");
        certificates.key("stranger", "-validity", "30");
        trusted = certificates.trusting("broker");
        other = certificates.trusting("stranger");
        cluster = SecuredCluster.start(directory.resolve("cluster"), server, certificates.trusting("engine"), USERS);
        for (String user : USERS) {
            cluster.addScramUser(user);
        }
        rights = documented();
        assertThat(rights.keySet()).containsExactlyElementsOf(USERS);
        for (List<AclBinding> each : rights.values()) {
            cluster.admin().createAcls(each).all().get();
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** The arguments of kafka-acls in the documentation. */
    private static Map<String, List<AclBinding>> documented() throws Exception {
        Map<String, List<AclBinding>> rights = new LinkedHashMap<>();
        Pattern option = Pattern.compile("--([a-z-]+) (?:User:)?(\\S+)");
        for (String line : Files.readAllLines(Path.of("docs/security.md"))) {
            if (!line.startsWith("kafka-acls --add ")) {
                continue;
            }
            String user = null;
            PatternType pattern = PatternType.LITERAL;
            List<AclOperation> operations = new ArrayList<>();
            List<String[]> resources = new ArrayList<>();
            for (Matcher match = option.matcher(line.substring("kafka-acls --add ".length())); match.find(); ) {
                String value = match.group(2);
                switch (match.group(1)) {
                    case "allow-principal" -> user = value;
                    case "operation" ->
                        operations.add(AclOperation.fromString(value.replaceAll("(?<=[a-z])(?=[A-Z])", "_")));
                    case "resource-pattern-type" -> pattern = PatternType.fromString(value.toUpperCase(Locale.ROOT));
                    default -> resources.add(new String[] {match.group(1), value});
                }
            }
            for (String[] resource : resources) {
                for (AclOperation operation : operations) {
                    rights.computeIfAbsent(user, any -> new ArrayList<>())
                            .add(new AclBinding(
                                    new ResourcePattern(
                                            ResourceType.fromString(resource[0].replace('-', '_')),
                                            resource[1],
                                            pattern),
                                    new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW)));
                }
            }
        }
        return rights;
    }

    /** A file with the settings of a user that has a password. */
    private static Path sasl(String user, String mechanism, String... more) throws Exception {
        boolean isPlain = mechanism.equals("PLAIN");
        return settings(
                "127.0.0.1:" + cluster.saslPort(),
                """
                security.protocol=SASL_SSL
                sasl.mechanism=%s
                sasl.jaas.config=org.apache.kafka.common.security.%s required username="%s" password="%s";
                ssl.truststore.location=%s
                ssl.truststore.password=%s
                """.formatted(
                                mechanism,
                                isPlain ? "plain.PlainLoginModule" : "scram.ScramLoginModule",
                                user,
                                PASSWORD,
                                trusted,
                                PASSWORD),
                more);
    }

    /** A file with the settings of the owner of a certificate. */
    private static Path certificate(String name, String... more) throws Exception {
        return settings(
                "127.0.0.1:" + cluster.tlsPort(),
                """
                security.protocol=SSL
                ssl.keystore.location=%s
                ssl.keystore.password=%s
                ssl.truststore.location=%s
                ssl.truststore.password=%s
                """.formatted(directory.resolve(name + ".p12"), PASSWORD, trusted, PASSWORD),
                more);
    }

    private static Path settings(String bootstrapServers, String settings, String... more) throws Exception {
        Path file = Files.createTempFile(directory, "client", ".properties");
        return Files.writeString(
                file,
                "bootstrap.servers=" + bootstrapServers + "\nschema.registry.url=" + cluster.registryUrl()
                        + "\ntopics.create=true\nmodels.defaults=\ntopics.partitions=2\n" + "data.dir=" + file
                        + ".data\n" + settings
                        + String.join("\n", more));
    }

    private static EngineRunner engine(Path settings) throws Exception {
        EngineRunner engine = new EngineRunner(EngineConfig.of(Map.of(), Map.of(), settings, Map.of()));
        engine.start();
        engine.awaitRunning();
        return engine;
    }

    /** Runs a command that must succeed, and returns its output. */
    private String succeed(Path settings, String command) {
        return commands.output(command + " --config " + settings);
    }

    /** Runs a command that must fail with one line, which has a text. */
    private void fail(Path settings, String command, String expected) {
        String errors = commands.failure(1, command + " --config " + settings);
        assertThat(errors.lines()).as(errors).hasSize(1);
        assertThat(errors).startsWith("perceptron: ").contains(expected);
    }

    private static Path examples() throws Exception {
        return Files.writeString(directory.resolve("examples.csv"), "label,a,b\n1,1,0\n-1,0,1\n1,1,0.5\n-1,-1,1\n");
    }

    private String produce(Path settings) throws Exception {
        return succeed(settings, "produce " + examples() + " --model m --label-column label --timeout 60");
    }

    @Test
    @Order(1)
    void shouldWorkWithTheDocumentedRightsAlone() throws Exception {
        Path producer = sasl("producer", "PLAIN");
        Path operator = sasl("operator", "SCRAM-SHA-512");
        Path weights = directory.resolve("weights.json");
        try (EngineRunner engine = engine(certificate("engine"))) {
            succeed(operator, "models set m predict=averaged");
            assertThat(produce(producer)).contains("sent 4 examples of m", "none refused");
            assertThat(succeed(operator, "models list")).contains("m");
            succeed(operator, "models snapshot m");
            succeed(operator, "weights export m --output " + weights);
            succeed(operator, "weights import n --yes " + weights);
            succeed(sasl("monitor", "PLAIN"), "watch predictions --from-beginning --limit 4");
            await().atMost(PATIENCE)
                    .until(() -> succeed(operator, "models list").contains("n"));
            shouldServe(sasl("monitor", "SCRAM-SHA-512"), Map.of(), "/api/v1/models/m");
            shouldServe(sasl("replica", "SCRAM-SHA-512"), Map.of("http.replica", "true"), "/api/v1/models/m");
            assertThat(engine.streams().state().isRunningOrRebalancing()).isTrue();
        }
    }

    private static void shouldServe(Path settings, Map<String, String> more, String path) throws Exception {
        EngineConfig config = EngineConfig.of(more, Map.of(), settings, Map.of());
        try (RunningMonitor monitor = RunningMonitor.open(config, 0, null)) {
            monitor.start(null);
            new MonitorHttp(monitor.url()).await200("readyz");
            assertThat(new MonitorHttp(monitor.url()).text(path.substring(1))).contains("\"m\"");
        }
    }

    @ParameterizedTest
    @Order(2)
    @CsvSource({
        "engine, TOPIC, perceptron, run, Not authorized to access topics: [perceptron-examples]",
        "engine, GROUP, perceptron, run, type=GROUP",
        "engine, TRANSACTIONAL_ID, perceptron, run, ransactional",
        "producer, TOPIC, perceptron-examples, produce, perceptron-examples",
        "operator, TOPIC, perceptron-examples, models set m h=0.5, perceptron-examples",
        "operator, TOPIC, perceptron-models, models list, perceptron-models",
        "operator, TOPIC, perceptron-weights, weights export m, perceptron-weights",
        "operator, TRANSACTIONAL_ID, perceptron, weights import o --yes, ransactional",
        "monitor, TOPIC, perceptron-predictions, watch predictions --limit 1, perceptron-predictions"
    })
    void shouldNameTheRightThatIsMissing(
            String user, ResourceType type, String resource, String command, String expected) throws Exception {
        String more = switch (command) {
            case "produce" -> " " + examples() + " --model m --label-column label";
            case "weights import o --yes" -> " " + directory.resolve("weights.json");
            default -> "";
        };
        Path settings = user.equals("engine") ? certificate(user) : sasl(user, "PLAIN");
        try (Missing missing = new Missing(user, type, resource)) {
            fail(settings, command + more, expected);
            assertThat(missing.rights()).isNotEmpty();
        }
    }

    /** Rights of a user on a resource, which are taken until this is closed. */
    private record Missing(List<AclBinding> rights) implements AutoCloseable {
        Missing(String user, ResourceType type, String resource) throws Exception {
            this(SecuredClusterIT.rights.get(user).stream()
                    .filter(right -> right.pattern().resourceType() == type
                            && right.pattern().name().equals(resource))
                    .toList());
            cluster.admin()
                    .deleteAcls(rights.stream().map(AclBinding::toFilter).toList())
                    .all()
                    .get();
        }

        @Override
        public void close() {
            giveBack();
        }

        void giveBack() {
            cluster.admin()
                    .createAcls(rights)
                    .all()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
        }
    }

    /** The report is left out, as documented; the examples are sent. */
    @ParameterizedTest
    @Order(3)
    @CsvSource({"TOPIC, perceptron-dead-letters", "GROUP, perceptron"})
    void shouldSendWithoutTheRightsOfTheReport(ResourceType type, String resource) throws Exception {
        try (Missing missing = new Missing("producer", type, resource)) {
            assertThat(missing.rights()).hasSize(1);
            assertThat(produce(sasl("producer", "PLAIN"))).contains("sent 4 examples of m");
            assertThat(commands.output() + commands.errors()).contains("not known");
        }
    }

    /** In a line of the log, or in the state that the page shows; it continues as soon as it has the right. */
    @ParameterizedTest
    @Order(4)
    @CsvSource({
        "monitor, TOPIC, perceptron-models, perceptron-models",
        "monitor, TOPIC, perceptron-examples, perceptron-examples",
        "monitor, GROUP, perceptron, type=GROUP",
        "replica, TOPIC, perceptron-models-changelog, perceptron-models-changelog",
        "replica, TOPIC, perceptron-examples, perceptron-examples",
        "replica, GROUP, perceptron, type=GROUP"
    })
    void shouldNameTheRightThatAMonitorLacks(String user, ResourceType type, String resource, String expected)
            throws Exception {
        EngineConfig config = EngineConfig.of(
                Map.of("http.replica", Boolean.toString(user.equals("replica"))),
                Map.of(),
                sasl(user, "PLAIN"),
                Map.of());
        try (Missing missing = new Missing(user, type, resource);
                LogLines log = new LogLines();
                RunningMonitor monitor = RunningMonitor.open(config, 0, null)) {
            assertThat(missing.rights()).hasSize(1);
            monitor.start(null);
            await().atMost(PATIENCE)
                    .until(() ->
                            (log.lines() + new MonitorHttp(monitor.url()).text("api/v1/engine")).contains(expected));
            missing.giveBack();
            new MonitorHttp(monitor.url()).await200("readyz");
        }
    }

    // the move failed behind the fence: without predictions until the right was granted
    @ParameterizedTest
    @Order(5)
    @CsvSource({"GROUP, perceptron, type=GROUP", "TRANSACTIONAL_ID, perceptron, ransactional"})
    void shouldMakeNoFenceWithoutTheRightsToMoveTheModels(ResourceType type, String resource, String expected)
            throws Exception {
        Path settings = certificate("engine");
        long before = examplesEnd();
        try (Missing missing = new Missing("engine", type, resource)) {
            fail(settings, "topics repartition --to 3 --yes --timeout 5", expected);
            assertThat(missing.rights()).isNotEmpty();
        }
        assertThat(examplesEnd()).isEqualTo(before);
    }

    private static long examplesEnd() throws Exception {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < 2; partition++) {
            ends.put(new TopicPartition("perceptron-examples", partition), OffsetSpec.latest());
        }
        return cluster.admin().listOffsets(ends).all().get().values().stream()
                .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                .sum();
    }

    @Test
    @Order(5)
    void shouldNameWhatIsWrongWithTheCredentials() throws Exception {
        fail(
                sasl(
                        "producer",
                        "PLAIN",
                        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule"
                                + " required username=\"producer\" password=\"wrong\";"),
                "Authentication failed");
        fail(sasl("producer", "PLAIN", "ssl.truststore.location=" + other), "SSL handshake failed");
        // the broker's certificate is for 127.0.0.1
        fail(sasl("producer", "PLAIN", "bootstrap.servers=localhost:" + cluster.saslPort()), "SSL handshake failed");
        fail(certificate("stranger"), "certificate");
        // a client without TLS is no client to this port
        fail(
                settings("127.0.0.1:" + cluster.tlsPort(), "default.api.timeout.ms=5000\nmax.block.ms=5000"),
                "broker must");
    }

    @Test
    @Order(6)
    void shouldSayThatTheCertificateOfTheBrokerIsOutOfDate() throws Exception {
        Path server = certificates.expired("late-broker", "-ext", "SAN=IP:127.0.0.1");
        Path signer = certificates.trusting("late-broker-ca");
        try (SecuredCluster late = SecuredCluster.start(directory.resolve("late"), server, signer, USERS)) {
            String truststore = "ssl.truststore.location=" + signer;
            fail(
                    sasl("producer", "PLAIN", truststore, "bootstrap.servers=127.0.0.1:" + late.saslPort()),
                    "SSL handshake failed: NotAfter: ");
        }
    }

    private void fail(Path settings, String expected) {
        fail(settings, "run", expected);
        fail(settings, "models list", expected);
    }
}
