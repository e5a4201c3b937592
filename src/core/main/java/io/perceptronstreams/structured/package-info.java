/**
 * Learners of structured outputs: candidates and tags of sequences;
 * {@link io.perceptronstreams.structured.SequencePerceptron} tags.
 */
package io.perceptronstreams.structured;
