package io.perceptronstreams.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** docker-compose.yml and the files below deploy/. */
final class DeployFiles {
    static final Path COMPOSE = Path.of("docker-compose.yml");
    static final Path PROMETHEUS = Path.of("deploy/prometheus/prometheus.yml");
    static final Path ALERTS = Path.of("deploy/prometheus/alerts.yml");
    static final Path DATA_SOURCES = Path.of("deploy/grafana/provisioning/datasources/prometheus.yml");
    static final Path PROVIDERS = Path.of("deploy/grafana/provisioning/dashboards/perceptron.yml");
    static final Path DASHBOARD = Path.of("deploy/grafana/dashboards/perceptron.json");

    /**
     * A Prometheus query.
     *
     * @param where place of the query, for failures
     * @param text text that shows the result and may contain labels
     */
    record Query(String where, String expression, String text) {}

    private DeployFiles() {}

    static Map<String, JsonNode> services() {
        return children(yaml(COMPOSE).path("services"));
    }

    /** All expressions of the alert rules and of the dashboard. */
    static List<Query> queries() {
        List<Query> queries = new ArrayList<>();
        for (JsonNode group : yaml(ALERTS).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                queries.add(new Query(
                        "alert " + rule.path("alert").asText(),
                        rule.path("expr").asText(),
                        rule.path("annotations").toString()));
            }
        }
        for (JsonNode panel : json(DASHBOARD).path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        "panel " + panel.path("title").asText(),
                        target.path("expr").asText(),
                        target.path("legendFormat").asText()));
            }
        }
        return queries;
    }

    static Map<String, JsonNode> children(JsonNode node) {
        Map<String, JsonNode> children = new HashMap<>();
        node.properties().forEach(entry -> children.put(entry.getKey(), entry.getValue()));
        return children;
    }

    /** The YAML reader is a runtime dependency of Kafka's server; the service loader finds it. */
    static JsonNode yaml(Path file) {
        JsonFactory yaml = ServiceLoader.load(JsonFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.getFormatName().equals("YAML"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no YAML reader on the class path"));
        return read(new ObjectMapper(yaml), file);
    }

    static JsonNode json(Path file) {
        return read(new ObjectMapper(), file);
    }

    private static JsonNode read(ObjectMapper reader, Path file) {
        try {
            return reader.readTree(file.toFile());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
