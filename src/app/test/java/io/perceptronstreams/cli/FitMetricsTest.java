package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Metrics of {@code fit --test} on shared data against src/test/python/fit_metrics.py; skipped without the data. */
final class FitMetricsTest {
    private static final Path SHARED = Path.of(System.getProperty("shared.dir", "../shared"));
    private static final double TOLERANCE = 1e-12;

    @RegisterExtension
    final FitRun run = new FitRun();

    static Stream<JsonNode> references() throws IOException {
        JsonNode all = new ObjectMapper()
                .readTree(
                        Path.of("src/test/resources/reference/fit-metrics.json").toFile());
        return StreamSupport.stream(all.spliterator(), false);
    }

    @ParameterizedTest
    @MethodSource("references")
    void shouldEqualTheReference(JsonNode expected) throws IOException {
        String name = expected.get("name").asText();
        Path data = SHARED.resolve("data").resolve(name);
        assumeTrue(Files.isDirectory(data), "no data in " + data + " (-Dshared.dir sets the folder)");

        run.fit(data.resolve(name + ".train.libsvm.gz") + " --epochs 1 --json --test "
                + data.resolve(name + ".test.libsvm.gz"));

        List<JsonNode> objects = run.objects();
        assertThat(objects.get(0).get("updates")).isEqualTo(expected.get("updates"));
        JsonNode metrics = objects.get(1).at("/testMetrics/last");
        for (JsonNode row : metrics.get("classes")) {
            JsonNode of = expected.get("classes").get(row.get("label").asText());
            of.fieldNames().forEachRemaining(each -> requireClose(each, row.get(each), of.get(each)));
        }
        for (String count : List.of("comparedErrors", "majorityErrors", "sameErrors")) {
            assertThat(metrics.get(count)).as(count).isEqualTo(expected.get(count));
        }
        for (String each : List.of("balancedAccuracy", "macroF1", "kappa", "kappaMajority", "kappaSame", "auc")) {
            requireClose(each, metrics.get(each), expected.get(each));
        }
    }

    private static void requireClose(String name, JsonNode actual, JsonNode expected) {
        assertThat(actual.asDouble(Double.NaN)).as(name).isCloseTo(expected.asDouble(), within(TOLERANCE));
    }
}
