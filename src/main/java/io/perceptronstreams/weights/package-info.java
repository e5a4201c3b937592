/**
 * Weights in blocks: {@link io.perceptronstreams.weights.BlockVector} for a vector, {@link
 * io.perceptronstreams.weights.SparseRows} for a matrix. Learners read them in their inner loops; a store writes
 * changed {@link io.perceptronstreams.weights.Blocks}.
 */
package io.perceptronstreams.weights;
