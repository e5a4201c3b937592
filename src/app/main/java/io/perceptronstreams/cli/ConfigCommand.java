package io.perceptronstreams.cli;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.config.EngineConfig;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron config …}: shows the settings of the engine. */
@Command(
        name = "config",
        mixinStandardHelpOptions = true,
        modelTransformer = SettingsHelp.OfEngine.class,
        description = "Show the settings of the engine; the command show may be left out.")
public final class ConfigCommand {
    @Spec
    CommandSpec spec;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show each setting with its value and its origin: default, file, environment or command line."
                    + " Secrets, and values of keys that neither the engine nor Kafka defines, are hidden.")
    int show(
            @Mixin ClientOptions client,
            @Option(names = "--json", description = "Print one JSON object per setting.") boolean isJson) {
        PrintWriter out = spec.commandLine().getOut();
        List<EngineConfig.Shown> all = client.engineConfig().shown();
        if (isJson) {
            all.forEach(each -> out.println(EventFormat.json(each)));
            return 0;
        }
        int keys = width(all.stream().map(EngineConfig.Shown::key).toList());
        int values = width(all.stream().map(EngineConfig.Shown::value).toList());
        for (EngineConfig.Shown each : all) {
            String value = each.value().isEmpty() ? "-" : each.value();
            out.println(String.format(
                    Locale.ROOT, "%-" + keys + "s  %-" + values + "s  %s", each.key(), value, each.origin()));
        }
        return 0;
    }

    private static int width(List<String> texts) {
        return Math.max(1, texts.stream().mapToInt(String::length).max().orElse(1));
    }
}
