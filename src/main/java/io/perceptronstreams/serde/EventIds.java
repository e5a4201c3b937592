package io.perceptronstreams.serde;

import java.util.function.ToIntFunction;

/** The registry's ids of the schemas that the engine writes with. */
public record EventIds(int prediction, int mistake, int mistakeCount, int modelStatus, int weightsSnapshot, int alert) {

    /**
     * Finds or registers the ids.
     *
     * @param idOf from an event's name, such as {@code Prediction}, to its schema's id
     */
    public static EventIds of(ToIntFunction<String> idOf) {
        return new EventIds(
                idOf.applyAsInt("Prediction"),
                idOf.applyAsInt("Mistake"),
                idOf.applyAsInt("MistakeCount"),
                idOf.applyAsInt("ModelStatus"),
                idOf.applyAsInt("WeightsSnapshot"),
                idOf.applyAsInt("Alert"));
    }
}
