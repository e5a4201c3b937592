package io.perceptronstreams.registry;

/** What a schema registry did not do. Its three kinds tell whose fault it is; the message is one line for the user. */
public abstract class RegistryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RegistryException(String message, Throwable cause) {
        super(message, cause);
    }
}
