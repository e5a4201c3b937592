package io.perceptronstreams.registry;

/** No registry could be asked, for now: wait and ask again. Never a reason to give up a record. */
public final class RegistryUnavailableException extends RegistryException {

    private static final long serialVersionUID = 1L;

    RegistryUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
