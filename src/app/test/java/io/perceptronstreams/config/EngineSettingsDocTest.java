package io.perceptronstreams.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.DocumentedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EngineSettingsDocTest {
    private static final Path PAGE = Path.of("docs/run.md");

    @Test
    void shouldDocumentEverySettingOfTheEngine() {
        DocumentedTable table = new DocumentedTable("setting");
        EngineConfigDef.describe(table::add);
        table.requireIn(PAGE);
    }

    /** An unknown key, or a wrong value, is refused. */
    @Test
    void shouldAcceptTheFileThatIsShownForASecuredCluster(@TempDir Path directory) throws IOException {
        String security = Files.readString(Path.of("docs/security.md"));
        String sample = security.split("```\n", 3)[1];

        EngineConfig config = EngineConfig.of(
                Map.of(), Map.of(), Files.writeString(directory.resolve("secured.properties"), sample), Map.of());

        assertThat(config.shown().stream()
                        .filter(each -> each.origin().startsWith("file "))
                        .map(EngineConfig.Shown::key))
                .containsExactlyInAnyOrderElementsOf(
                        sample.lines().map(line -> line.split("=", 2)[0]).toList())
                .contains("sasl.jaas.config");
    }
}
