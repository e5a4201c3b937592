package io.perceptronstreams.format;

import java.io.IOException;

/** A line violates its format; the message starts with {@code file:line:}. */
public final class MalformedExampleException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedExampleException(String source, long line, String message) {
        super(source + ":" + line + ": " + message);
    }
}
