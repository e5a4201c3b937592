package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.registry.http.Addresses;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Failures of brokers, registry and libraries for the clients of the HTTP API.
 *
 * <p>Their messages may have host names, addresses and answers of other systems: those belong in the log, where callers
 * must write them with {@link #forLog}.
 */
public final class PublicFault {
    private PublicFault() {}

    /** Kind of a failure, and where its message is; of a topic that is missing, for example, the message itself. */
    public static String of(Throwable failure) {
        Throwable cause = cause(failure);
        return cause instanceof StartupException
                ? line(String.valueOf(cause.getMessage()))
                : cause.getClass().getSimpleName() + ", whose message is in the log of the server";
    }

    /** Kind and message of a failure in one line, without users and passwords of addresses. */
    public static String forLog(Throwable failure) {
        Throwable cause = cause(failure);
        return line(cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }

    private static Throwable cause(Throwable failure) {
        boolean isWrapped = failure instanceof ExecutionException || failure instanceof CompletionException;
        return isWrapped && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static String line(String message) {
        return Addresses.withoutSecrets(message.replaceAll("\\s+", " "));
    }
}
