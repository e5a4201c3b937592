package io.perceptronstreams.cli;

import picocli.CommandLine.Option;

/** Option of commands that read the log again, about what a client without {@code commands.key} has sent. */
final class UnsignedOption {
    @Option(
            names = "--without-unsigned",
            description = "Leave out the commands and weights of the model, and the commands for the defaults, whose"
                    + " signature is missing or not of commands.key: the engine has refused them, but their dead letters"
                    + " were deleted.")
    boolean isWithout;
}
