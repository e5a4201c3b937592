package io.perceptronstreams.topology;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.thread.DaemonThread;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.MDC;

/**
 * Requests for the schema ids of records that are not processed yet, on threads of their own: a stream thread that
 * waited for the answer would hold up all its partitions.
 *
 * <p>An id is answered once the registry has given its schema, or its record is to be refused. The stream thread
 * decides the latter again when it processes the record, so that its answer counts. Thread-safe.
 */
final class SchemaLookups implements AutoCloseable {
    /** Maximum number of ids that are remembered; after that all are asked for again, most of them in memory. */
    private static final int MAX_ANSWERED = 10_000;

    private final SchemaRegistry registry;
    private final RegistryRetry registryRetry;
    private final int partitions;
    private final Set<Integer> answered = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(task -> new DaemonThread("schema-lookup", task));

    /**
     * A request that is repeated until there is an answer.
     *
     * @param answer is not completed if the request is cancelled, or the engine stops
     */
    record Lookup(CompletableFuture<Void> answer, Future<?> task) {
        boolean isAnswered() {
            return answer.isDone();
        }

        void cancel() {
            task.cancel(true);
        }
    }

    /** @param partitions number of partitions of the examples topic */
    SchemaLookups(SchemaRegistry registry, RegistryRetry registryRetry, int partitions) {
        this.registry = registry;
        this.registryRetry = registryRetry;
        this.partitions = partitions;
    }

    int partitions() {
        return partitions;
    }

    boolean isAnswered(int id) {
        return answered.contains(id);
    }

    /** @param caller the waiting partition, for the log and the faults */
    Lookup ask(int id, String caller) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return new Lookup(answer, threads.submit(() -> {
            // of a cancelled request of this thread, whose lines would be left out of the log
            MDC.clear();
            try {
                registryRetry.waitFor(() -> find(id), id, () -> caller);
            } catch (RejectedException e) {
                // its record is refused when it is processed
            }
            if (answered.size() >= MAX_ANSWERED) {
                answered.clear();
            }
            answered.add(id);
            answer.complete(null);
        }));
    }

    private Void find(int id) {
        try {
            registry.schema(id);
            return null;
        } catch (UnknownSchemaException e) {
            throw new RejectedException(RejectReason.UNKNOWN_SCHEMA, e.getMessage());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
