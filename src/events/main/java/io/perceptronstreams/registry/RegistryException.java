package io.perceptronstreams.registry;

/** A failed request to the schema registry; its three subclasses distinguish the causes. The message is one line. */
public abstract class RegistryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RegistryException(String message, Throwable cause) {
        super(message, cause);
    }
}
