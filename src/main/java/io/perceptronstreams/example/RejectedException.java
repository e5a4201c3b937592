package io.perceptronstreams.example;

/** Says that one record cannot be used and why; it ends as a dead letter, and the stream goes on with the next one. */
public final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final RejectReason reason;

    /**
     * A rejection without a stack trace: the place that matters is the record's, and bad records can come by the million.
     *
     * @param message what must hold, what was found and what to do, in one line
     */
    public RejectedException(RejectReason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public RejectReason reason() {
        return reason;
    }
}
