package io.perceptronstreams.example;

/**
 * Reason for the rejection of a record of the examples topic.
 *
 * <p>The name of the constant is the value of the dead letter's {@code perceptron-reason} header. Clients match on it:
 * constants may be added, but never renamed.
 */
public enum RejectReason {
    /** The record has no key, hence no model. */
    NULL_KEY,
    /** The key must be 1 to 128 of the characters {@code A-Z a-z 0-9 . _ -}. */
    INVALID_MODEL_NAME,
    /** The value is null; the examples topic has no tombstones. */
    NULL_VALUE,
    /** The value has no bytes. */
    EMPTY_VALUE,
    /** The value is shorter than the five bytes of the wire format header. */
    TRUNCATED_HEADER,
    /** The first byte is neither 0 (Avro) nor an opening brace or bracket (JSON). */
    UNKNOWN_FORMAT,
    /** The registry has no schema of this id. */
    UNKNOWN_SCHEMA,
    /** The writer's schema is not compatible with any event of the examples topic. */
    INCOMPATIBLE_SCHEMA,
    /** The value is truncated, has trailing bytes, or has lengths beyond its end. */
    MALFORMED_AVRO,
    /** The value is not JSON, or not one of the four events. */
    MALFORMED_JSON,
    /** The example's id is too long or not UTF-8. */
    INVALID_ID,
    /** Indices are negative, repeated or not ascending, or they are not as many as the values. */
    INVALID_INDICES,
    /** A feature value is NaN or infinite. */
    NON_FINITE_VALUE,
    /** The example's weight is not a positive finite number. */
    INVALID_WEIGHT,
    /** The record's timestamp is negative or beyond the year 2199. */
    INVALID_TIMESTAMP,
    /** The score or the norm of the example overflows, or its update would overflow a weight. */
    SCORE_OVERFLOW,
    /** The model's learner does not support features of this kind, or crosses would make too many. */
    UNSUPPORTED_FEATURES,
    /** The label is of another type than the model's, is not one of its labels, or cannot name a class. */
    INVALID_LABEL,
    /** The update would exceed {@code blocks.max} or the maximum number of classes. */
    MODEL_FULL,
    /** The model does not exist, and {@code models.auto.create} is off. */
    UNKNOWN_MODEL,
    /** The record would create a model, but the partition already has {@code models.max}. */
    TOO_MANY_MODELS,
    /** The model is quarantined until a command resets, deletes or replaces it, or weights are imported. */
    MODEL_QUARANTINED,
    /** A Label of a model with {@code await.labels.ms=0}, which does not wait for labels. */
    LATE_LABEL,
    /** The action is unknown, or settings are unknown or invalid. */
    INVALID_COMMAND,
    /**
     * The command or chunk of weights must be signed, and has no signature, a wrong one, or that of an earlier record;
     * or its settings are out of the engine's bounds.
     */
    NOT_AUTHORISED,
    /** A chunk of imported weights is incomplete, out of order, inconsistent with the others or not a valid model. */
    INVALID_WEIGHTS,
    /**
     * Weights that replace a model without a gap lack records that cannot be learned afterwards: too many, deleted, a
     * command, or those of a model with late labels. Or they are those of an earlier model of the name, which was
     * deleted as idle since.
     */
    OUTDATED_WEIGHTS,
    /** The record is on the wrong partition for its key, and is not rerouted or was rerouted already. */
    MISROUTED,
    /** The Label's example has waited for {@code await.labels.ms}, or the model did not wait for its label. */
    LABEL_TOO_LATE,
    /** No example of this id came before the Label, or within {@code await.examples.ms} after it. */
    LABEL_WITHOUT_EXAMPLE,
    /** The example has a label already. */
    DUPLICATE_LABEL,
    /**
     * The Label's source is not one of {@code labels.sources}, or has not the form of one, or {@code knowableAt} is
     * after the Label.
     */
    INVALID_SOURCE,
    /** An example of this id is among the last {@code dedupe.last}, or waits for its label. */
    DUPLICATE_EXAMPLE,
    /** {@code await.labels.max} examples and Labels wait already, or the record is too large to wait. */
    PENDING_FULL,
    /**
     * The examples before it in its record took so much work, or have so large outputs, that the record would last too
     * long.
     */
    TOO_MUCH_WORK,
    /** The models of the partition have gone to another generation of topics, which takes the records now. */
    FENCED
}
