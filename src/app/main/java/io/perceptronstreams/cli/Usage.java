package io.perceptronstreams.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of options that several commands have. */
final class Usage {
    private Usage() {}

    /**
     * Requires a minimum.
     *
     * @param value null if the option is not given
     */
    static void atLeast(long minimum, String option, Number value, CommandSpec command) {
        if (value != null && !(value.doubleValue() >= minimum)) {
            throw new ParameterException(
                    command.commandLine(), option + " must be at least " + minimum + ", got " + value);
        }
    }
}
