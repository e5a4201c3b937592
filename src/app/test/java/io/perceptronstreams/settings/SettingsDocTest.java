package io.perceptronstreams.settings;

import io.perceptronstreams.DocumentedTable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class SettingsDocTest {
    @Test
    void shouldDocumentEverySettingOfAModel() {
        DocumentedTable table = new DocumentedTable();
        for (Setting<?> setting : Settings.all()) {
            table.add(setting.name(), setting.defaultText(), setting.rule() + ": " + setting.help());
        }
        table.requireIn(Path.of("docs/settings.md"));
    }
}
