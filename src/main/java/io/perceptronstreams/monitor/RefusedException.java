package io.perceptronstreams.monitor;

/** A request is refused with a status of HTTP; has no stack trace. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
