package io.perceptronstreams.model;

/** Adaptation of a model to a drift. */
public enum Adaptation {
    NONE,
    /** The model was reset ({@code drift.action=reset}). */
    DRIFT,
    /** The shadow replaced the model ({@code drift.action=shadow}). */
    TAKEOVER
}
