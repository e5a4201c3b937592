/**
 * The theorems, a class each, with their assumptions; {@link io.perceptronstreams.theory.BoundsReport} says what they give for
 * one trained model.
 */
package io.perceptronstreams.theory;
