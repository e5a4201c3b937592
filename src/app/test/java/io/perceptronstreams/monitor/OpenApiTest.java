package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The description of the HTTP API is valid OpenAPI, from which clients can be generated. */
class OpenApiTest {
    private static String text() throws IOException {
        return new String(OpenApi.yaml(), StandardCharsets.UTF_8);
    }

    private static SwaggerParseResult parse(String text) {
        ParseOptions options = new ParseOptions();
        options.setExplicitStyleAndExplode(false);
        return new OpenAPIV3Parser().readContents(text, null, options);
    }

    @Test
    void shouldBeValid() throws IOException {
        assertThat(parse(text()).getMessages()).isEmpty();
    }

    /** Without quotes, YAML reads three keys. */
    @Test
    void shouldBeInvalidWithAnUnknownKey() throws IOException {
        String quoted = "{description: \"Starting, restoring, or ended\"}";
        assertThat(text()).contains(quoted);
        assertThat(parse(text().replace(quoted, quoted.replace("\"", ""))).getMessages())
                .anyMatch(message -> message.contains("restoring"));
    }

    /**
     * Only the fields of an event itself have other names than in its topic; those of a named snapshot were renamed,
     * too.
     */
    @Test
    void shouldDescribeTheNamesOfAnswers() throws Exception {
        JsonNode schemas = HttpAnswersTest.description().at("/components/schemas");

        assertThat(schemas.at("/ModelStatus/properties").has("sourceOffset")).isTrue();
        assertThat(schemas.at("/ModelNumbers/properties").has("sourceOffset")).isTrue();
        assertThat(schemas.at("/ModelNumbers/properties").has("settings")).isFalse();
        assertThat(schemas.at("/ModelVersion/properties").has("offset")).isTrue();
        assertThat(schemas.findValuesAsText("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(schemas.has(reference.replace("#/components/schemas/", "")))
                        .as(reference)
                        .isTrue());
    }

    /** A generator invents names for operations without one. */
    @Test
    void shouldNameEachOperation() throws IOException {
        OpenAPI api = parse(text()).getOpenAPI();
        List<String> names = api.getPaths().values().stream()
                .flatMap(path -> path.readOperations().stream())
                .map(Operation::getOperationId)
                .toList();

        assertThat(names).hasSize(26).doesNotContainNull().doesNotHaveDuplicates();
    }
}
