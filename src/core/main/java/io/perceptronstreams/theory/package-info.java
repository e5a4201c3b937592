/**
 * Mistake and generalization bounds, one class per theorem; {@link io.perceptronstreams.theory.BoundsReport} evaluates
 * them for a trained model.
 */
package io.perceptronstreams.theory;
