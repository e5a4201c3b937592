package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.ModelSettings;
import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.model.ModelState;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron models …}: lists models and sends commands to them. */
@Command(name = "models", mixinStandardHelpOptions = true, description = "List, show and control models.")
public final class ModelsCommand {
    @Spec
    CommandSpec spec;

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description =
                    "List all models with state and counts; refused: examples and labels among the latest 10,000 dead letters"
                            + " per partition, with a + if the model's partition has older ones.")
    int list(
            @Mixin ClientOptions client,
            @Option(
                            names = "--state",
                            paramLabel = "STATE",
                            description = "Only models in this state: live, frozen, quarantined or deleted.")
                    ModelState state,
            @Option(
                            names = "--sort",
                            paramLabel = "KEY",
                            defaultValue = "NAME",
                            description =
                                    "name (the default), or the largest first by examples, labelled, errors, mistakes or updates.")
                    StatusReader.Order order,
            @Option(names = "--limit", paramLabel = "N", description = "Only the first N.") Long limit,
            @Option(names = "--json", description = "Print one JSON object per model.") boolean isJson) {
        Usage.atLeast(1, "--limit", limit, spec);
        new StatusReader(client.engineConfig())
                .list(
                        new StatusReader.Selection(state, order, limit == null ? Long.MAX_VALUE : limit),
                        isJson,
                        spec.commandLine().getOut());
        return 0;
    }

    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show one model with all its settings.")
    int show(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(names = "--json", description = "Print one JSON object.") boolean isJson) {
        new StatusReader(client.engineConfig())
                .show(model, isJson, spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            modelTransformer = SettingsHelp.OfModel.class,
            description =
                    "Change settings, such as h=1 eta=0.5; KEY= empties a setting. Creates the model if it does not"
                            + " exist.")
    int set(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY=VALUE") Map<String, String> settings) {
        ModelKey.ofNew(model);
        Usage.settings(settings, spec);
        return options.send(spec, model, "CONFIGURE", new LinkedHashMap<>(settings));
    }

    @Command(
            name = "copy",
            mixinStandardHelpOptions = true,
            modelTransformer = SettingsHelp.OfModel.class,
            description =
                    "Create the model COPY with the settings of MODEL, but nothing that it has learned; with KEY=VALUE, some"
                            + " of them differ. The command that does so is printed.")
    int copy(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "COPY") String to,
            @Parameters(index = "2..*", arity = "0..*", paramLabel = "KEY=VALUE") Map<String, String> settings) {
        ModelKey.of(model);
        ModelKey.ofNew(to);
        if (model.equals(to)) {
            throw new ParameterException(spec.commandLine(), "COPY must be another model, got '" + to + "' twice");
        }
        Map<String, String> changes = settings == null ? Map.of() : new LinkedHashMap<>(settings);
        Usage.settings(changes, spec);
        new ModelSettings(options.client.engineConfig())
                .copy(
                        model,
                        to,
                        changes,
                        options.confirmation(spec),
                        spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "apply",
            mixinStandardHelpOptions = true,
            description =
                    "Give models the settings of a YAML file: print what differs, then send it. What the file does not name stays"
                            + " as it is.")
    int apply(
            @Mixin ConfirmOptions options,
            @Option(
                            names = {"-f", "--file"},
                            required = true,
                            paramLabel = "FILE",
                            description = "Names of models, each with a map of settings; - is standard input.")
                    String file,
            @Option(names = "--create", description = "Create the models that do not exist.") boolean isCreating,
            @Option(
                            names = "--dry-run",
                            description = "Print what differs, and send nothing; with --json an object per model.")
                    boolean isDryRun) {
        new ModelSettings(options.client.engineConfig())
                .apply(
                        file,
                        isCreating,
                        isDryRun,
                        options.confirmation(spec),
                        spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "defaults",
            mixinStandardHelpOptions = true,
            modelTransformer = SettingsHelp.OfModel.class,
            description = "Show or change the settings of models to be created; models that exist keep theirs.")
    int defaults(
            @Mixin ConfirmOptions options,
            @Parameters(arity = "0..*", paramLabel = "KEY=VALUE") Map<String, String> settings) {
        Confirmation confirmation = options.confirmation(spec);
        if (settings == null) {
            new StatusReader(options.client.engineConfig())
                    .defaults(confirmation.isJson(), spec.commandLine().getOut());
            return 0;
        }
        Usage.settings(settings, spec);
        new CommandSender(options.client.engineConfig())
                .sendDefaults(
                        new LinkedHashMap<>(settings),
                        confirmation,
                        spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description =
                    "Discard everything learned, keep the settings; with KEY=VALUE, change some of them at the same"
                            + " position in the log, such as algorithm=multiclass. KEY= empties a setting.")
    int reset(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1..*", arity = "0..*", paramLabel = "KEY=VALUE") Map<String, String> settings,
            @Mixin Question question) {
        ModelKey.of(model);
        Map<String, String> changes = settings == null ? Map.of() : new LinkedHashMap<>(settings);
        Usage.settings(changes, spec);
        question.requireYes("reset", "Discard everything that " + model + " has learned?");
        return options.send(spec, model, "RESET", changes);
    }

    @Command(name = "freeze", mixinStandardHelpOptions = true, description = "Stop learning; continue to predict.")
    int freeze(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return options.send(spec, model, "FREEZE", Map.of());
    }

    @Command(name = "thaw", mixinStandardHelpOptions = true, description = "Resume learning.")
    int thaw(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return options.send(spec, model, "THAW", Map.of());
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Delete the model and everything it has learned.")
    int delete(
            @Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model, @Mixin Question question) {
        ModelKey.of(model);
        question.requireYes("delete", "Delete " + model + " and everything that it has learned?");
        return options.send(spec, model, "DELETE", Map.of());
    }

    @Command(
            name = "snapshot",
            mixinStandardHelpOptions = true,
            description = "Publish the weights as of this position in the log.")
    int snapshot(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return options.send(spec, model, "SNAPSHOT", Map.of());
    }
}
