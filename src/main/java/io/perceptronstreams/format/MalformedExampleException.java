package io.perceptronstreams.format;

import java.io.IOException;

/** A line violates its format; the message starts with {@code file:line:}. */
public final class MalformedExampleException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean isSkippable;

    /** Creates a fault after which the reader may only be closed. */
    MalformedExampleException(String source, long line, String message) {
        this(source, line, message, false);
    }

    /** @param isSkippable true if the reader can continue behind the example */
    MalformedExampleException(String source, long line, String message, boolean isSkippable) {
        super(source + ":" + line + ": " + message);
        this.isSkippable = isSkippable;
    }

    /** Returns true if the other examples can be read without this one. */
    public boolean isSkippable() {
        return isSkippable;
    }
}
