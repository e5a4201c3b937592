package io.perceptronstreams.client;

import io.perceptronstreams.example.RejectReason;

/** Failure of a command; the message is one line for the user. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isUsage;
    private final String reason;

    public CommandFailedException(String message) {
        this(message, null, false, null);
    }

    public CommandFailedException(String message, Throwable cause) {
        this(message, cause, false, null);
    }

    private CommandFailedException(String message, Throwable cause, boolean isUsage, String reason) {
        super(message, cause);
        this.isUsage = isUsage;
        this.reason = reason;
    }

    /** Creates a usage error: the command cannot succeed in any state of the cluster. */
    public static CommandFailedException wrongUsage(String message) {
        return new CommandFailedException(message, null, true, null);
    }

    /** Creates a failure by a record that the engine has refused, with the reason of its dead letter. */
    static CommandFailedException refused(String message, String reason) {
        return new CommandFailedException(message, null, false, reason);
    }

    /** Returns true if the engine has refused a record of the command for this reason. */
    public boolean isRefusal(RejectReason of) {
        return of.name().equals(reason);
    }

    /** Returns true if the engine has refused a record of the command. */
    public boolean isRefused() {
        return reason != null;
    }

    public boolean isUsage() {
        return isUsage;
    }
}
