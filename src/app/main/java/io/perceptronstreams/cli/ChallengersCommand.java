package io.perceptronstreams.cli;

import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.client.WeightsImport;
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

/** {@code perceptron challengers …}: begins, shows, promotes and ends the challengers of models. */
@Command(
        name = "challengers",
        mixinStandardHelpOptions = true,
        description = "Compare a model with others on the same examples.")
public final class ChallengersCommand {
    @Spec
    CommandSpec spec;

    @Command(
            name = "begin",
            mixinStandardHelpOptions = true,
            modelTransformer = SettingsHelp.OfTrial.class,
            description =
                    "Begin a challenger: a second model that learns the same examples, with the settings that differ, such as"
                            + " algorithm=pa-i h=0, and is compared with the model. One of the same name is replaced. With"
                            + " --portfolio instead of NAME, begin three or four that suit streams of different kinds.")
    int begin(
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
            return options.send(spec, model, "CHALLENGE", command);
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
        Usage.settings(ofLearner, spec);
        command.put("challenger", name);
        return options.send(spec, model, "CHALLENGE", command);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show the challengers of a model, and whether they are better or worse.")
    int show(
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
        return options.send(spec, model, "PROMOTE", Map.of("challenger", name));
    }

    @Command(name = "withdraw", mixinStandardHelpOptions = true, description = "End a challenger.")
    int withdraw(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "NAME") String name) {
        return options.send(spec, model, "WITHDRAW", Map.of("challenger", name));
    }
}
