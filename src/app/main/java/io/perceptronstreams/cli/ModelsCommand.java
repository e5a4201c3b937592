package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.ModelSettings;
import io.perceptronstreams.client.Rollback;
import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.client.WeightsImport;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings;
import java.io.IOException;
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
                            + " per partition, with a + if there are older ones.")
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
        check(settings);
        return send(options, model, "CONFIGURE", new LinkedHashMap<>(settings));
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
        check(changes);
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

    private void check(Map<String, String> settings) {
        try {
            // a misspelt name would stay in the log and among the dead letters; all else the engine decides
            Settings.DEFAULTS.with(settings);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
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
        check(settings);
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
        check(changes);
        question.requireYes("reset", "Discard everything that " + model + " has learned?");
        return send(options, model, "RESET", changes);
    }

    @Command(name = "freeze", mixinStandardHelpOptions = true, description = "Stop learning; continue to predict.")
    int freeze(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return send(options, model, "FREEZE", Map.of());
    }

    @Command(name = "thaw", mixinStandardHelpOptions = true, description = "Resume learning.")
    int thaw(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return send(options, model, "THAW", Map.of());
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Delete the model and everything it has learned.")
    int delete(
            @Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model, @Mixin Question question) {
        ModelKey.of(model);
        question.requireYes("delete", "Delete " + model + " and everything that it has learned?");
        return send(options, model, "DELETE", Map.of());
    }

    @Command(
            name = "snapshot",
            mixinStandardHelpOptions = true,
            description = "Publish the weights as of this position in the log.")
    int snapshot(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        return send(options, model, "SNAPSHOT", Map.of());
    }

    @Command(
            name = "tag",
            mixinStandardHelpOptions = true,
            description =
                    "Publish the weights as of this position in the log under a name, which no later snapshot overwrites; a"
                            + " model has at most 100.")
    int tag(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name) {
        return send(options, model, "SNAPSHOT", Map.of("name", name));
    }

    @Command(
            name = "tags",
            mixinStandardHelpOptions = true,
            description = "List the named snapshots of a model, also of a deleted one.")
    int tags(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(names = "--json", description = "Print one JSON object per named snapshot.") boolean isJson) {
        new StatusReader(client.engineConfig())
                .versions(model, isJson, spec.commandLine().getOut());
        return 0;
    }

    @Command(name = "untag", mixinStandardHelpOptions = true, description = "Remove a named snapshot for ever.")
    int untag(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name,
            @Mixin Question question) {
        ModelKey.of(model);
        question.requireYes("untag", "Remove the snapshot " + name + " of " + model + " for ever?");
        return send(options, model, "SNAPSHOT", Map.of("name", name, "drop", "true"));
    }

    @Command(
            name = "rollback",
            mixinStandardHelpOptions = true,
            description =
                    "Make a named snapshot the model again, with its settings and counts, at one position in the log. The"
                            + " weights before get the name before-rollback-OFFSET, so that a second rollback undoes it.")
    int rollback(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name)
            throws IOException {
        new Rollback(options.client.engineConfig())
                .to(name, model, options.confirmation(spec), spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "challenge",
            mixinStandardHelpOptions = true,
            modelTransformer = SettingsHelp.OfTrial.class,
            description =
                    "Begin a challenger: a second model that learns the same examples, with the settings that differ, such as"
                            + " algorithm=pa-i h=0, and is compared with the model. One of the same name is replaced. With"
                            + " --portfolio instead of NAME, begin three or four that suit streams of different kinds.")
    int challenge(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", arity = "0..1", paramLabel = "NAME") String name,
            @Parameters(index = "2..*", arity = "0..*", paramLabel = "KEY=VALUE") Map<String, String> settings,
            @Option(
                            names = "--from",
                            paramLabel = "WEIGHTS",
                            description =
                                    "Begin with weights, settings and counts of a file of weights export or of fit (- is"
                                            + " standard input), or of the named snapshot MODEL@NAME.")
                    String from,
            @Option(
                            names = "--portfolio",
                            description =
                                    "Begin members with the settings for the kinds of streams in docs/streams.md, which"
                                            + " predict with the model by a vote. With KEY, an option of trials, they do not"
                                            + " vote: each becomes the model when it is better.")
                    boolean isPortfolio)
            throws IOException {
        Map<String, String> command = settings == null ? new LinkedHashMap<>() : new LinkedHashMap<>(settings);
        if (isPortfolio) {
            if (from != null) {
                throw new ParameterException(spec.commandLine(), "--from must be left out with --portfolio, got both");
            }
            if (name != null) {
                int end = name.indexOf('=');
                if (end < 0) {
                    throw new ParameterException(
                            spec.commandLine(), "NAME must be left out with --portfolio, got '" + name + "'");
                }
                command.put(name.substring(0, end), name.substring(end + 1));
            }
            command.put("portfolio", "true");
            return send(options, model, "CHALLENGE", command);
        }
        if (name == null) {
            throw new ParameterException(
                    spec.commandLine(), "the name of the challenger must be given, got none (or --portfolio)");
        }
        Map<String, String> ofLearner = new LinkedHashMap<>(command);
        TrialSettings.all().forEach(option -> ofLearner.remove(option.name()));
        if (from != null) {
            if (!ofLearner.isEmpty() || command.containsKey(TrialSettings.FROM.name())) {
                throw new ParameterException(
                        spec.commandLine(),
                        "settings must come with the weights of --from, got also "
                                + (ofLearner.isEmpty() ? TrialSettings.FROM.name() : ofLearner.keySet()));
            }
            WeightsImport.ofChallenger(options.client.engineConfig(), model, name, command)
                    .send(from, options.confirmation(spec), spec.commandLine().getOut());
            return 0;
        }
        check(ofLearner);
        command.put("challenger", name);
        return send(options, model, "CHALLENGE", command);
    }

    @Command(
            name = "trial",
            mixinStandardHelpOptions = true,
            description = "Show the challengers of a model, and whether they are better or worse.")
    int trial(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(names = "--json", description = "Print one JSON object per challenger.") boolean isJson) {
        new StatusReader(client.engineConfig())
                .trial(model, isJson, spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "promote",
            mixinStandardHelpOptions = true,
            description = "Make a challenger the model; the model goes on as the challenger 'previous'.")
    int promote(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name) {
        return send(options, model, "PROMOTE", Map.of("challenger", name));
    }

    @Command(name = "withdraw", mixinStandardHelpOptions = true, description = "End a challenger.")
    int withdraw(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name) {
        return send(options, model, "WITHDRAW", Map.of("challenger", name));
    }

    private int send(ConfirmOptions options, String model, String action, Map<String, String> settings) {
        new CommandSender(options.client.engineConfig())
                .send(
                        model,
                        action,
                        settings,
                        options.confirmation(spec),
                        spec.commandLine().getOut());
        return 0;
    }
}
