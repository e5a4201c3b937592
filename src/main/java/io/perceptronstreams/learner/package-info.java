/**
 * Learning algorithms: {@link io.perceptronstreams.learner.Learner} is the contract, with one class per learner.
 * Independent of Kafka, Avro and the clock.
 */
package io.perceptronstreams.learner;
