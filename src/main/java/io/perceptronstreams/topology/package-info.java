/**
 * The stream program: {@link io.perceptronstreams.topology.LearningTopology} is the picture, {@link
 * io.perceptronstreams.topology.LearnProcessor} what happens to one record, {@link
 * io.perceptronstreams.topology.StreamsRunner} its life from the start-up checks to the end.
 */
package io.perceptronstreams.topology;
