package io.perceptronstreams.model;

import java.util.Map;

/**
 * Creates, configures or ends a model, or changes the settings of models to be created.
 *
 * @param settings setting name to value, for CONFIGURE, RESET and DEFAULTS
 */
public record ModelCommand(Action action, Map<String, String> settings) {
    /** Action on a model, in the order of the schema's symbols. */
    public enum Action {
        CONFIGURE,
        RESET,
        DELETE,
        FREEZE,
        THAW,
        SNAPSHOT,
        DEFAULTS,
        /** Moves the stream time of the model to the time of the command. */
        TICK
    }

    /** Keeps an unmodifiable copy. */
    public ModelCommand {
        settings = Map.copyOf(settings);
    }
}
