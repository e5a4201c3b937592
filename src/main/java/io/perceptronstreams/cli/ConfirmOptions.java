package io.perceptronstreams.cli;

import io.perceptronstreams.client.Confirmation;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How long a command waits for the engine's answer, and how it prints it. */
final class ConfirmOptions {
    @Mixin
    ClientOptions client;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long to wait for the engine's answer (default: ${DEFAULT-VALUE}).")
    private double timeoutSeconds;

    @Option(names = "--no-wait", description = "Only put the command into the log.")
    private boolean isNotWaiting;

    @Option(names = "--json", description = "Print the model's status as JSON.")
    private boolean isJson;

    /**
     * The options as values.
     *
     * @throws ParameterException if the time-out is negative
     */
    Confirmation confirmation(CommandSpec command) {
        if (!(timeoutSeconds >= 0)) {
            throw new ParameterException(
                    command.commandLine(), "--timeout must be at least 0 seconds, got " + timeoutSeconds);
        }
        return new Confirmation(timeoutSeconds, !isNotWaiting, isJson);
    }
}
