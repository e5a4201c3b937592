package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.labels.LabelEvent;

/** Decodes events of the examples topic again that a {@link Models} has kept as bytes. */
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

    /** Decodes a label. */
    LabelEvent label(byte[] value);
}
