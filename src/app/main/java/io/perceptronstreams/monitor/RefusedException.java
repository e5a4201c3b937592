package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.JsonBatchReader;

/** A request is refused with a status of HTTP; has no stack trace. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /** Refusal of a body that cannot be read: its fault is the client's. */
    static RefusedException of(IllegalArgumentException unreadable) {
        return new RefusedException(
                unreadable instanceof JsonBatchReader.TooLargeException ? 413 : 400, unreadable.getMessage());
    }

    RefusedException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
