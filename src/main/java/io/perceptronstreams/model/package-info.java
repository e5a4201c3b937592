/**
 * One model's life: {@link io.perceptronstreams.model.ModelSession} applies the records of the log to the models of a partition.
 */
package io.perceptronstreams.model;
