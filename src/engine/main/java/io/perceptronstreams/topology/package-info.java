/**
 * The Kafka Streams program: {@code LearningTopology} connects its nodes, {@code LearnProcessor} passes the records of
 * a batch to the models, {@code EngineRunner} runs it. What records do to models is in
 * {@code io.perceptronstreams.log}.
 */
package io.perceptronstreams.topology;
