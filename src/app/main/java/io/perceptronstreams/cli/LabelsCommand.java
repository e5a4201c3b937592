package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandSender;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron labels …}: controls models that wait for labels. */
@Command(name = "labels", mixinStandardHelpOptions = true, description = "Control models that wait for labels.")
public final class LabelsCommand {
    @Spec
    CommandSpec spec;

    @Command(
            name = "expire",
            mixinStandardHelpOptions = true,
            description =
                    "Move the stream time of a model that has fallen silent to now, so that what has waited for too long"
                            + " is resolved; at most 1,000 examples and labels per command.")
    int expire(@Mixin ConfirmOptions options, @Parameters(paramLabel = "MODEL") String model) {
        new CommandSender(options.client.engineConfig())
                .send(
                        model,
                        "TICK",
                        Map.of(),
                        options.confirmation(spec),
                        spec.commandLine().getOut());
        return 0;
    }
}
