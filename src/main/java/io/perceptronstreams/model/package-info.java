/**
 * Models: {@link io.perceptronstreams.model.ModelSession} applies records to the models of a partition; a {@link
 * io.perceptronstreams.model.Model} has settings, a learner, counts, windows, metrics, scaling and a drift monitor.
 */
package io.perceptronstreams.model;
