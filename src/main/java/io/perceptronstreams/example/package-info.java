/**
 * What is seen: an {@link io.perceptronstreams.example.Example} with its features and label, hashed and scaled for a learner.
 */
package io.perceptronstreams.example;
