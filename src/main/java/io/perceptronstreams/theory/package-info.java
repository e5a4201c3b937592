/**
 * The theorems of the lectures, a class each, with their assumptions; {@link io.perceptronstreams.theory.Report} says what they give for
 * one trained model.
 */
package io.perceptronstreams.theory;
