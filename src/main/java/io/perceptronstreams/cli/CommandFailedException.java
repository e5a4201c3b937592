package io.perceptronstreams.cli;

/** A command that could not do what it was asked to; the message is the one line for the user. */
final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isUsage;

    CommandFailedException(String message) {
        this(message, null, false);
    }

    CommandFailedException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private CommandFailedException(String message, Throwable cause, boolean isUsage) {
        super(message, cause);
        this.isUsage = isUsage;
    }

    /** For what can never be done, whatever the state of the cluster. */
    static CommandFailedException wrongUsage(String message) {
        return new CommandFailedException(message, null, true);
    }

    boolean isUsage() {
        return isUsage;
    }
}
