package io.perceptronstreams.model;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cause of a published status; the names stand in the field {@code cause} of ModelStatus. */
public enum StatusCause {
    CONFIGURE(Kind.CHANGE),
    RESET(Kind.CHANGE),
    DELETE(Kind.CHANGE),
    FREEZE(Kind.CHANGE),
    THAW(Kind.CHANGE),
    SNAPSHOT(Kind.CHANGE),
    /** The settings of models to be created have changed; see {@link ModelDefaults}. */
    DEFAULTS(Kind.CHANGE),
    /** Imported weights have replaced the model. */
    IMPORT(Kind.CHANGE),
    /** Imported weights have become the comparator. */
    COMPARATOR(Kind.CHANGE),
    /** The model was deleted because it was idle. */
    EXPIRED(Kind.CHANGE),
    FIRST_EXAMPLE(Kind.CHANGE),
    /** A shadow has replaced the model. */
    TAKEOVER(Kind.CHANGE),
    /** A challenger has begun. */
    CHALLENGED(Kind.CHANGE),
    /** A challenger has ended. */
    WITHDRAWN(Kind.CHANGE),
    /** A challenger has replaced the model. */
    PROMOTED(Kind.CHANGE),
    /** The records of a partition are used no more from here on, or again; see {@link Fence}. */
    FENCED(Kind.CHANGE),
    /** The model was reset after a drift alarm. */
    DRIFT(Kind.ALERT),
    QUARANTINED(Kind.ALERT),
    /** A counting window has ended. */
    WINDOW(Kind.PROGRESS),
    /** Event time has passed since the last status. */
    TIME(Kind.PROGRESS),
    /** A command has moved the stream time of the model. */
    TICK(Kind.PROGRESS),
    /** No record has arrived for a second of wall-clock time; the only cause whose time the log does not decide. */
    IDLE(Kind.PROGRESS);

    private enum Kind {
        PROGRESS,
        CHANGE,
        ALERT
    }

    private static final Map<String, StatusCause> BY_NAME =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Enum::name, Function.identity()));

    private final Kind kind;

    StatusCause(Kind kind) {
        this.kind = kind;
    }

    /** Returns the cause with this name; null if there is none, as in an event of a later version. */
    public static StatusCause named(String name) {
        return BY_NAME.get(name);
    }

    /** Returns true if only counts and weights have changed. */
    public boolean isProgress() {
        return kind == Kind.PROGRESS;
    }

    /** Returns true if the model needs attention. */
    public boolean isAlert() {
        return kind == Kind.ALERT;
    }
}
