package io.perceptronstreams.format;

import java.io.IOException;

/** A line violates its format; the message starts with {@code file:line:}. */
public final class MalformedExampleException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean isSkippable;
    private final boolean isSkipAdvised;

    /** Creates a fault after which the reader may only be closed. */
    MalformedExampleException(String source, long line, String message) {
        this(source, line, message, false);
    }

    /** @param isSkippable true if the reader can continue behind the example */
    MalformedExampleException(String source, long line, String message, boolean isSkippable) {
        this(source + ":" + line + ": " + message, isSkippable, isSkippable);
    }

    private MalformedExampleException(String message, boolean isSkippable, boolean isSkipAdvised) {
        super(message);
        this.isSkippable = isSkippable;
        this.isSkipAdvised = isSkipAdvised;
    }

    /** Returns the same fault where the other examples may have it, too: to skip it is no remedy. */
    MalformedExampleException ofAll() {
        return new MalformedExampleException(getMessage(), isSkippable, false);
    }

    /** Returns the same fault as one after which the reader may only be closed. */
    MalformedExampleException asEnd() {
        return new MalformedExampleException(getMessage(), false, false);
    }

    /** Returns true if the other examples can be read without this one. */
    public boolean isSkippable() {
        return isSkippable;
    }

    /** Returns true if there are other examples that can be read without this one. */
    public boolean isSkipAdvised() {
        return isSkipAdvised;
    }
}
