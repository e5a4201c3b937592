package io.perceptronstreams.store;

/** Stored bytes are not a valid model, or have a form of a newer engine. */
final class UnreadableModelException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    UnreadableModelException(String message) {
        super(message);
    }

    UnreadableModelException(String message, Exception cause) {
        super(message, cause);
    }

    /**
     * Runs a restore and converts its exceptions.
     *
     * @param what rule for the message, such as {@code valid settings}
     * @throws UnreadableModelException if {@code restore} throws any exception
     */
    static void ifRefused(String what, Runnable restore) {
        try {
            restore.run();
        } catch (UnreadableModelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new UnreadableModelException(
                    "a stored model must have " + what + ", got: " + e.getMessage() + " (written by a newer engine?)",
                    e);
        }
    }
}
