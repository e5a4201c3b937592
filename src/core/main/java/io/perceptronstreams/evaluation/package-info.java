/**
 * Evaluation of outcomes: {@link io.perceptronstreams.evaluation.Counts} and {@link
 * io.perceptronstreams.evaluation.ClassCounts} of an epoch or a {@link io.perceptronstreams.evaluation.CountingWindow},
 * and the metrics of both.
 */
package io.perceptronstreams.evaluation;
