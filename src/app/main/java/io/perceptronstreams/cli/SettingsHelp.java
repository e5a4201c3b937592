package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Appends the definitions of settings to the help of a command. */
final class SettingsHelp {
    private SettingsHelp() {}

    /** Settings of a model. */
    static final class OfModel implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            return append(command, "Settings that most models need:", lines -> {
                Settings.MOST_NEEDED.forEach(each -> add(lines, each));
                lines.addAll(List.of("", "Advanced settings:"));
                Settings.advanced().forEach(each -> add(lines, each));
            });
        }
    }

    /** Options of the trial of a challenger. */
    static final class OfTrial implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            return append(command, "Options, besides the settings of perceptron models set --help:", lines -> {
                for (Setting<?> option : TrialSettings.all()) {
                    add(lines, option.name(), option.defaultText(), option.rule() + ": " + option.description());
                }
            });
        }
    }

    /** Settings of the engine. */
    static final class OfEngine implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            return append(
                    command,
                    "Settings (-D KEY=VALUE), besides Kafka's own:",
                    lines -> EngineConfigDef.describe(
                            (name, defaultText, description) -> add(lines, name, defaultText, description)));
        }
    }

    private static void add(List<String> lines, Setting<?> setting) {
        add(lines, setting.name(), setting.defaultText(), setting.rule() + ": " + setting.help());
    }

    private static void add(List<String> lines, String name, String defaultText, String description) {
        lines.add("  " + name + (defaultText.isEmpty() ? "" : " (default: " + defaultText + ")"));
        lines.add("    " + description);
    }

    /** Renders the lines only when this help is printed: the definitions of the engine load Kafka's classes. */
    private static CommandSpec append(CommandSpec command, String title, Consumer<List<String>> settings) {
        command.usageMessage().sectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, help -> {
            List<String> lines = new ArrayList<>(List.of("", title));
            settings.accept(lines);
            return String.join(System.lineSeparator(), lines) + System.lineSeparator();
        });
        return command;
    }
}
