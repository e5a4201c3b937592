/**
 * One model's life: {@link io.perceptronstreams.model.ModelSession} applies the records of the log to the models of a partition, {@link
 * io.perceptronstreams.model.Model} is one of them, with its settings, counts, windows, scaling and drift monitor.
 */
package io.perceptronstreams.model;
