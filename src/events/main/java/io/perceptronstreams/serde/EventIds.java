package io.perceptronstreams.serde;

import java.util.function.ToIntBiFunction;

/** Registry ids of the schemas of the output events; that of PredictionBatch may be {@link #NONE}. */
public record EventIds(
        int prediction,
        int predictionBatch,
        int mistake,
        int mistakeCount,
        int modelStatus,
        int weightsSnapshot,
        int alert) {
    /** The registry refuses the schema. */
    public static final int NONE = -1;

    /**
     * Finds or registers the ids.
     *
     * @param idOf maps an output topic and the name of an event in it to the schema id
     */
    public static EventIds of(ToIntBiFunction<Topic, String> idOf) {
        return new EventIds(
                idOf.applyAsInt(Topic.PREDICTIONS, Topic.PREDICTIONS.event()),
                idOf.applyAsInt(Topic.PREDICTIONS, EventSchemas.PREDICTION_BATCH),
                idOf.applyAsInt(Topic.MISTAKES, Topic.MISTAKES.event()),
                idOf.applyAsInt(Topic.COUNTS, Topic.COUNTS.event()),
                idOf.applyAsInt(Topic.MODELS, Topic.MODELS.event()),
                idOf.applyAsInt(Topic.WEIGHTS, Topic.WEIGHTS.event()),
                idOf.applyAsInt(Topic.ALERTS, Topic.ALERTS.event()));
    }
}
