package io.perceptronstreams.monitor;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** Search for partitions of the examples topic that the engine cannot read. */
@FunctionalInterface
public interface PartitionFaults {
    /**
     * Returns a line for each such partition.
     *
     * @throws ExecutionException if a request fails
     */
    List<String> ask(Admin admin) throws ExecutionException, InterruptedException;
}
