/**
 * The stream program: {@code LearningTopology} connects its parts, {@code LearnProcessor} processes one record, {@code Engine} runs
 * it from the start-up checks to the end.
 */
package io.perceptronstreams.topology;
