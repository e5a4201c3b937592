package io.perceptronstreams.cli;

import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.Rollback;
import io.perceptronstreams.client.StatusReader;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron versions …}: names snapshots of the weights of models, and goes back to them. */
@Command(
        name = "versions",
        mixinStandardHelpOptions = true,
        description = "Name the weights of a model, and go back to them.")
public final class VersionsCommand {
    @Spec
    CommandSpec spec;

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
        return options.send(spec, model, "SNAPSHOT", Map.of("name", name));
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "List the named snapshots of a model, also of a deleted one.")
    int list(
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
        return options.send(spec, model, "SNAPSHOT", Map.of("name", name, "drop", "true"));
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
}
