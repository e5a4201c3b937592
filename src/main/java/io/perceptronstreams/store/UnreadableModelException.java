package io.perceptronstreams.store;

/** Stored bytes are not a valid model, or have the form of another version. */
final class UnreadableModelException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    UnreadableModelException(String message) {
        super(message);
    }

    UnreadableModelException(String message, Exception cause) {
        super(message, cause);
    }

    /**
     * Creates the exception for a record of an unknown form.
     *
     * @param what is stored, such as {@code model}
     */
    static UnreadableModelException ofForm(int form, String what, int known) {
        return new UnreadableModelException("a stored " + what + " must have form " + known + ", got " + form
                + " (written by another version: start that version, or delete all models and learn the topic again"
                + " with perceptron topics reset --to-earliest)");
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
