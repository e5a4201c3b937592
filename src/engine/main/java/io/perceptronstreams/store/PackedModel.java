package io.perceptronstreams.store;

import io.perceptronstreams.model.FeatureNameTable;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;

/**
 * A model that is not in use, in few objects: the fields of its header as bytes, and what grows with what it has
 * learned, its vectors and the names of its features, as it is.
 *
 * <p>A {@link Model} has some 60 objects. Of many models nearly all are not in use, and the processor finds the objects
 * of each in none of its caches; bytes that follow each other take one wait. {@link HeaderCodec#pack} makes it, {@link
 * HeaderCodec#unpack} makes a model of it.
 *
 * @param fields the header without its vectors
 * @param vectorsAt place of the vectors among the fields
 * @param vectors by number from {@link Pipeline#STATISTICS} on; null for one that is untouched
 * @param names of features; null if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PackedModel(long epoch, byte[] fields, int vectorsAt, BlockVector[] vectors, FeatureNameTable names) {
    // with the name of the model and its entry in a table
    private static final long FIXED_BYTES = 500;

    /** Returns true if a model without late labels and challengers can be packed: its learner has vectors alone. */
    static boolean fits(Pipeline pipeline) {
        for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
            if (!(pipeline.vector(vector) instanceof BlockVector)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the vectors of a pipeline. */
    static BlockVector[] vectors(Pipeline pipeline) {
        BlockVector[] vectors = new BlockVector[pipeline.learner().storedVectors() - Pipeline.STATISTICS];
        for (int k = 0; k < vectors.length; k++) {
            BlockVector vector = (BlockVector) pipeline.vector(k + Pipeline.STATISTICS);
            vectors[k] = vector.isUntouched() ? null : vector;
        }
        return vectors;
    }

    /** Gives vectors and names to the pipeline of a model without any. */
    void moveTo(Pipeline pipeline) {
        for (int k = 0; k < vectors.length; k++) {
            if (vectors[k] != null) {
                Blocks empty = pipeline.vector(k + Pipeline.STATISTICS);
                ((BlockVector) empty).take(vectors[k]);
            }
        }
        if (names != null) {
            pipeline.take(names);
        }
    }

    /** Receives a vector. */
    @FunctionalInterface
    interface VectorSink {
        /** Accepts a vector and its number. */
        void accept(int number, BlockVector vector);
    }

    /** Passes every vector that is not untouched. */
    void forEachVector(VectorSink sink) {
        for (int k = 0; k < vectors.length; k++) {
            if (vectors[k] != null) {
                sink.accept(k + Pipeline.STATISTICS, vectors[k]);
            }
        }
    }

    /** Returns true if a vector has blocks, which are stored apart. */
    boolean hasBlocks() {
        for (BlockVector vector : vectors) {
            if (vector != null && StoredHeader.storedBlocks(vector) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        long bytes = FIXED_BYTES + fields.length + (names == null ? 0 : names.heapBytes());
        for (BlockVector vector : vectors) {
            bytes += vector == null ? 0 : vector.heapBytes();
        }
        return bytes;
    }
}
