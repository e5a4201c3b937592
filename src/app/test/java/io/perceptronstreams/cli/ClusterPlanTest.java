package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code topics create --dry-run}: no broker is asked. */
final class ClusterPlanTest {
    private static final Path STRIMZI = Path.of("deploy/strimzi.yaml");

    @TempDir
    Path directory;

    private final Commands commands = new Commands();

    /** SecuredClusterIT runs all commands with these rights. */
    @Test
    void shouldPrintTheRightsThatTheDocsList() throws Exception {
        List<String> documented = Files.readAllLines(Path.of("docs/security.md")).stream()
                .filter(line -> line.startsWith("kafka-acls --add "))
                .toList();

        assertThat(commands.output("topics create --dry-run --bootstrap 127.0.0.1:1")
                        .lines())
                .filteredOn(line -> line.startsWith("kafka-acls "))
                .isEqualTo(documented);
    }

    @Test
    void shouldPrintTheTopicsWithTheirSettings() {
        assertThat(commands.output("topics create --dry-run=commands --partitions 6 --replication-factor 3"
                                + " -D topics.prefix=shop")
                        .lines())
                .filteredOn(line -> line.startsWith("kafka-topics "))
                .hasSize(8)
                .contains("kafka-topics --create --if-not-exists --topic shop-examples --partitions 6"
                        + " --replication-factor 3 --config cleanup.policy=delete --config retention.bytes=-1 --config"
                        + " retention.ms=-1 --config segment.ms=9223372036854775807")
                .filteredOn(line -> line.contains("retention.ms=-1"))
                .hasSize(6);
    }

    @Test
    void shouldPrintTopicsWithTheLimitsThatAreSet() {
        assertThat(commands.output(
                                "topics create --dry-run -D topics.retention.ms=86400000 -D topics.retention.bytes=40000000")
                        .lines())
                .filteredOn(line -> line.contains("--topic perceptron-examples "))
                .first()
                .asString()
                .endsWith(
                        " --config cleanup.policy=delete --config retention.bytes=40000000 --config retention.ms=86400000"
                                + " --config segment.bytes=10000000");
    }

    @Test
    void shouldEndWithTheSettingsOfModelsOfANewLog() {
        assertThat(commands.output("topics create --dry-run").lines())
                .last()
                .isEqualTo("perceptron models defaults algorithm=adaptive");
        assertThat(commands.output("topics create --dry-run -D models.defaults=h=1")
                        .lines())
                .last()
                .isEqualTo("perceptron models defaults h=1");
        assertThat(commands.output("topics create --dry-run -D models.defaults="))
                .doesNotContain("models defaults");
    }

    @Test
    void shouldGrantTheChangelogOfAnotherApplicationId() {
        assertThat(commands.output("topics create --dry-run -D application.id=app"))
                .contains("--operation All --topic perceptron --topic app --group app --transactional-id app")
                .contains("--topic app-models-changelog");
    }

    @Test
    void shouldPrintTheResourcesOfStrimzi() throws Exception {
        String yaml = commands.output("topics create --dry-run=strimzi --replication-factor 3");
        String text = "# Topics, users and their rights for Strimzi: perceptron topics create --dry-run=strimzi"
                + " --replication-factor 3\n" + yaml;

        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(STRIMZI, text);
        }
        assertThat(STRIMZI).as("-Ddocs.write=true writes it").content().isEqualTo(text);
        List<JsonNode> documents = new ArrayList<>();
        for (String each : yaml.split("(?m)^---$", -1)) {
            if (!each.isBlank()) {
                documents.add(DeployFiles.yaml(Files.writeString(directory.resolve("document.yaml"), each)));
            }
        }
        assertThat(documents).hasSize(8 + 5);
        assertThat(documents.get(0).at("/spec/config/cleanup.policy").asText()).isEqualTo("delete");
        JsonNode engine = documents.get(8);
        assertThat(engine.path("kind").asText()).isEqualTo("KafkaUser");
        assertThat(engine.at("/spec/authorization/acls")).hasSize(3);
        assertThat(engine.at("/spec/authorization/acls/2/resource/type").asText())
                .isEqualTo("transactionalId");
        assertThat(engine.at("/spec/authorization/acls/2/resource/patternType").asText())
                .isEqualTo("prefix");
        assertThat(engine.at("/spec/authorization/acls/2/operations/0").asText())
                .isEqualTo("All");
    }

    @Test
    void shouldRefuseAnotherForm() {
        assertThat(commands.failure(2, "topics create --dry-run=terraform")).contains("terraform", "COMMANDS, STRIMZI");
    }
}
