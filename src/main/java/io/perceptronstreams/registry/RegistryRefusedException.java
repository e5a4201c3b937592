package io.perceptronstreams.registry;

/**
 * The registry answered, and said no: wrong credentials, an incompatible schema, auto-registration forbidden. Asking again
 * changes nothing until somebody changes a setting or the registry. Never a reason to give up a record.
 */
public final class RegistryRefusedException extends RegistryException {

    private static final long serialVersionUID = 1L;

    RegistryRefusedException(String message) {
        super(message, null);
    }
}
