/**
 * One model's life: {@link io.perceptronstreams.model.ModelSession} says what a record of the log does to the models of a partition.
 */
package io.perceptronstreams.model;
