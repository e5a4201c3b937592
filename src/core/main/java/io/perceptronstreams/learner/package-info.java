/**
 * Contract of learners, and the linear ones of two classes: {@link io.perceptronstreams.learner.Learner}; one class
 * each.
 */
package io.perceptronstreams.learner;
