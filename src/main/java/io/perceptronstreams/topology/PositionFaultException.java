package io.perceptronstreams.topology;

import org.apache.kafka.streams.errors.StreamsException;

/**
 * The models and the offsets of their input do not fit together; the message is one line that says what was found and what mends it.
 *
 * <p>Without a stack trace, because Kafka Streams logs it more than once, and the place in the code says nothing.
 */
public final class PositionFaultException extends StreamsException {
    private static final long serialVersionUID = 1;

    PositionFaultException(String message) {
        super(message);
    }

    /** The fault among the causes of a failure, or null. */
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
