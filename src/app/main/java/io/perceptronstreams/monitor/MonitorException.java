package io.perceptronstreams.monitor;

/** The monitor cannot start; the message is one line for the user. */
public final class MonitorException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MonitorException(String message) {
        super(message);
    }

    MonitorException(String message, Throwable cause) {
        super(message, cause);
    }
}
