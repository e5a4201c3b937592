package io.perceptronstreams.registry;

/** The registry has no usable Avro schema of this id: the record that names it is invalid. */
public final class UnknownSchemaException extends RegistryException {

    private static final long serialVersionUID = 1L;

    public UnknownSchemaException(String message) {
        super(message, null);
    }

    public UnknownSchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
