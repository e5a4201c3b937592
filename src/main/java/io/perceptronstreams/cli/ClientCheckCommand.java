package io.perceptronstreams.cli;

import io.perceptronstreams.client.ClientCheck;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron client-check}: the partition rule of the producers. */
@Command(
        name = "client-check",
        mixinStandardHelpOptions = true,
        description =
                "Show for each model whether its latest records are in the partition of murmur2, as Java's clients and the"
                        + " engine choose it, or in the one of CRC32, the default of librdkafka (kcat, Python, Go, .NET). Exit"
                        + " code 1 if some are in a wrong one.")
public final class ClientCheckCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Option(
            names = "--max",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Maximum number of records, the same share from each partition (default: ${DEFAULT-VALUE}).")
    int max;

    @Option(
            names = "--json",
            description = "Print one JSON object per model, and one of records without a model's name.")
    boolean isJson;

    @Override
    public Integer call() {
        Usage.atLeast(1, "--max", max, spec);
        ClientCheck check = ClientCheck.of(client.engineConfig(), max);
        (isJson ? check.toJson() : check.toLines()).forEach(spec.commandLine().getOut()::println);
        return check.isRight() ? 0 : 1;
    }
}
