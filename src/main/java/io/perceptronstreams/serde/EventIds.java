package io.perceptronstreams.serde;

import java.util.function.ToIntFunction;

/** Registry ids of the schemas of the output events. */
public record EventIds(int prediction, int mistake, int mistakeCount, int modelStatus, int weightsSnapshot, int alert) {

    /**
     * Finds or registers the ids.
     *
     * @param idOf maps an output topic to the schema id of its events
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
