package io.perceptronstreams.model;

import io.perceptronstreams.settings.Settings;
import java.util.Map;

/**
 * Creates, configures or ends a model, or changes the settings of models to be created.
 *
 * @param settings setting name to value, for CONFIGURE, RESET, DEFAULTS and CHALLENGE; the last, WITHDRAW and PROMOTE
 *     have the name of the challenger under {@code challenger}; SNAPSHOT may have a {@code name}, and {@code drop}
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
        TICK,
        /** Begins a challenger. */
        CHALLENGE,
        /** Ends a challenger. */
        WITHDRAW,
        /** Makes a challenger the model. */
        PROMOTE,
        /** Ends the use of a partition's records, whose models go to another generation of topics, or lifts that. */
        FENCE;

        /** Cause of the status that answers the command. */
        StatusCause cause() {
            return switch (this) {
                case CHALLENGE -> StatusCause.CHALLENGED;
                case WITHDRAW -> StatusCause.WITHDRAWN;
                case PROMOTE -> StatusCause.PROMOTED;
                case FENCE -> StatusCause.FENCED;
                default -> StatusCause.valueOf(name());
            };
        }
    }

    /** Keeps an unmodifiable copy. */
    public ModelCommand {
        settings = Map.copyOf(settings);
    }

    /**
     * Checks what is the same for all models: names of settings and their values, for CHALLENGE also its options, and
     * the names of challengers and snapshots.
     *
     * @throws IllegalArgumentException if every engine would refuse the command
     */
    public void check() {
        switch (action) {
            case CONFIGURE, RESET, DEFAULTS -> Settings.DEFAULTS.with(settings);
            case CHALLENGE -> {
                if (!Portfolio.isAsked(settings)) {
                    Settings.DEFAULTS.with(Challenge.of(settings).changes());
                }
            }
            case SNAPSHOT -> Versions.Command.of(settings);
            case WITHDRAW, PROMOTE -> Challenge.name(settings);
            case FENCE -> Fence.behind(null, settings);
            case DELETE, FREEZE, THAW, TICK -> {
                // without settings
            }
        }
    }
}
