package io.perceptronstreams.access;

/** Credentials cannot be checked at this moment; has no stack trace. */
public final class KeysMissingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KeysMissingException(String message) {
        super(message, null, false, false);
    }
}
