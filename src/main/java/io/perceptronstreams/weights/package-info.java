/**
 * Numbers in blocks: {@link io.perceptronstreams.weights.BlockVector} for one vector of weights, {@link io.perceptronstreams.weights.SparseRows} for
 * a matrix. A learner reads them in its inner loops, a store writes the changed ones as {@link io.perceptronstreams.weights.Blocks}.
 */
package io.perceptronstreams.weights;
