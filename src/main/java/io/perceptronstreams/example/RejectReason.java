package io.perceptronstreams.example;

/**
 * Why a record of the examples topic could not be used.
 *
 * <p>The name of the constant is the value of the dead letter's {@code perceptron-reason} header: programs match on it, so that
 * constants may be added but never renamed.
 */
public enum RejectReason {
    /** No record key, hence no model. */
    NULL_KEY,
    /** The key is not 1 to 128 of the characters {@code A-Z a-z 0-9 . _ -}. */
    INVALID_MODEL_NAME,
    /** A tombstone: the examples topic has none. */
    NULL_VALUE,
    /** A value of no bytes. */
    EMPTY_VALUE,
    /** Shorter than the five bytes of the wire format's header. */
    TRUNCATED_HEADER,
    /** The first byte is neither 0 (Avro) nor an opening brace (JSON). */
    UNKNOWN_FORMAT,
    /** The registry does not know the schema id. */
    UNKNOWN_SCHEMA,
    /** The writer's schema is not a version of an event of the examples topic. */
    INCOMPATIBLE_SCHEMA,
    /** Truncated, with trailing bytes, or with lengths that the value cannot hold. */
    MALFORMED_AVRO,
    /** Not JSON, or JSON that is none of the four events. */
    MALFORMED_JSON,
    /** The example's id is too long or not UTF-8. */
    INVALID_ID,
    /** Indices negative, repeated, not ascending, or not as many as there are values. */
    INVALID_INDICES,
    /** A feature value is NaN or infinite. */
    NON_FINITE_VALUE,
    /** The example's weight is not a positive finite number. */
    INVALID_WEIGHT,
    /** The record's timestamp is negative or beyond the year 2199. */
    INVALID_TIMESTAMP,
    /** Score or norm of the example exceed the range of a double. */
    SCORE_OVERFLOW,
    /** The model's learner does not take features of this kind. */
    UNSUPPORTED_FEATURES,
    /** The label is of another kind than the model's, not one of its labels, or cannot name a class. */
    INVALID_LABEL,
    /** The update would make the model larger than its {@code blocks.max}, or give it a class too many. */
    MODEL_FULL,
    /** No such model, and {@code models.auto.create} is off. */
    UNKNOWN_MODEL,
    /** It would create a model, and the partition has {@code models.max} already. */
    TOO_MANY_MODELS,
    /** The model is quarantined until a command resets or deletes it. */
    MODEL_QUARANTINED,
    /** A label for an earlier example: not taken yet. */
    LATE_LABEL,
    /** An unknown action, or settings that are unknown or wrong. */
    INVALID_COMMAND,
    /** A chunk of weights to import that is incomplete, out of order, contradicts the others or cannot be a model. */
    INVALID_WEIGHTS,
    /** On a partition that is not its key's, and not to be or already sent on. */
    MISROUTED
}
