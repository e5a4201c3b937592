package io.perceptronstreams.cli;

import static io.perceptronstreams.cli.DeployFiles.children;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import kafka.server.KafkaConfig;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.utils.internals.AppInfoParser;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;

/** Checks docker-compose.yml, Dockerfile and the documented {@code docker run} without a container engine. */
final class ComposeFileTest {
    private static final Pattern PINNED = Pattern.compile("[a-z0-9./-]+:[a-z0-9._-]*\\d+\\.\\d+\\.\\d+[A-Za-z0-9._-]*");
    private static final Pattern SECRET =
            Pattern.compile("(?i)passw|secret|token|credential|private|api[._-]?key|user[._-]?info|jaas|//[^/\\s]*@");

    private final Map<String, JsonNode> services = DeployFiles.services();

    @Test
    void shouldPassOnlySettingsOfTheEngineOrOfKafka() {
        assertOnlyDefinedSettings(EngineConfig.of(Map.of(), engineVariables(), null, Map.of()));
    }

    @Test
    void shouldDocumentARunOfTheImageThatIsBuilt() throws IOException {
        Map<String, List<String>> options = new HashMap<>();
        List<String> words = documentedRun();
        for (int k = 0; k < words.size() - 1; k += words.get(k).equals("--detach") ? 1 : 2) {
            String option = words.get(k);
            assertThat(option).startsWith("--");
            options.computeIfAbsent(option, any -> new ArrayList<>()).add(words.get(k + 1));
        }
        Map<String, String> variables = options.get("--env").stream()
                .map(each -> each.split("=", 2))
                .collect(toMap(each -> each[0], each -> each[1]));
        EngineConfig config = EngineConfig.of(Map.of(), variables, null, Map.of());

        assertThat(words.get(words.size() - 1))
                .isEqualTo(services.get("engine").path("image").asText());
        assertThat(variables)
                .hasSize(5)
                .allSatisfy((name, value) -> assertThat(name).startsWith("PERCEPTRON_"));
        assertOnlyDefinedSettings(config);
        assertThat(config.get(EngineConfigDef.BOOTSTRAP_SERVERS)).isEqualTo("broker.example:9092");
        assertThat(config.registry()).containsEntry("schema.registry.url", "http://registry.example:8081");
        assertThat(options.get("--publish"))
                .containsExactly("127.0.0.1:8080:"
                        + config.get(EngineConfigDef.HTTP_PORT).getAsInt());
        assertThat(options.get("--volume")).singleElement().asString().endsWith(":/var/lib/perceptron");
        assertThat(lines("Dockerfile")).contains("VOLUME /var/lib/perceptron");
    }

