/** What learns: {@link io.perceptronstreams.learner.Learner} is the contract, with one class per learner; knows neither Kafka nor Avro nor the clock. */
package io.perceptronstreams.learner;
