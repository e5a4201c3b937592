/**
 * Algorithms by name, each with its learner and traits; {@link io.perceptronstreams.algorithm.Algorithm} lists them.
 */
package io.perceptronstreams.algorithm;
