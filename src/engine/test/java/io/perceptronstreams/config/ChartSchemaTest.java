package io.perceptronstreams.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.junit.jupiter.api.Test;

/** The part {@code config} of the chart's values.schema.json, made from the settings' definitions. */
final class ChartSchemaTest {
    private static final Path FILE = Path.of("deploy/helm/perceptron-streams/values.schema.json");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Settings that other values of the chart set, or its templates. */
    private static final Set<String> SET_BY_THE_CHART = Set.of("http.host", "http.port", "http.names", "data.dir");

    /** Secrets of Kafka's clients. */
    private static final String SECRET = "(\\.password|jaas\\.config|\\.keystore\\.key)$";

    @Test
    void shouldDescribeEverySetting() throws IOException {
        ObjectNode schema = (ObjectNode) JSON.readTree(FILE.toFile());
        ((ObjectNode) schema.path("properties")).set("config", config());
        String text = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(schema) + "\n";

        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(FILE, text);
        }
        assertThat(FILE).as("-Ddocs.write=true writes it").content().isEqualTo(text);
    }

    private static ObjectNode config() {
        ObjectNode config = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = config.putObject("properties");
        for (ConfigKey key : EngineConfigDef.ENGINE_KEYS.configKeys().values()) {
            ObjectNode property = properties.putObject(key.name);
            if (SET_BY_THE_CHART.contains(key.name)) {
                property.put("description", "set by the chart").putObject("not");
            } else if (key.type == ConfigDef.Type.PASSWORD) {
                String variable =
                        "PERCEPTRON_" + key.name.toUpperCase(Locale.ROOT).replace('.', '_');
                property.put("description", "a secret: " + variable + " of existingSecret")
                        .putObject("not");
            } else {
                property.put("description", key.documentation);
                type(key.type).forEach(property.putArray("type")::add);
            }
        }
        config.putObject("patternProperties")
                .putObject(SECRET)
                .put("description", "a secret: a variable PERCEPTRON_… of existingSecret")
                .putObject("not");
        // those of Kafka Streams and of Kafka's clients
        type(ConfigDef.Type.STRING)
                .forEach(config.putObject("additionalProperties").putArray("type")::add);
        return config;
    }

    private static List<String> type(ConfigDef.Type type) {
        return switch (type) {
            case BOOLEAN -> List.of("boolean");
            case INT, LONG, SHORT -> List.of("integer");
            default -> List.of("string", "number", "boolean");
        };
    }
}
