package io.perceptronstreams.client;

/** Failure of a command; the message is one line for the user. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isUsage;

    public CommandFailedException(String message) {
        this(message, null, false);
    }

    public CommandFailedException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private CommandFailedException(String message, Throwable cause, boolean isUsage) {
        super(message, cause);
        this.isUsage = isUsage;
    }

    /** Creates a usage error: the command cannot succeed in any state of the cluster. */
    public static CommandFailedException wrongUsage(String message) {
        return new CommandFailedException(message, null, true);
    }

    public boolean isUsage() {
        return isUsage;
    }
}
