package io.perceptronstreams.log;

import org.apache.kafka.streams.errors.StreamsException;

/**
 * Models and input offsets are inconsistent; the message is one line with the fault and the remedy.
 *
 * <p>Without a stack trace, which Kafka Streams would log more than once.
 */
public final class PositionFaultException extends StreamsException {
    private static final long serialVersionUID = 1;

    PositionFaultException(String message) {
        super(message);
    }

    /** Returns the first fault in the causes of a failure, or null. */
    public static PositionFaultException in(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof PositionFaultException)) {
            cause = cause.getCause();
        }
        return (PositionFaultException) cause;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
