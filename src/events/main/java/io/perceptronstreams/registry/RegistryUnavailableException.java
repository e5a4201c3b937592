package io.perceptronstreams.registry;

/** No registry is reachable: wait and retry. The record must not be rejected for it. */
public final class RegistryUnavailableException extends RegistryException {

    private static final long serialVersionUID = 1L;

    public RegistryUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
