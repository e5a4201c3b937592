/**
 * The Kafka Streams program: {@code LearningTopology} connects its nodes, {@code LearnProcessor} processes the records,
 * {@code Engine} runs it. {@code LogReplay} learns again what a restart has lost, and {@code Replica} is a replay that
 * does not end, for readers of the models.
 */
package io.perceptronstreams.topology;
