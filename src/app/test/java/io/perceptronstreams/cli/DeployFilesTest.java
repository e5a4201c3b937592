package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks that the files for Prometheus and Grafana agree; {@link MetricsIT} compares their metrics with the engine. */
final class DeployFilesTest {
    private final Map<String, JsonNode> services = DeployFiles.services();

    @Test
    void shouldMountOnlyWhatIsThere() {
        Map<String, JsonNode> volumes =
                DeployFiles.children(DeployFiles.yaml(DeployFiles.COMPOSE).path("volumes"));
        int files = 0;
        List<String> used = new ArrayList<>();
        for (JsonNode service : services.values()) {
            for (JsonNode mount : service.path("volumes")) {
                String source = mount.asText().split(":", -1)[0];
                if (source.startsWith("./")) {
                    assertThat(Path.of(source)).exists();
                    assertThat(mount.asText())
                            .as("nobody writes to the sources")
                            .endsWith(":ro");
                    files++;
                } else {
                    used.add(source);
                }
            }
        }

        assertThat(files).isEqualTo(4);
        assertThat(volumes.keySet()).containsExactlyInAnyOrderElementsOf(used);
    }

    @Test
    void shouldFindTheRuleFiles() {
        assertThat(DeployFiles.yaml(DeployFiles.PROMETHEUS).path("rule_files"))
                .isNotEmpty()
                .allMatch(file -> Files.exists(DeployFiles.PROMETHEUS.resolveSibling(file.asText())));
        assertThat(mounted("prometheus", "/etc/prometheus")).isEqualTo(DeployFiles.PROMETHEUS.getParent());
    }

    @Test
    void shouldScrapeTheEngineByANameThatItsServerTakes() {
        Map<String, String> variables = new HashMap<>();
        DeployFiles.children(services.get("engine").path("environment"))
                .forEach((variable, value) -> variables.put(variable, value.asText()));
        EngineConfig engine = EngineConfig.of(Map.of(), variables, null, Map.of());

        JsonNode scrape =
                DeployFiles.yaml(DeployFiles.PROMETHEUS).path("scrape_configs").path(0);
        assertThat(scrape.path("metrics_path").asText()).isEqualTo("/metrics");
        String[] target = scrape.at("/static_configs/0/targets/0").asText().split(":", -1);
        assertThat(services).containsKey(target[0]);
        assertThat(engine.get(EngineConfigDef.HTTP_NAMES)).contains(target[0]);
        assertThat(engine.get(EngineConfigDef.HTTP_PORT)).hasValue(Integer.parseInt(target[1]));
    }

    @Test
    void shouldGiveEveryAlertWhatAPersonNeeds() {
        List<String> names = new ArrayList<>();
        for (JsonNode group : DeployFiles.yaml(DeployFiles.ALERTS).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                names.add(rule.path("alert").asText());
                assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
                assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
                assertThat(rule.at("/annotations/description").asText()).isNotBlank();
            }
        }
        assertThat(names).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void shouldProvisionTheSourceThatTheDashboardAsks() {
        JsonNode source =
                DeployFiles.yaml(DeployFiles.DATA_SOURCES).path("datasources").path(0);
        URI url = URI.create(source.path("url").asText());
        assertThat(services).containsKey(url.getHost());
        assertThat(services.get(url.getHost()).path("ports").path(0).asText()).endsWith(":" + url.getPort());

        JsonNode dashboard = DeployFiles.json(DeployFiles.DASHBOARD);
        assertThat(dashboard.findValues("datasource")).isNotEmpty().allSatisfy(asked -> {
            assertThat(asked.path("type")).isEqualTo(source.path("type"));
            assertThat(asked.path("uid")).isEqualTo(source.path("uid"));
        });
        assertThat(source.at("/jsonData/timeInterval"))
                .isEqualTo(DeployFiles.yaml(DeployFiles.PROMETHEUS).at("/global/scrape_interval"));
        assertThat(mounted("grafana", "/etc/grafana/provisioning/datasources"))
                .isEqualTo(DeployFiles.DATA_SOURCES.getParent());
    }

    @Test
    void shouldProvisionTheDashboardAndBeginWithIt() {
        assertThat(mounted("grafana", "/etc/grafana/provisioning/dashboards"))
                .isEqualTo(DeployFiles.PROVIDERS.getParent());
        Path provided = Path.of(DeployFiles.yaml(DeployFiles.PROVIDERS)
                .at("/providers/0/options/path")
                .asText());
        Path home = Path.of(services.get("grafana")
                .at("/environment/GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH")
                .asText());
        assertThat(home.getParent()).isEqualTo(provided);
        assertThat(mounted("grafana", provided.toString()).resolve(home.getFileName()))
                .isEqualTo(DeployFiles.DASHBOARD);
    }

    @Test
    void shouldGiveEveryPanelItsPlace() {
        List<String> ids = new ArrayList<>();
        List<String> places = new ArrayList<>();
        for (JsonNode panel : DeployFiles.json(DeployFiles.DASHBOARD).path("panels")) {
            ids.add(panel.path("id").asText());
            JsonNode grid = panel.path("gridPos");
            places.add(grid.path("x").asText() + "," + grid.path("y").asText());
            assertThat(grid.path("x").asInt() + grid.path("w").asInt()).isLessThanOrEqualTo(24);
        }
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(places).doesNotHaveDuplicates();
    }

    @Test
    void shouldLetNobodyLogInToGrafanaAndEverybodyOnlyLook() {
        JsonNode environment = services.get("grafana").path("environment");
        assertThat(environment.path("GF_AUTH_ANONYMOUS_ORG_ROLE").asText()).isEqualTo("Viewer");
        assertThat(environment
                        .path("GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION")
                        .asText())
                .isEqualTo("true");
        assertThat(environment.path("GF_AUTH_BASIC_ENABLED").asText()).isEqualTo("false");
        assertThat(environment.path("GF_USERS_ALLOW_SIGN_UP").asText()).isEqualTo("false");
    }

    /** File of this repository that a service sees at a mount path. */
    private Path mounted(String service, String target) {
        for (JsonNode mount : services.get(service).path("volumes")) {
            String[] parts = mount.asText().split(":", -1);
            if (parts[1].equals(target)) {
                return Path.of(parts[0]).normalize();
            }
        }
        throw new AssertionError(service + " has nothing at " + target);
    }

    /** The file for a cluster with TLS and logins, which docs/security.md shows. */
    @Test
    void shouldHaveASampleOfSettingsThatTheEngineTakes() throws Exception {
        Path sample = Path.of("samples/sasl-ssl.properties");
        EngineConfig engine = EngineConfig.of(Map.of(), Map.of(), sample, Map.of());

        assertThat(engine.unknownKeys()).isEmpty();
        assertThat(engine.admin())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsKey("sasl.jaas.config");
        assertThat(Files.readString(Path.of("docs/security.md")))
                .contains("```\n" + Files.readString(sample) + "```\n");
    }
}
