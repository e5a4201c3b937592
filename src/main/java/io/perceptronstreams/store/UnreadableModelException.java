package io.perceptronstreams.store;

/** Stored bytes are not those of a model, or those of a form that only a newer engine can read. */
final class UnreadableModelException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    UnreadableModelException(String message) {
        super(message);
    }

    UnreadableModelException(String message, Exception cause) {
        super(message, cause);
    }

    /**
     * Gives stored values to a class that checks them.
     *
     * @param what named in the message, such as {@code valid settings}
     * @throws UnreadableModelException if they are refused, by whatever exception: that class expects values of its own
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
