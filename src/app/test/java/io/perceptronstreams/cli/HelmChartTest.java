package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The chart, rendered by Helm's own code; each document has only fields that the Kubernetes API has. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class HelmChartTest {
    private static final Path CHART = Path.of("deploy/helm/perceptron-streams");
    private static final Path STATIC = Path.of("deploy/kubernetes.yaml");

    private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
            "ConfigMap",
            ConfigMap.class,
            "Service",
            Service.class,
            "StatefulSet",
            StatefulSet.class,
            "Deployment",
            Deployment.class,
            "HorizontalPodAutoscaler",
            HorizontalPodAutoscaler.class,
            "PodDisruptionBudget",
            PodDisruptionBudget.class,
            "NetworkPolicy",
            NetworkPolicy.class);

    private static final Map<String, String> SETS = Map.of(
            "default", "{}",
            "minimal", """
                    podDisruptionBudget: {enabled: false}
                    persistence: {enabled: false}
                    """,
            "secured", """
                    existingSecret: credentials
                    filesSecret: stores
                    http: {scheme: HTTPS}
                    config:
                      bootstrap.servers: broker1:9093,broker2:9093
                      schema.registry.url: https://registry
                      security.protocol: SASL_SSL
                      sasl.mechanism: SCRAM-SHA-512
                      ssl.truststore.location: /etc/perceptron/files/truststore.p12
                      http.ssl.keystore.location: /etc/perceptron/files/http.p12
                    """,
            "replica", """
                    replica: {enabled: true, autoscaling: {enabled: true}}
                    """,
            "everything", """
                    replicas: 3
                    image: {repository: registry.example/perceptron, digest: "sha256:%s"}
                    imagePullSecrets: [{name: pull}]
                    existingSecret: credentials
                    filesSecret: stores
                    replica: {enabled: true}
                    networkPolicy: {enabled: true, from: [{namespaceSelector: {matchLabels: {name: shop}}}]}
                    podMonitor: {enabled: true, labels: {release: prometheus}}
                    dashboard: {enabled: true}
                    persistence: {storageClass: fast, size: 100Gi}
                    podAnnotations: {a: b}
                    podLabels: {team: shop}
                    nodeSelector: {disk: ssd}
                    tolerations: [{key: k, operator: Exists}]
                    affinity: {nodeAffinity: {}}
                    priorityClassName: high
                    http: {names: [perceptron.example], service: {type: LoadBalancer, annotations: {x: z}}}
                    config:
                      store.cache.bytes: 1073741824
                      settings.bounds: blocks.max<=200000
                      num.stream.threads: 2
                      topics.create: true
                    """.formatted("0a".repeat(32)));

    @TempDir
    static Path directory;

    private static final Map<String, List<JsonNode>> RENDERED = new HashMap<>();

    @BeforeAll
    static void renderAll() throws Exception {
        for (Map.Entry<String, String> set : SETS.entrySet()) {
            RENDERED.put(set.getKey(), documents(render("shop", set.getValue())));
        }
    }

    private static String render(String release, String values) throws Exception {
        return render(directory, release, values);
    }

    private static String render(Path directory, String release, String values) throws Exception {
        Path file = Files.writeString(Files.createTempFile(directory, "values", ".yaml"), values);
        TemplateCommand command = new Helm(CHART)
                .template()
                .withName(release)
                .withNamespace("default")
                .withKubeVersion("1.30.0");
        return command.withValuesFile(file).call();
    }

    private static List<JsonNode> documents(String yaml) throws Exception {
        return documents(directory, yaml);
    }

    private static List<JsonNode> documents(Path directory, String yaml) throws Exception {
        List<JsonNode> documents = new ArrayList<>();
        for (String each : yaml.split("(?m)^---\\s*$", -1)) {
            JsonNode document =
                    DeployFiles.yaml(Files.writeString(Files.createTempFile(directory, "d", ".yaml"), each));
            if (document.has("kind")) {
                documents.add(document);
            }
        }
        return documents;
    }

    private static List<JsonNode> all() {
        return RENDERED.values().stream().flatMap(List::stream).toList();
    }

    private static JsonNode find(String set, String kind, String name) {
        return RENDERED.get(set).stream()
                .filter(each -> each.path("kind").asText().equals(kind)
                        && each.at("/metadata/name").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }

    private static Stream<JsonNode> pods() {
        return all().stream()
                .filter(each -> List.of("StatefulSet", "Deployment")
                        .contains(each.path("kind").asText()))
                .map(each -> each.at("/spec/template/spec"));
    }

    /** The engine's settings file for a release and values; temporary files go to a directory. */
    static String properties(Path directory, String release, String values) throws Exception {
        return documents(directory, render(directory, release, values)).stream()
                .filter(each -> each.path("data").has("engine.properties"))
                .findFirst()
                .orElseThrow()
                .at("/data/engine.properties")
                .asText();
    }

    /** Settings of the engine of a rendered set. */
    private static EngineConfig settings(String set) throws Exception {
        String text = find(set, "ConfigMap", "shop-perceptron-streams")
                .at("/data/engine.properties")
                .asText();
        Path file = Files.writeString(directory.resolve(set + ".properties"), text);
        return EngineConfig.of(Map.of(), Map.of(), file, Map.of());
    }

    @Test
    void shouldPassHelmsLint() {
        LintResult result = new Helm(CHART).lint().strict().call();

        // without an icon the lint says INFO
        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    }

    @Test
    void shouldHaveOnlyFieldsOfKubernetes() throws Exception {
        for (JsonNode document : all()) {
            String kind = document.path("kind").asText();
            if (kind.equals("PodMonitor")) {
                continue; // of the Prometheus operator, which has no model here
            }
            HasMetadata read = JsonMapper.builder().build().readValue(document.toString(), KINDS.get(kind));
            assertThat(read.getMetadata().getName()).startsWith("shop-perceptron-streams");
            List<String> unknown = new ArrayList<>();
            findUnknown(read, kind, unknown);
            assertThat(unknown).isEmpty();
        }
        assertThat(all())
                .extracting(each -> each.path("kind").asText())
                .contains("PodMonitor")
                .containsAll(KINDS.keySet());
    }

    /** The model's classes keep fields that they do not know beside the others. */
    private static void findUnknown(Object object, String where, List<String> unknown) throws Exception {
        if (object instanceof Collection<?> several) {
            for (Object each : several) {
                findUnknown(each, where + "[]", unknown);
            }
        }
        if (object == null || !object.getClass().getName().startsWith("io.fabric8.kubernetes.api.model")) {
            return;
        }
        for (Field field : object.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            field.setAccessible(true);
            Object value = field.get(object);
            if (field.getName().equals("additionalProperties")) {
                ((Map<?, ?>) value).keySet().forEach(each -> unknown.add(where + "." + each));
            } else {
                findUnknown(value, where + "." + field.getName(), unknown);
            }
        }
    }

    @Test
    void shouldFindAFieldThatKubernetesDoesNotHave() throws Exception {
        String pod = "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\",\"readynessProbe\":{}}]}}}}";
        List<String> unknown = new ArrayList<>();

        findUnknown(JsonMapper.builder().build().readValue(pod, StatefulSet.class), "", unknown);

        assertThat(unknown).containsExactly(".spec.template.spec.containers[].readynessProbe");
    }

    @Test
    void shouldGiveNoPodMoreRightsThanItNeeds() {
        assertThat(pods()).hasSize(5 + 2).allSatisfy(pod -> {
            assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
            assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
            assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
            assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
            assertThat(pod.path("containers")).hasSize(1).allSatisfy(container -> {
                JsonNode context = container.path("securityContext");
                assertThat(context.path("allowPrivilegeEscalation").asBoolean(true))
                        .isFalse();
                assertThat(context.path("readOnlyRootFilesystem").asBoolean()).isTrue();
                assertThat(context.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
                assertThat(container.at("/resources/limits/memory").asText()).isNotEmpty();
            });
        });
    }

    @Test
    void shouldKeepAMovedPodTheSameMemberOfTheGroup() {
        JsonNode engine =
                find("default", "StatefulSet", "shop-perceptron-streams").path("spec");
        JsonNode container = engine.at("/template/spec/containers/0");

        assertThat(container.path("args"))
                .extracting(JsonNode::asText)
                .contains("run", "group.instance.id=$(POD_NAME)");
        assertThat(engine.path("podManagementPolicy").asText()).isEqualTo("Parallel");
        assertThat(engine.at("/volumeClaimTemplates/0/metadata/name").asText()).isEqualTo("data");
        assertThat(engine.at("/template/spec/terminationGracePeriodSeconds").asInt())
                .isEqualTo(60);
        assertThat(container.path("args")).extracting(JsonNode::asText).contains("shutdown.timeout.ms=50000");
        assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/startupz");
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/readyz");
        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/healthz");
        assertThat(find("minimal", "StatefulSet", "shop-perceptron-streams")
                        .path("spec")
                        .has("volumeClaimTemplates"))
                .isFalse();
    }

    @Test
    void shouldRenderSettingsThatTheEngineTakes() throws Exception {
        for (String set : SETS.keySet()) {
            assertThat(settings(set).unknownKeys()).as(set).isEmpty();
        }
        EngineConfig config = settings("everything");
        // Helm reads it as 1.073741824e+09
        assertThat(config.get(EngineConfigDef.STORE_CACHE_BYTES)).isEqualTo(1L << 30);
        assertThat(config.get(EngineConfigDef.HTTP_PORT)).hasValue(8080);
        assertThat(config.get(EngineConfigDef.HTTP_NAMES))
                .contains(
                        "perceptron.example", "shop-perceptron-streams", "shop-perceptron-streams-replica.default.svc");
    }

    @Test
    void shouldTakeSecretsFromTheSecretsAlone() {
        JsonNode pod = find("secured", "StatefulSet", "shop-perceptron-streams").at("/spec/template/spec");

        assertThat(pod.at("/containers/0/envFrom/0/secretRef/name").asText()).isEqualTo("credentials");
        assertThat(pod.path("volumes"))
                .anyMatch(each -> each.at("/secret/secretName").asText().equals("stores"));
        assertThat(pod.at("/containers/0/readinessProbe/httpGet/scheme").asText())
                .isEqualTo("HTTPS");
    }

    @Test
    void shouldScaleTheReplicasAlone() {
        assertThat(find("replica", "Deployment", "shop-perceptron-streams-replica")
                        .path("spec")
                        .has("replicas"))
                .isFalse();
        assertThat(find("replica", "HorizontalPodAutoscaler", "shop-perceptron-streams-replica")
                        .at("/spec/scaleTargetRef/name")
                        .asText())
                .isEqualTo("shop-perceptron-streams-replica");
        assertThat(find("everything", "Deployment", "shop-perceptron-streams-replica")
                        .at("/spec/replicas")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void shouldHaveADashboardAndAPodMonitor() throws Exception {
        JsonNode dashboard = find("everything", "ConfigMap", "shop-perceptron-streams-dashboard");

        assertThat(Files.readString(DeployFiles.DASHBOARD).strip())
                .isEqualTo(dashboard.at("/data/perceptron.json").asText().strip());
        assertThat(find("everything", "PodMonitor", "shop-perceptron-streams")
                        .at("/spec/podMetricsEndpoints/0/path")
                        .asText())
                .isEqualTo("/metrics");
    }

    @Test
    void shouldShareNothingBetweenTwoReleasesOfANamespace() throws Exception {
        List<JsonNode> other = documents(render("other", SETS.get("everything")));

        assertThat(other)
                .extracting(each -> each.at("/metadata/name").asText())
                .noneMatch(name -> name.startsWith("shop"));
        assertThat(other)
                .filteredOn(each -> each.path("kind").asText().equals("Service"))
                .allSatisfy(each -> assertThat(each.at("/spec/selector/app.kubernetes.io~1instance")
                                .asText())
                        .isEqualTo("other"));
    }

    @ParameterizedTest
    @CsvSource({
        "'replicaCount: 2', replicaCount",
        "'replicas: two', replicas",
        "'config: {checkpoint.interval.ms: often}', checkpoint.interval.ms",
        "'config: {commands.key: 0123456789abcdef}', commands.key",
        "'config: {ssl.truststore.password: p}', ssl.truststore.password",
        "'config: {sasl.jaas.config: x}', sasl.jaas.config",
        "'config: {http.port: 80}', http.port",
        "'image: {digest: latest}', digest"
    })
    void shouldRefuseWrongValues(String values, String named) {
        assertThatThrownBy(() -> render("shop", values)).hasMessageContaining(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"perceptron-streams", "a-very-long-name-of-a-release-with-53-letters-exactly"})
    void shouldShortenLongNames(String release) throws Exception {
        assertThat(documents(render(release, SETS.get("everything"))))
                .extracting(each -> each.at("/metadata/name").asText())
                .allMatch(name -> name.length() <= 63);
    }

    @Test
    void shouldKeepTheStaticFilesAsTheChartRendersThem() throws Exception {
        String text = "# The chart's default, for those without Helm: kubectl apply -f kubernetes.yaml\n"
                + render("perceptron-streams", "{}").replaceAll("(?m)[ \\t]+$", "");

        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(STATIC, text);
        }
        assertThat(STATIC).as("-Ddocs.write=true writes it").content().isEqualTo(text);
    }

    @Test
    void shouldHaveTheVersionOfTheProject() throws Exception {
        JsonNode chart = DeployFiles.yaml(CHART.resolve("Chart.yaml"));

        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<artifactId>perceptron-streams</artifactId>\n  <version>"
                        + chart.path("version").asText() + "<");
        assertThat(chart.path("appVersion")).isEqualTo(chart.path("version"));
    }
}
