package io.perceptronstreams.settings;

import io.perceptronstreams.DocumentedTable;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SettingsDocTest {
    @Test
    void shouldDocumentEverySettingOfAModel() {
        requireTable("setting", Settings.MOST_NEEDED);
        requireTable("advanced setting", Settings.advanced());
    }

    private static void requireTable(String head, List<Setting<?>> settings) {
        DocumentedTable table = new DocumentedTable(head);
        for (Setting<?> setting : settings) {
            table.add(setting.name(), setting.defaultText(), setting.rule() + ": " + setting.help());
        }
        table.requireIn(Path.of("docs/settings.md"));
    }
}
