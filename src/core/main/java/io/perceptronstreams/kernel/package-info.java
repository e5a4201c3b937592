/**
 * The kernel perceptron and its support vectors; {@link io.perceptronstreams.kernel.KernelPerceptron} is the learner.
 */
package io.perceptronstreams.kernel;
