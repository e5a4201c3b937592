package io.perceptronstreams.client;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.InvalidConfigException;
import io.perceptronstreams.monitor.MonitorException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Error message for the user, made from an exception.
 *
 * @param lines one for each fault
 * @param isUsage true for wrong usage, false for a failure
 */
public record ErrorMessage(List<String> lines, boolean isUsage) {
    public static ErrorMessage of(Throwable thrown) {
        Throwable failure = thrown;
        while ((failure instanceof ExecutionException || failure.getClass() == KafkaException.class)
                && failure.getCause() != null) {
            failure = failure.getCause();
        }
        if (failure instanceof InvalidConfigException config) {
            return new ErrorMessage(config.faults(), true);
        }
        if (failure instanceof StartupException startUp) {
            return new ErrorMessage(startUp.faults(), false);
        }
        boolean isUsage = failure instanceof ConfigException
                || (failure instanceof CommandFailedException command && command.isUsage());
        return new ErrorMessage(List.of(line(failure).replaceAll("\\s*\\R\\s*", " ")), isUsage);
    }

    private static String line(Throwable failure) {
        if (failure instanceof CommandFailedException
                || failure instanceof ConfigException
                || failure instanceof MonitorException) {
            return failure.getMessage();
        }
        if (failure instanceof WakeupException
                || failure instanceof InterruptException
                || failure instanceof InterruptedException) {
            return "stopped";
        }
        if (failure instanceof NoSuchFileException file) {
            return "file must exist, got '" + file.getFile() + "'";
        }
        if (failure instanceof InvalidPathException file) {
            return "file name must have letters of the locale's encoding, got '" + file.getInput()
                    + "' (set LC_ALL=C.UTF-8, or give the file to standard input: - < FILE)";
        }
        if (failure instanceof AccessDeniedException file) {
            return "file must be readable, got '" + file.getFile() + "'";
        }
        if (failure instanceof TimeoutException) {
            return "broker must answer in time, got: " + failure.getMessage()
                    + " (is it running? --bootstrap names another)";
        }
        if (failure instanceof AuthorizationException) {
            return "this user must have the right, got: " + failure.getMessage()
                    + " (docs/security.md lists the rights of each command)";
        }
        if (failure instanceof AuthenticationException) {
            return "broker must accept these credentials, got: " + failure.getMessage()
                    + TopicValidator.firstCause(failure)
                    + " (security settings go into --config)";
        }
        boolean isSelfContained =
                failure instanceof IOException || failure.getClass().getName().startsWith("io.perceptronstreams.");
        return isSelfContained && failure.getMessage() != null
                ? failure.getMessage()
                : failure.getClass().getSimpleName() + ": " + failure.getMessage() + " (--verbose shows where)";
    }
}
