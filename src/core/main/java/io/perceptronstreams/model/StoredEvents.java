package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Waiting;
import java.util.function.Supplier;

/** Decodes events of the examples topic again, which a {@link Models} has kept as bytes, or the log has. */
public interface StoredEvents {
    /** Decodes a chunk of an import. */
    WeightsChunk chunk(byte[] value);

    /**
     * Decodes an example, without its id if it has none.
     *
     * @param hasher of the model, for feature names
     * @return an object that the next call overwrites; not the object of the current record
     */
    Example example(byte[] value, FeatureHasher hasher);

    /** Decodes a label that waits. */
    LabelEvent label(Waiting waiting);

    /** Receives the examples of a model, and where a label without its example comes. */
    interface ExampleSink {
        /**
         * Receives the next example.
         *
         * @param part as {@link InputRecord#part}
         * @param timestamp event time in ms
         * @param example overwritten by the next one
         */
        void example(long offset, int part, long timestamp, Example example);

        /** The next record is a label. */
        void label();
    }

    /**
     * Reads examples of a model from the log again; records that no model uses are left out.
     *
     * @param from offset of the first record
     * @param to offset behind the last record, before the end of the partition
     * @param hasher of the model after the last example
     * @throws RejectedException with {@link RejectReason#OUTDATED_WEIGHTS} if there is a command or an import, or the
     *     records have more than {@link ModelSession#MAX_REREAD_BYTES}, and, with a cause, if the registry lacks a
     *     schema or records were deleted
     */
    void examples(byte[] name, long from, long to, Supplier<FeatureHasher> hasher, ExampleSink sink);
}
