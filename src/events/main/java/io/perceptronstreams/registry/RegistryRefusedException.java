package io.perceptronstreams.registry;

/**
 * The registry refused the request: wrong credentials, an incompatible schema, auto-registration forbidden. A retry
 * fails until a setting or the registry is changed. The record must not be rejected for it.
 */
public final class RegistryRefusedException extends RegistryException {

    private static final long serialVersionUID = 1L;

    public RegistryRefusedException(String message) {
        super(message, null);
    }
}
