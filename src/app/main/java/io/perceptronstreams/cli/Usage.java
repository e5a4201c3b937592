package io.perceptronstreams.cli;

import io.perceptronstreams.settings.Settings;
import java.util.Map;
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

    /** Requires settings of models that exist: a misspelt one would stay in the log and among the dead letters. */
    static void settings(Map<String, String> settings, CommandSpec command) {
        try {
            // all else the engine decides
            Settings.DEFAULTS.with(settings);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
