package io.perceptronstreams.example;

/** A record cannot be used. It is sent to the dead-letter topic, and the stream continues with the next record. */
public final class RejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final RejectReason reason;

    /**
     * Creates an exception without a stack trace: rejected records can be frequent, and the trace would not help.
     *
     * @param message rule, value and remedy, in one line
     */
    public RejectedException(RejectReason reason, String message) {
        this(reason, message, null);
    }

    /**
     * @param cause outside the log, so that another pass over it may not repeat the rejection; null if there is none
     */
    public RejectedException(RejectReason reason, String message, Throwable cause) {
        super(message, cause, false, false);
        this.reason = reason;
    }

    public RejectReason reason() {
        return reason;
    }
}
