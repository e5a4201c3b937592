/**
 * How sure a prediction is: {@link io.perceptronstreams.probability.Calibration} makes probabilities of scores, and
 * sets of labels of probabilities.
 */
package io.perceptronstreams.probability;
