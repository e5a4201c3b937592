package io.perceptronstreams.client;

/**
 * Options of the wait for the answer to a command, and of its output.
 *
 * @param timeoutSeconds maximum time to wait for the engine's answer
 * @param isWaiting false to only write the command to the log
 * @param isJson true to print the model's status, or the command's position without waiting, as JSON
 */
public record Confirmation(double timeoutSeconds, boolean isWaiting, boolean isJson) {
    long timeoutNanos() {
        return (long) (timeoutSeconds * 1e9);
    }
}
