package io.perceptronstreams.state;

/** Stored bytes are not a valid model, or have the form of another version. */
public final class UnreadableModelException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public UnreadableModelException(String message) {
        super(message);
    }

    public UnreadableModelException(String message, Exception cause) {
        super(message, cause);
    }

    /**
     * Runs a restore and converts its exceptions.
     *
     * @param what rule for the message, such as {@code valid settings}
     * @throws UnreadableModelException if {@code restore} throws any exception
     */
    public static void ifRefused(String what, Runnable restore) {
        try {
            restore.run();
        } catch (UnreadableModelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new UnreadableModelException(
                    "a stored model must have " + what + ", got: " + e.getMessage() + " (written by another version?)",
                    e);
        }
    }
}
