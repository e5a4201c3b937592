package io.perceptronstreams.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron weights show M}: the latest snapshot of a model's weights. */
@Command(
        name = "weights",
        mixinStandardHelpOptions = true,
        description = "Show the weights that a model has published.")
final class WeightsCommand {
    private static final int DEFAULT_TOP = 20;

    @Spec
    CommandSpec spec;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "The latest snapshot; perceptron models snapshot MODEL makes a new one.")
    int show(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(
                            names = "--top",
                            paramLabel = "N",
                            description = "Only the N largest weights (default: 20 as text, all as JSON).")
                    Integer top,
            @Option(names = "--json", description = "One JSON object.") boolean isJson) {
        if (top != null && top < 1) {
            throw new ParameterException(spec.commandLine(), "--top must be at least 1, got " + top);
        }
        ModelWeights weights = SnapshotAssembly.latest(client.engineConfig(), model);
        if (isJson) {
            weights.top(top == null ? Integer.MAX_VALUE : top)
                    .writeJson(model, spec.commandLine().getOut());
        } else {
            weights.writeText(
                    model, top == null ? DEFAULT_TOP : top, spec.commandLine().getOut());
        }
        return 0;
    }
}
