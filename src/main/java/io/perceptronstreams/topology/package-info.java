/**
 * The stream program: {@code LearningTopology} is the picture, {@code LearnProcessor} what happens to one record, {@code StreamsRunner} its
 * life from the start-up checks to the end.
 */
package io.perceptronstreams.topology;
