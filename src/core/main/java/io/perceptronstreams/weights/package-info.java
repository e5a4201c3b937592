/**
 * Weights in {@link io.perceptronstreams.weights.Blocks}: a {@link io.perceptronstreams.weights.BlockVector} for a
 * vector, {@link io.perceptronstreams.weights.SparseRows} for a matrix.
 */
package io.perceptronstreams.weights;