    /** Words after {@code docker run} in docs/install.md. */
    private static List<String> documentedRun() throws IOException {
        Matcher run = Pattern.compile("(?m)^docker run ((?:.*\\\\\n)*.*)$")
                .matcher(Files.readString(Path.of("docs/install.md")));
        assertThat(run.find()).as("docker run in docs/install.md").isTrue();
        return Arrays.stream(run.group(1).replace("\\\n", " ").split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static void assertOnlyDefinedSettings(EngineConfig config) {
        Set<String> passedOn = new HashSet<>(config.streams().keySet());
        passedOn.removeAll(
                EngineConfig.of(Map.of(), Map.of(), null, Map.of()).streams().keySet());
        passedOn.removeAll(StreamsConfig.configDef().names());
        passedOn.removeAll(ConsumerConfig.configNames());
        passedOn.removeAll(ProducerConfig.configNames());
        passedOn.removeAll(AdminClientConfig.configNames());
        assertThat(passedOn).as("unknown settings").isEmpty();
    }

    @Test
    void shouldPointTheEngineAtTheBrokerAndTheRegistryBesideIt() {
        EngineConfig config = EngineConfig.of(Map.of(), engineVariables(), null, Map.of());

        assertThat(environment("kafka").get("KAFKA_ADVERTISED_LISTENERS"))
                .contains("://" + config.get(EngineConfigDef.BOOTSTRAP_SERVERS) + ",");
        assertThat(config.registry().get("schema.registry.url")).isEqualTo("http://registry:8081");
        assertThat(environment("registry"))
                .containsEntry(
                        "SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS",
                        "PLAINTEXT://" + config.get(EngineConfigDef.BOOTSTRAP_SERVERS));
    }

    @Test
    void shouldGiveNoContainerMorePrivilegesThanItsImageStartsWith() {
        assertThat(services.values())
                .isNotEmpty()
                .allSatisfy(service -> assertThat(service.path("security_opt"))
                        .extracting(JsonNode::asText)
                        .containsExactly("no-new-privileges:true"));
        assertThat(services.get("engine").path("cap_drop"))
                .extracting(JsonNode::asText)
                .containsExactly("ALL");
    }

    @Test
    void shouldKeepTheEnginesDataInItsVolume() {
        Path dataDir =
                EngineConfig.of(Map.of(), engineVariables(), null, Map.of()).get(EngineConfigDef.DATA_DIR);

        assertThat(services.get("engine").path("volumes"))
                .extracting(JsonNode::asText)
                .contains("engine-data:" + dataDir);
        assertThat(lines("Dockerfile")).contains("VOLUME " + dataDir, "ENV PERCEPTRON_DATA_DIR=" + dataDir);
    }

    @Test
    void shouldSetUpABrokerThatKafkaAccepts() {
        Properties broker = new Properties();
        environment("kafka").forEach((variable, value) -> broker.put(brokerSetting(variable), value));

        assertThat(AbstractKafkaConfig.CONFIG_DEF.names()).containsAll(broker.stringPropertyNames());
        assertThatCode(() -> new KafkaConfig(broker, false)).doesNotThrowAnyException();
    }

    @Test
    void shouldRunTheBrokerOfTheKafkaThatTheEngineIsBuiltWith() {
        assertThat(services.get("kafka").path("image").asText())
                .isEqualTo("apache/kafka:" + AppInfoParser.getVersion());
    }

    @Test
    void shouldPinEveryImage() {
        assertThat(services.values())
                .extracting(service -> service.path("image").asText())
                .allMatch(PINNED.asMatchPredicate());
        assertThat(lines("Dockerfile"))
                .filteredOn(line -> line.startsWith("FROM "))
                .hasSize(2)
                .extracting(line -> line.split(" ", -1)[1])
                .allMatch(PINNED.asMatchPredicate());
    }

    @Test
    void shouldCheckTheHealthOfEveryService() {
        assertThat(services).containsOnlyKeys("kafka", "registry", "engine", "prometheus", "grafana");
        assertThat(services.values())
                .allMatch(service -> service.path("healthcheck").path("test").size() > 1);
    }

    /** A check by a command of the program started a JVM each minute. */
    @Test
    void shouldAskTheEngineItselfForItsHealth() {
        EngineConfig config = EngineConfig.of(Map.of(), engineVariables(), null, Map.of());
        List<String> check = new ArrayList<>();
        services.get("engine").at("/healthcheck/test").forEach(word -> check.add(word.asText()));

        assertThat(check)
                .startsWith("CMD", "curl")
                .endsWith("http://localhost:"
                        + config.get(EngineConfigDef.HTTP_PORT).getAsInt() + "/readyz");
        assertThat(String.join("\n", lines("Dockerfile")))
                .contains("HEALTHCHECK", "\"http://localhost:$PERCEPTRON_HTTP_PORT/readyz\"");
    }

    @Test
    void shouldLimitTheMemoryOfEveryServiceAndHeapOfTheEngineBelow() {
        assertThat(services.values())
                .allMatch(service -> service.path("mem_limit").asText().matches("\\d+[mg]"));
        assertThat(services.get("engine").path("mem_limit").asText()).isEqualTo("2g");
        assertThat(environment("engine")).containsEntry("PERCEPTRON_OPTS", "-Xmx1g");
    }

    @Test
    void shouldLabelTheImageWithTheVersionOfItsTag() {
        String tag = services.get("engine").path("image").asText().split(":", 2)[1];
        assertThat(String.join("\n", lines("Dockerfile"))).contains("org.opencontainers.image.version=\"" + tag + "\"");
    }

    @Test
    void shouldStartEveryServiceOnlyWhenThoseItNeedsAreHealthy() {
        assertThat(children(services.get("engine").path("depends_on"))).containsOnlyKeys("kafka", "registry");
        assertThat(children(services.get("registry").path("depends_on"))).containsOnlyKeys("kafka");
        for (JsonNode service : services.values()) {
            assertThat(children(service.path("depends_on")).values())
                    .allMatch(needed -> needed.path("condition").asText().equals("service_healthy"));
        }
    }

    @Test
    void shouldListenOnTheLoopbackInterfaceOnly() {
        for (JsonNode service : services.values()) {
            assertThat(service.path("ports")).allMatch(port -> port.asText().startsWith("127.0.0.1:"));
        }
    }

    @Test
    void shouldHoldNothingThatLooksLikeASecret() {
        assertThat(lines("docker-compose.yml"))
                .noneMatch(line -> SECRET.matcher(line).find());
        assertThat(lines("Dockerfile")).noneMatch(line -> SECRET.matcher(line).find());
    }

    @Test
    void shouldNotRunTheEngineAsRoot() {
        assertThat(lines("Dockerfile")).contains("USER 10001:10001");
    }

    /** Broker properties that Kafka's container image makes from its variables. */
    private static String brokerSetting(String variable) {
        return variable.substring("KAFKA_".length()).toLowerCase(Locale.ROOT).replace('_', '.');
    }

    private Map<String, String> engineVariables() {
        Map<String, String> variables = new HashMap<>(environment("engine"));
        variables.keySet().removeIf(variable -> !variable.startsWith("PERCEPTRON_"));
        assertThat(variables).as("variables of the engine").isNotEmpty();
        return variables;
    }

    private Map<String, String> environment(String service) {
        return children(services.get(service).path("environment")).entrySet().stream()
                .collect(toMap(Map.Entry::getKey, entry -> entry.getValue().asText()));
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
