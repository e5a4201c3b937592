package io.perceptronstreams.serde;

import java.util.function.ToIntFunction;

/** The registry's ids of the schemas that the engine writes with. */
public record EventIds(int prediction, int mistake, int mistakeCount, int modelStatus, int weightsSnapshot, int alert) {

    /**
     * Finds or registers the ids.
     *
     * @param idOf from an output topic to the id of the schema of its events
     */
    public static EventIds of(ToIntFunction<Topic> idOf) {
        return new EventIds(
                idOf.applyAsInt(Topic.PREDICTIONS),
                idOf.applyAsInt(Topic.MISTAKES),
                idOf.applyAsInt(Topic.COUNTS),
                idOf.applyAsInt(Topic.MODELS),
                idOf.applyAsInt(Topic.WEIGHTS),
                idOf.applyAsInt(Topic.ALERTS));
    }
}
