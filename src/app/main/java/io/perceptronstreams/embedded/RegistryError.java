package io.perceptronstreams.embedded;

/** An error response as of Confluent's registry: HTTP status, error code and message. */
final class RegistryError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final int code;

    RegistryError(int status, int code, String message) {
        // thrown for every invalid request: no stack trace
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    int status() {
        return status;
    }

    int code() {
        return code;
    }

    static RegistryError noSuchPath() {
        return new RegistryError(404, 404, "HTTP 404 Not Found");
    }

    static RegistryError wrongMethod(String method) {
        return new RegistryError(405, 405, "method " + method + " is not allowed here");
    }

    static RegistryError noSubject(String subject) {
        return new RegistryError(404, 40401, "Subject '" + subject + "' not found.");
    }

    static RegistryError noVersion(Object version) {
        return new RegistryError(404, 40402, "Version " + version + " not found.");
    }

    static RegistryError noSchema(String what) {
        return new RegistryError(404, 40403, what + " not found");
    }

    static RegistryError invalidSchema(String why) {
        return new RegistryError(422, 42201, "Invalid schema: " + why);
    }

    static RegistryError notPermitted(String message) {
        return new RegistryError(422, 42205, message);
    }

    static RegistryError incompatible(String message) {
        return new RegistryError(409, 409, message);
    }
}
