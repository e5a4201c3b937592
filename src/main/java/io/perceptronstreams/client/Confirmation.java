package io.perceptronstreams.client;

/**
 * How the answer to a command is awaited and printed.
 *
 * @param timeoutSeconds maximum time to wait for the engine's answer
 * @param isWaiting false if the command is only put into the log
 * @param isJson whether the model's status is printed as JSON
 */
public record Confirmation(double timeoutSeconds, boolean isWaiting, boolean isJson) {
    /** The time-out in ns. */
    long timeoutNanos() {
        return (long) (timeoutSeconds * 1e9);
    }
}
