/**
 * The Kafka Streams program: {@code LearningTopology} connects its nodes, {@code LearnProcessor} processes the records,
 * {@code Engine} runs it.
 */
package io.perceptronstreams.topology;
