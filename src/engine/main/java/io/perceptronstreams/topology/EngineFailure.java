package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.PositionFaultException;
import io.perceptronstreams.registry.http.Addresses;
import io.perceptronstreams.store.RocksLibrary;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.streams.errors.StreamsException;

/** Explanation of a failure that has ended an engine. */
public final class EngineFailure {
    private EngineFailure() {}

    /**
     * Returns the failure with a line for each fault. Asks the brokers whether topics were changed, which may take some
     * seconds.
     */
    public static StartupException of(Throwable cause, EngineConfig config) throws InterruptedException {
        PositionFaultException fault = PositionFaultException.in(cause);
        if (fault != null) {
            return new StartupException(List.of(line(fault.getMessage())), cause);
        }
        // what Kafka Streams advises where partitions were added would delete the models
        List<String> faults = cause instanceof StreamsException ? StartupChecks.topicFaults(config) : List.of();
        return new StartupException(
                faults.isEmpty()
                        ? List.of(line("engine must keep running, got: " + reason(cause, config.stateDir())
                                + " (after a restart it continues from the last commit)"))
                        : faults,
                cause);
    }

    private static String line(String message) {
        return Addresses.withoutSecrets(message.replaceAll("\\s*\\R\\s*", " "));
    }

    /**
     * Message of a failure and of its first cause: only the latter names a full disk, for example. Errors of a disk do
     * not always name a file.
     */
    static String reason(Throwable failure, Path stateDir) {
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        if (first == failure) {
            return String.valueOf(failure.getMessage());
        }
        String cause = first.getClass().getSimpleName() + ": " + first.getMessage();
        boolean isUnnamed = RocksLibrary.isFault(first) && !cause.contains(stateDir.toString());
        return failure.getMessage() + ": " + cause + (isUnnamed ? " in state directory " + stateDir : "");
    }
}
