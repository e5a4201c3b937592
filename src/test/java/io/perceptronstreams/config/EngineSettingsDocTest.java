package io.perceptronstreams.config;

import io.perceptronstreams.DocumentedTable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class EngineSettingsDocTest {
    @Test
    void shouldDocumentEverySettingOfTheEngine() {
        DocumentedTable table = new DocumentedTable();
        EngineConfigDef.describe(table::add);
        table.requireIn(Path.of("docs/operations.md"));
    }
}
