package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options of commands that wait for the engine's answer. */
final class ConfirmOptions {
    @Mixin
    ClientOptions client;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Maximum time to wait for the engine's answer (default: ${DEFAULT-VALUE}).")
    private double timeoutSeconds;

    @Option(names = "--no-wait", description = "Write the command to the log and do not wait.")
    private boolean isNotWaiting;

    @Option(names = "--json", description = "Print the model's status as JSON; with --no-wait the command's position.")
    private boolean isJson;

    /**
     * Validates the options.
     *
     * @throws picocli.CommandLine.ParameterException if the time-out is negative
     */
    Confirmation confirmation(CommandSpec command) {
        Usage.atLeast(0, "--timeout", timeoutSeconds, command);
        return new Confirmation(timeoutSeconds, !isNotWaiting, isJson);
    }

    /** Sends a command to a model and prints the answer; returns the exit code. */
    int send(CommandSpec command, String model, String action, Map<String, String> settings) {
        new CommandSender(client.engineConfig())
                .send(
                        model,
                        action,
                        settings,
                        confirmation(command),
                        command.commandLine().getOut());
        return 0;
    }
}
