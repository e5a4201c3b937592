/**
 * What learns: {@link io.perceptronstreams.learner.Model} is one model of a stream, with its settings, counts and {@link
 * io.perceptronstreams.learner.Learner}.
 */
package io.perceptronstreams.learner;
