package io.perceptronstreams.model;

import java.util.List;
import java.util.function.Function;

/** Copies of all models in this process, which follow the engine. Implementations must be thread-safe. */
public interface ModelReplica {
    /**
     * A model while it does not change.
     *
     * @param next offset in the partition of the first record that is not learned
     * @param ageMs time in ms before which the log had nothing that is not learned
     */
    record Held(Model model, int partition, long next, long ageMs) {}

    /**
     * State of a partition.
     *
     * @param lag number of offsets at the end of the log that are not learned
     * @param ageMs see {@link Held}
     */
    record State(boolean isReady, long lag, long ageMs) {}

    /** The models of a partition are not complete, or currently not. */
    final class NotReadyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public NotReadyException() {
            super("the replica must have read the models, which is not finished");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /**
     * Calls a function with a model while it does not change.
     *
     * @param function gets null if there is no model of this name
     * @throws NotReadyException if the models of its partition cannot be asked
     */
    <T> T read(String name, Function<Held, T> function);

    /** Returns true if all models can be read. */
    boolean isReady();

    /** State of all partitions; empty before it is known. */
    List<State> states();

    /** Number of models in memory. */
    long liveModels();

    /** Heap of the models in memory, in bytes. */
    long heapBytes();
}
