package io.perceptronstreams.embedded;

/** Failure of the embedded broker or registry; the message is one line for the user. */
public final class EmbeddedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedException(String message, Throwable cause) {
        super(message, cause);
    }
}
