package io.perceptronstreams.model;

import java.util.Map;

/**
 * Creates, configures or ends a model.
 *
 * @param settings setting name to value, for CONFIGURE
 */
public record ModelCommand(Action action, Map<String, String> settings) {
    /** What to do, in the order of the schema's symbols. */
    public enum Action {
        CONFIGURE,
        RESET,
        DELETE,
        FREEZE,
        THAW,
        SNAPSHOT
    }

    /** Keeps an unmodifiable copy. */
    public ModelCommand {
        settings = Map.copyOf(settings);
    }
}
