package io.perceptronstreams.embedded;

/** The embedded broker or registry cannot start or go on; the message is one line for the user, with what to do. */
public final class EmbeddedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedException(String message, Throwable cause) {
        super(message, cause);
    }
}
